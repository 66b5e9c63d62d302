/** Records (docs/reference/operations.md#records). */

import { add } from '../../data/add.ts';
import { type Operation as Batch, writeBatch } from '../../data/batch.ts';
import { remove } from '../../data/delete.ts';
import { getRecord } from '../../data/get.ts';
import { countRows, expressionQuery, structuredQuery } from '../../data/query.ts';
import { selectRows } from '../../data/select.ts';
import { update } from '../../data/update.ts';
import { success, successWith } from '../envelope.ts';
import type { Call, Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { dataOperations } from './data.operations.ts';

export function dataHandlers({ data }: Services): Handlers<typeof dataOperations> {
  async function write(
    { caller, body, strict, request }: Call<(typeof dataOperations)['addData' | 'deleteData']>,
    operation: Batch,
    items: readonly unknown[],
  ) {
    const { transactionId, objectName } = body;
    const { bodyWeightBytes: weightBytes } = request;
    const batch = {
      objectName,
      items,
      strict,
      ...(transactionId === undefined ? {} : { transactionId }),
      ...(weightBytes === 0 ? {} : { weightBytes }),
    };
    return success({ results: await writeBatch(data, caller, operation, batch) });
  }
  return {
    query: async ({ caller, body }) => {
      const { results, ...page } = await structuredQuery(data, caller, body);
      return successWith('results', results, page);
    },
    addData: (call) => write(call, add, call.body.data),
    updateData: (call) => write(call, update, call.body.data),
    deleteData: (call) => write(call, remove, call.body.objectIds),
    getRecord: ({ caller, params }) => getRecord(data, caller, params.objectName as string, params.objectId as string),
    expressionQuery: ({ caller, params, body }) => expressionQuery(data, caller, params.objectName as string, body),
    select: async ({ caller, params, body }) => {
      const { rows, next } = await selectRows(data, caller, params.objectName as string, body);
      return successWith('rows', rows, { next });
    },
    count: async ({ caller, params, body }) =>
      success({ count: await countRows(data, caller, params.objectName as string, body) }),
  };
}

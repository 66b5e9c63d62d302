/** Records (docs/reference/operations.md#records). */

import type { Static } from 'typebox';
import { add } from '../../data/add.ts';
import { batchOf, type Operation, type OperationRequest, writeBatch } from '../../data/batch.ts';
import { remove } from '../../data/delete.ts';
import { getRecord } from '../../data/get.ts';
import { put } from '../../data/put.ts';
import { countRows, expressionQuery, structuredQuery } from '../../data/query.ts';
import { selectRows } from '../../data/select.ts';
import { update } from '../../data/update.ts';
import { malformed, quoted, ServiceError } from '../../errors.ts';
import { success, successWith } from '../envelope.ts';
import type { Call, Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { dataOperations } from './data.operations.ts';

export function dataHandlers({ data }: Services): Handlers<typeof dataOperations> {
  async function write(
    { caller, body, strict, request }: Call<(typeof dataOperations)['addData' | 'deleteData' | 'putData']>,
    operation: Operation,
    items: readonly unknown[],
  ) {
    const batch = batchOf(operation, { ...body, items, strict, ...weightOf(request) });
    return success({ results: await writeBatch(data, caller, batch) });
  }
  return {
    query: async ({ caller, body }) => {
      const { results, ...page } = await structuredQuery(data, caller, body);
      return successWith('results', results, page);
    },
    addData: (call) => write(call, add, call.body.data),
    updateData: (call) => write(call, update, call.body.data),
    deleteData: (call) => write(call, remove, call.body.objectIds),
    putData: (call) => write(call, put, call.body.data),
    batch: async ({ caller, body, strict, request }) => {
      const { operations, ...rest } = body;
      const batch = {
        form: 'several',
        operations: operations.map(operationOf),
        strict,
        ...rest,
        ...weightOf(request),
      } as const;
      return success({ results: await writeBatch(data, caller, batch) });
    },
    getRecord: ({ caller, params, query: { values = 'text' }, strict }) => {
      if (strict && values !== 'typed' && values !== 'text') {
        throw malformed('values', `expected "typed" or "text", got ${quoted(values)}.`);
      }
      const objectName = params.objectName as string;
      const record = getRecord(data, caller, objectName, params.objectId as string, values === 'typed');
      return postedTo.includes(objectName) ? record.catch(adviseToPost) : record;
    },
    expressionQuery: ({ caller, params, body }) => expressionQuery(data, caller, params.objectName as string, body),
    select: async ({ caller, params, body }) => {
      const { rows, next } = await selectRows(data, caller, params.objectName as string, body);
      return successWith('rows', rows, { next });
    },
    count: async ({ caller, params, body }) =>
      success({ count: await countRows(data, caller, params.objectName as string, body) }),
  };
}

/** Parts of paths that only take POST. With GET, the rest of the path is taken for the id of a record in a table of that name. */
const postedTo = ['batch', 'query', 'select'];

/** @throws ServiceError the error; if there is no table of that name, with the advice to send POST */
function adviseToPost(error: unknown): never {
  if (!(error instanceof ServiceError) || error.reason !== 'noTable') throw error;
  throw new ServiceError('noTable', `${error.message} Queries and batches are sent with POST.`);
}

const operationsByName = { add, update, delete: remove, put } as const;

type OperationOfBody = Static<(typeof dataOperations)['batch']['body']>['operations'][number];

/** @throws ServiceError `malformed` for a key with any operation but a put */
export function operationOf({ op, objectName, by, data: items }: OperationOfBody, index: number): OperationRequest {
  const path = `operations[${index}].`;
  const operation = operationsByName[op];
  if (by !== undefined && operation !== put)
    throw malformed(`${path}by`, `only a put finds records by a key, not ${op}.`);
  return { operation, objectName, items, path, field: `${path}data`, ...(by === undefined ? {} : { by }) };
}

export function weightOf({ bodyWeightBytes }: { readonly bodyWeightBytes: number }) {
  return bodyWeightBytes === 0 ? {} : { weightBytes: bodyWeightBytes };
}

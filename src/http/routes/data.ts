/** Records (docs/reference/operations.md#records). */
import { add } from '../../data/add.ts';
import { type Operation as Batch, writeBatch } from '../../data/batch.ts';
import { remove } from '../../data/delete.ts';
import { getRecord } from '../../data/get.ts';
import { countRows, expressionQuery, structuredQuery } from '../../data/query.ts';
import { update } from '../../data/update.ts';
import * as wire from '../../wire/data.ts';
import { success, successWith } from '../envelope.ts';
import type { Call, Register } from '../route.ts';
import type { Services } from '../services.ts';

export function dataRoutes(register: Register, { data }: Services): void {
  register(wire.structuredQuery, async ({ caller, body }) => {
    const { results, ...page } = await structuredQuery(data, caller, body);
    return successWith('results', results, page);
  });
  register(wire.addData, (call) => write(call, add, call.body.data));
  register(wire.updateData, (call) => write(call, update, call.body.data));
  register(wire.deleteData, (call) => write(call, remove, call.body.objectIds));
  register(wire.getRecord, ({ caller, params }) =>
    getRecord(data, caller, params.objectName as string, params.objectId as string),
  );
  register(wire.expressionQuery, ({ caller, params, body }) =>
    expressionQuery(data, caller, params.objectName as string, body),
  );
  register(wire.countRecords, async ({ caller, params, body }) =>
    success({ count: await countRows(data, caller, params.objectName as string, body) }),
  );

  async function write(
    { caller, body, strict, request }: Call<typeof wire.addData> | Call<typeof wire.deleteData>,
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
}

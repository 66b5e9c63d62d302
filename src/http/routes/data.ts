/** Records (interface.md §4.1 to §4.7). */
import { add } from '../../data/add.ts';
import { type Operation as Batch, type BatchRequest, writeBatch } from '../../data/batch.ts';
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
  register(wire.addData, ({ caller, body, strict }) => write(caller, add, { ...body, items: body.data, strict }));
  register(wire.updateData, ({ caller, body, strict }) => write(caller, update, { ...body, items: body.data, strict }));
  register(wire.deleteData, ({ caller, body, strict }) =>
    write(caller, remove, { ...body, items: body.objectIds, strict }),
  );
  register(wire.getRecord, ({ caller, params }) =>
    getRecord(data, caller, params.objectName as string, params.objectId as string),
  );
  register(wire.expressionQuery, ({ caller, params, body }) =>
    expressionQuery(data, caller, params.objectName as string, body),
  );
  register(wire.countRecords, async ({ caller, params, body }) =>
    success({ count: await countRows(data, caller, params.objectName as string, body) }),
  );

  async function write(caller: Call<typeof wire.addData>['caller'], operation: Batch, request: BatchRequest) {
    return success({ results: await writeBatch(data, caller, operation, request) });
  }
}

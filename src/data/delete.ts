/** Deleting records by id (docs/reference/writing.md#the-optimistic-lock). */
import type { Operation } from './batch.ts';
import { asItem, onlyOnce, readBase, readObjectId, refuseOthers } from './item.ts';
import { prepareItems } from './prepare.ts';

/** The other members of an item are removed; otherwise they would stay in memory for as long as the batch waits. */
const members = ['objectId', 'serverUpdateTime'];

export const remove: Operation = {
  name: 'delete',
  rights: ['delete'],
  field: 'objectIds',
  codes: { invalid: 198, unsaved: 220 },
  prepare(context, _caller, _table, request) {
    const seen = request.seen();
    const { strict } = request;
    return prepareItems(
      request,
      (value) => {
        const item = asItem(value);
        if (strict) refuseOthers(item, members);
        const objectId = readObjectId(item.objectId);
        onlyOnce(objectId, seen);
        const base = readBase(item, context.zone);
        for (const name in item) if (!members.includes(name)) delete (item as Record<string, unknown>)[name];
        return { objectId, base };
      },
      (ready) => ({ operation: 'delete', items: ready }),
    );
  },
};

/** Deleting records by id (interface.md §4.4). */
import type { Operation } from './batch.ts';
import { asItem, onlyOnce, readBase, readObjectId, refuseOthers } from './item.ts';
import { prepareItems } from './prepare.ts';

const members = ['objectId', 'serverUpdateTime'];

export const remove: Operation = {
  name: 'delete',
  field: 'objectIds',
  invalid: 198,
  unsaved: 220,
  prepare(context, _caller, _table, { items, strict }) {
    const seen = new Set<string>();
    const { ready, errors } = prepareItems(this, items, (value) => {
      const item = asItem(value);
      if (strict) refuseOthers(item, members);
      const objectId = readObjectId(item.objectId);
      onlyOnce(objectId, seen);
      return { objectId, base: readBase(item, context.zone) };
    });
    return { change: { operation: 'delete', items: ready }, errors };
  },
};

/**
 * Random batches on three tables, with few records and values, so that items sometimes share a record, key or unique
 * value. Some batches also put a record of an earlier operation again, by another key.
 */
import type { Random } from '../machine/random.ts';
import type { Item, Model, ModelTable, Operation, Writer } from './model.ts';

const own = (name: string, columns: string, unique: readonly string[], more: Partial<ModelTable> = {}): ModelTable => ({
  name,
  columns: columns.split(' '),
  unique: unique.map((key) => key.split(' ')),
  ...{ lockFree: false, required: [], defaults: {} },
  ...more,
});

export const tables: readonly ModelTable[] = [
  own('Book', 'code title shelf note', ['code', 'title shelf'], { required: ['title'] }),
  own('Tag', 'name hue', ['name', 'hue name'], { lockFree: true, defaults: { hue: 'red' } }),
  own('Line', 'note', []),
];

/** In the form of `POST schemas`. */
export const definitions = tables.map(({ name, lockFree, columns, unique, required, defaults }) => ({
  name,
  ...(lockFree && { lockFree }),
  columns: columns.map((colName) => ({
    ...{ colName, type: 'varchar', fieldLength: 20 },
    ...(required.includes(colName) && { required: true }),
    ...(colName in defaults && { default: defaults[colName] }),
  })),
  indexes: unique.map((index) => ({ columns: index, unique: true })),
}));

const stale = '2020-01-01T00:00:00.000+00:00';

/** @param foreignGroup a group without members */
export function randomBatch(model: Model, writer: Writer, foreignGroup: number, random: Random): Operation[] {
  const count = random.weighted([6, () => 1], [3, () => 2], [1, () => 3], [0.3, () => 5]);
  const operations = random.times(count, () => randomOperation(model, writer, foreignGroup, random));
  const again = random.chance(0.15) ? byOtherKey(operations, random) : null;
  return again === null ? operations : [...operations, again];
}

/** A put of the same record as an item of the operations, by a key of which that item has all values. */
function byOtherKey(operations: readonly Operation[], random: Random): Operation | null {
  const ways = operations.flatMap(({ objectName, by, data }) => {
    const { unique } = tables.find(({ name }) => name === objectName) as ModelTable;
    const others = unique.filter((key) => key.toSorted().join() !== by?.toSorted().join());
    return data.flatMap((item) => {
      return others
        .filter((key) => key.every((column) => typeof item[column] === 'string'))
        .map((key) => ({ objectName, key, item }));
    });
  });
  if (ways.length === 0) return null;
  const { objectName, key, item } = random.pick(ways);
  const { objectId: _, serverUpdateTime: __, ...values } = item;
  return { op: 'put', objectName, by: random.some(key, key.length), data: [values] };
}

function randomOperation(model: Model, writer: Writer, foreignGroup: number, random: Random): Operation {
  const table = random.pick(tables);
  const op = random.weighted<Operation['op']>(
    [3, () => 'add'],
    [3, () => 'update'],
    [2, () => 'delete'],
    [8, () => 'put'],
  );
  const key = random.chance(0.5) ? random.some(table.unique, 1)[0] : undefined;
  const by = op === 'put' && key !== undefined ? random.some(key, key.length) : undefined;
  const data = random.times(random.weighted([5, () => 1], [3, () => 2], [1, () => 4]), () => {
    return randomItem({ model, writer, foreignGroup, random }, table, op, by);
  });
  return { op, objectName: table.name, ...(by !== undefined && { by }), data };
}

interface Circumstances {
  readonly model: Model;
  readonly writer: Writer;
  readonly foreignGroup: number;
  readonly random: Random;
}

function randomItem(
  { model, writer, foreignGroup, random }: Circumstances,
  table: ModelTable,
  op: Operation['op'],
  by: readonly string[] | undefined,
): Item {
  const records = model.records(table.name);
  const visible = model.seenBy(writer, table.name);
  const from = random.chance(0.97) && visible.length > 0 ? visible : records;
  const target = op !== 'add' && random.chance(op === 'put' ? 0.6 : 0.97) ? random.some(from, 1)[0] : undefined;
  const isLocked = op === 'update' || op === 'delete' || (op === 'put' && target !== undefined && random.chance(0.85));
  const time = random.chance(0.98) ? (target?.updated ?? stale) : stale;
  const objectId = target?.objectId ?? `${table.name}_${random.below(60)}`;
  const isNamed = op === 'add' ? random.chance(0.5) : by === undefined ? random.chance(0.99) : random.chance(0.01);
  const item: Record<string, unknown> = {
    ...(isNamed && { objectId }),
    ...((isLocked ? random.chance(0.99) : random.chance(0.05)) && op !== 'add' && { serverUpdateTime: time }),
  };
  if (op === 'delete') return item;
  for (const column of table.columns) {
    const isKey = by?.includes(column) === true;
    const isNeeded = isKey || (op !== 'update' && table.required.includes(column));
    if (!random.chance(isNeeded ? 0.99 : 0.6)) continue;
    item[column] =
      isKey && target !== undefined
        ? target.values[column]
        : random.chance(0.97) || isNeeded
          ? `v${random.below(50)}`
          : null;
  }
  if (random.chance(0.4)) item.scopeType = random.pick(['1', '2', '2', '3']);
  if (random.chance(0.2)) {
    item.groupIds = random.chance(0.03) ? [foreignGroup] : random.some(writer.groupIds, random.between(0, 2)).sort();
  }
  return item;
}

/**
 * The SQL that writes to one table, for a batch that runs alone, and the parts that merged statements share with it
 * (`merged-sql.ts`). Values are sent as one array per column, so a statement is the same for one item and for many.
 * `OFFSET 0` keeps a sub-select one index look-up per item; the planner, which may lack statistics on the table, would
 * otherwise read all of it into memory.
 */
import type { Column, Index, Table } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import { systemName } from '../../schema/system.ts';
import { columnSql } from '../layout.ts';
import { postgresDialect } from './dialect.ts';
import { besideSpace, further, type Inputs, rowsOf, valueInputs } from './write-inputs.ts';

export const column = (name: string) => postgresDialect.column(name);
export const tableSql = (table: Table) => postgresDialect.table(storedName(table));
/** SQL of a column of the table. */
export const columnOf = (table: Table) => columnSql(postgresDialect, { columns: table.written });
export const objectId = column(systemName.objectId);
export const created = column(systemName.serverCreateTime);
export const updated = column(systemName.serverUpdateTime);

export const milliseconds = (timeSql: string) => `(extract(epoch FROM ${timeSql}) * 1000)::bigint`;

/** Columns with values of clients; the service fills in the others. */
export function ownColumns(table: Table): readonly Column[] {
  const others: readonly string[] = [systemName.objectId, systemName.serverCreateTime, systemName.serverUpdateTime];
  return table.written.filter(({ name }) => !others.includes(name));
}

export function uniqueIndexes(table: Table): readonly Index[] {
  // Newest index first, the one on objectId last: if several refuse a record, every engine reports the first of them.
  return [...table.indexes.filter(({ unique }) => unique).reverse(), { columns: [systemName.objectId], unique: true }];
}

/** Whether another record already has the values. @param wanted SQL of a column's new value */
export function taken(
  table: Table,
  { columns }: Index,
  wanted: (name: string) => string,
  except: string | null,
): string {
  const equal = columns.map((name) => `other.${columnOf(table)(name)} = ${wanted(name)}`);
  const apart = except === null ? [] : [`other.${objectId} <> ${except}`];
  return `EXISTS (SELECT FROM ${tableSql(table)} AS other WHERE ${[...equal, ...apart].join(' AND ')} OFFSET 0)`;
}

// Adding

const addFields: Inputs = [
  ['id', 'text'],
  ['time', 'timestamptz'],
  ['audience', 'text'],
];

export const addInputs = (table: Table): Inputs => [...addFields, ...valueInputs(ownColumns(table))];

export function insertFrom(table: Table, from: string, seq: string): string {
  const own = ownColumns(table);
  const names = [objectId, created, updated, '"_audience"', '"_seq"', ...own.map(({ name }) => columnOf(table)(name))];
  const values = ['id', 'time', 'time', 'audience', seq, ...own.map((_, index) => `c${index}`)];
  return `INSERT INTO ${tableSql(table)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`;
}

export const addedValue = (table: Table) => (name: string) => {
  if (name === systemName.objectId) return 'item.id';
  if (name === systemName.serverCreateTime || name === systemName.serverUpdateTime) return 'item.time';
  return `item.c${ownColumns(table).findIndex((own) => own.name === name)}`;
};

// Statements of a batch that runs alone; the number of the commit follows their arrays.

export const insert = (table: Table) =>
  insertFrom(table, `${besideSpace}${rowsOf(addInputs(table))}`, further(addInputs(table), 1, 'bigint'));

/**
 * Returns the definition's version and, for each existing or deleted record, its id, whether it exists, and when it was
 * deleted.
 */
export function findForAdd(table: Table): string {
  return `SELECT space.definition_version, item.id, present.${objectId} IS NOT NULL, gone.time
FROM "~"._space AS space LEFT JOIN (
  unnest($1::text[]) AS item(id)
  LEFT JOIN ${tableSql(table)} AS present ON present.${objectId} = item.id
  LEFT JOIN "~"._tombstone AS gone ON gone.table_id = ${table.id} AND gone.object_id = item.id
) ON true`;
}

/** Inputs of a put: ids, or values of a key's columns. */
export const putInputs = (key: readonly Column[] | null): Inputs =>
  key === null ? [['id', 'text']] : valueInputs(key);

/**
 * Returns the definition's version, and for each item: its position from 1, the record's id, whether the members see it, and
 * when the last one with the id was deleted. Further parameter: the members.
 */
export function findForPut(table: Table, key: readonly Column[] | null): string {
  const inputs = putInputs(key);
  const wanted =
    key === null
      ? [`present.${objectId} = item.id`]
      : key.map(({ name }, index) => `present.${columnOf(table)(name)} = item.c${index}`);
  const visible = postgresDialect.visibleRecord('present."_audience"', further(inputs, 1, 'text[]'));
  const gone =
    key === null ? `LEFT JOIN "~"._tombstone AS gone ON gone.table_id = ${table.id} AND gone.object_id = item.id` : '';
  return `SELECT space.definition_version, item.n, present.${objectId}, ${visible}, ${key === null ? 'gone.time' : 'NULL::bigint'}
FROM "~"._space AS space LEFT JOIN (
  ${rowsOf(inputs)}
  LEFT JOIN ${tableSql(table)} AS present ON ${wanted.join(' AND ')} ${gone}
) ON true`;
}

// Updating and deleting.

/** Records of a table, locked in the order of their ids. */
export function lockedRecords(table: Table, selected: string, from: string, members: string): string {
  return `SELECT ${selected} FROM ${from} JOIN ${tableSql(table)} AS record ON record.${objectId} = item.id
  AND ${postgresDialect.visibleRecord('record."_audience"', members)}`;
}

/** Returns the definition's version, and what is needed to check each record that the members see. */
export function findForChange(table: Table): string {
  const columns = [systemName.scopeType, systemName.groupIds, systemName.createUserId].map(
    (name) => `record.${column(name)}`,
  );
  const selected = [
    `record.${objectId}`,
    milliseconds(`record.${created}`),
    milliseconds(`record.${updated}`),
    ...columns,
    'record."_audience"',
  ].map((sql, index) => `${sql} AS f${index}`);
  return `WITH locked AS MATERIALIZED (
  ${lockedRecords(table, selected.join(', '), 'unnest($1::text[]) AS item(id)', '$2::text[]')}
  ORDER BY record.${objectId} FOR UPDATE OF record
)
SELECT space.definition_version, locked.* FROM "~"._space AS space LEFT JOIN locked ON true`;
}

/** Returns each record's id and the sizes of its texts in bytes, 0 for null. */
export function textSizes(table: Table, names: readonly string[]): string {
  const sizes = names.map((name) => `coalesce(octet_length(record.${columnOf(table)(name)}), 0)`);
  return `SELECT record.${objectId}, ${sizes.join(', ')} FROM unnest($1::text[]) AS item(id)
JOIN ${tableSql(table)} AS record ON record.${objectId} = item.id`;
}

/** How an update changes the audience: `kept`, or `sent`, where `u` stands for the user who created the record. */
export type AudienceChange = 'kept' | 'sent';

export const updateFields = (audience: AudienceChange): Inputs => [
  ['time', 'timestamptz'],
  ...(audience === 'sent' ? ([['audience', 'text']] as const) : []),
];

export const updateInputs = (columns: readonly Column[]): Inputs => [
  ['id', 'text'],
  ...updateFields('sent'),
  ...valueInputs(columns),
];

export function updateFrom(
  table: Table,
  columns: readonly Column[],
  audience: string | null,
  { from, seq, where = '' }: { readonly from: string; readonly seq: string; readonly where?: string },
): string {
  const sets = columns.map(({ name }, index) => `${columnOf(table)(name)} = item.c${index}`);
  if (audience !== null) sets.push(`"_audience" = ${audience}`);
  return `UPDATE ${tableSql(table)} AS record SET ${[...sets, `${updated} = item.time`, `"_seq" = ${seq}`].join(', ')}
  FROM ${from} WHERE record.${objectId} = item.id${where}`;
}

/** Unique indexes whose values an update of these columns changes; serverUpdateTime changes with every update. */
export function touchedIndexes(table: Table, columns: readonly Column[]): readonly Index[] {
  const changed = new Set([...columns.map(({ name }) => name), systemName.serverUpdateTime as string]);
  return uniqueIndexes(table).filter((index) => index.columns.some((name) => changed.has(name)));
}

/** SQL of a column's value after the update: sent or stored. */
export const updatedValue = (columns: readonly Column[], stored: (name: string) => string) => (name: string) => {
  if (name === systemName.serverUpdateTime) return 'item.time';
  const position = columns.findIndex((sent) => sent.name === name);
  return position >= 0 ? `item.c${position}` : stored(name);
};

export function update(table: Table, columns: readonly Column[]): string {
  const inputs = updateInputs(columns);
  return updateFrom(table, columns, 'item.audience', { from: rowsOf(inputs), seq: further(inputs, 1, 'bigint') });
}

export const overOlder = `ON CONFLICT (table_id, object_id)
  DO UPDATE SET time = EXCLUDED.time, seq = EXCLUDED.seq, audience = EXCLUDED.audience`;

export const removeInputs: Inputs = [
  ['id', 'text'],
  ['time', 'bigint'],
];

/** Writes tombstones for records that are locked and about to be removed. */
export const bury = (table: Table) => `INSERT INTO "~"._tombstone (table_id, object_id, time, seq, audience)
SELECT ${table.id}, item.id, item.time, ${further(removeInputs, 1, 'bigint')}, record."_audience" FROM ${rowsOf(removeInputs)}
JOIN ${tableSql(table)} AS record ON record.${objectId} = item.id ${overOlder}`;

export const remove = (table: Table) => `DELETE FROM ${tableSql(table)} AS record
USING ${rowsOf(removeInputs)} WHERE record.${objectId} = item.id`;

/** Takes the lock that writes to the table take, which excludes changes of the table; changes nothing. */
export const enter = (table: Table) => `DELETE FROM ${tableSql(table)} WHERE false`;

// Find which unique index refused an item.

/** One column per index of `uniqueIndexes`, for one item of `insert`: whether another record has its values. */
export function probeAdd(table: Table): string {
  const indexes = uniqueIndexes(table).map((index) => taken(table, index, addedValue(table), null));
  return `SELECT ${indexes.join(', ')} FROM ${rowsOf(addInputs(table))}`;
}

/** One column per index of `touchedIndexes`, for one item of `update`. */
export function probeUpdate(table: Table, columns: readonly Column[]): string {
  const stored = (name: string) => `record.${columnOf(table)(name)}`;
  const indexes = touchedIndexes(table, columns).map((index) =>
    taken(table, index, updatedValue(columns, stored), 'item.id'),
  );
  return `SELECT ${indexes.join(', ')} FROM ${rowsOf(updateInputs(columns))}
JOIN ${tableSql(table)} AS record ON record.${objectId} = item.id`;
}

/**
 * The SQL that writes to one table. Values are sent as one array per column, so a statement is the same for one item
 * and for many. The *merged* statements execute many batches in one statement, and so in one transaction: each checks
 * its batches, notes the valid ones in the history, and writes their items; the others are left out. They lock in one
 * order, so that two of them (also of two instances) seldom deadlock: records by objectId, then the history by
 * transaction id, the counter of commits, then what is new. `OFFSET 0` keeps a sub-select one index look-up per item: the planner, which may
 * have no statistics of the table yet, would otherwise read all of it into memory.
 */
import type { IndexEntry } from '../../schema/index-entry.ts';
import type { Column, Index, Table } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import { isTooLargeSql } from '../index-size.ts';
import { takeNumbers } from './commit-counter.ts';
import { postgresDialect } from './dialect.ts';
import { batchInputs, besideSpace, further, type Inputs, rowsOf, valueInputs } from './write-inputs.ts';

const column = (name: string) => postgresDialect.column(name);
const objectId = column(systemName.objectId);
const created = column(systemName.serverCreateTime);
const updated = column(systemName.serverUpdateTime);

const milliseconds = (timeSql: string) => `(extract(epoch FROM ${timeSql}) * 1000)::bigint`;

/** Columns that a client's values go to; the others are filled in. */
export function ownColumns(table: Table): readonly Column[] {
  const others: readonly string[] = [systemName.objectId, systemName.serverCreateTime, systemName.serverUpdateTime];
  return table.columns.filter(({ name }) => !others.includes(name));
}

export function uniqueIndexes(table: Table): readonly Index[] {
  // Newest index first, the one on objectId last: if several refuse a record, every engine reports the first of them.
  return [...table.indexes.filter(({ unique }) => unique).reverse(), { columns: [systemName.objectId], unique: true }];
}

/** Whether another record already has the values. @param wanted SQL of the value that a column is to have */
function taken(table: Table, { columns }: Index, wanted: (name: string) => string, except: string | null): string {
  const equal = columns.map((name) => `other.${column(name)} = ${wanted(name)}`);
  const apart = except === null ? [] : [`other.${objectId} <> ${except}`];
  return `EXISTS (SELECT FROM ${postgresDialect.table(table.name)} AS other WHERE ${[...equal, ...apart].join(' AND ')} OFFSET 0)`;
}

const isCurrent = (versionSql: string) => `(SELECT definition_version FROM "~"._space) = ${versionSql}`;

const noted = (tx: string) => `(${tx} IN (SELECT transaction_id FROM noted)) IS TRUE`;

/** The commit numbers of a merged statement: taken when all that it will write is noted. Further parameter 2: how many. */
const counted = (inputs: Inputs) =>
  `counted AS (${takeNumbers(further(inputs, 2, 'bigint'), '(SELECT count(*) FROM noted) > 0')})`;

/** The number of an item's batch. */
const numbered = '(SELECT last FROM counted) - item.after';

// Adding

const addFields: Inputs = [
  ['id', 'text'],
  ['time', 'timestamptz'],
  ['audience', 'text'],
];

const addInputs = (table: Table): Inputs => [...addFields, ...valueInputs(ownColumns(table))];

export const mergedAddInputs = (table: Table): Inputs => [...batchInputs, ['answer', 'text'], ...addInputs(table)];

function insertFrom(table: Table, from: string, seq: string): string {
  const own = ownColumns(table);
  const names = [objectId, created, updated, '"_audience"', '"_seq"', ...own.map(({ name }) => column(name))];
  const values = ['id', 'time', 'time', 'audience', seq, ...own.map((_, index) => `c${index}`)];
  return `INSERT INTO ${postgresDialect.table(table.name)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`;
}

const addedValue = (table: Table) => (name: string) => {
  if (name === systemName.objectId) return 'item.id';
  if (name === systemName.serverCreateTime || name === systemName.serverUpdateTime) return 'item.time';
  return `item.c${ownColumns(table).findIndex((own) => own.name === name)}`;
};

/**
 * Returns the transaction ids that were executed, each before a null. Further parameters: the definition's version, how many
 * batches.
 * @param isGiven whether clients sent the ids of records, which may therefore be, or have been, in use
 */
export function mergedAdd(table: Table, isGiven: boolean): string {
  const inputs = mergedAddInputs(table);
  const indexes = uniqueIndexes(table).filter((_, index, all) => isGiven || index < all.length - 1);
  const flaws = indexes.map((index) => taken(table, index, addedValue(table), null));
  if (isGiven) {
    flaws.push(`EXISTS (SELECT FROM "~"._tombstone AS gone WHERE gone.table_id = ${table.id} AND gone.object_id = item.id
      AND gone.time >= ${milliseconds('item.time')} OFFSET 0)`);
  }
  const sound = flaws.length === 0 ? '' : `AND (tx IN (SELECT tx FROM item WHERE ${flaws.join(' OR ')})) IS NOT TRUE`;
  // Another instance may add and delete an id between the look at its tombstone and the insert.
  const checked = isGiven
    ? `, (SELECT "~"._not_deleted_since(${table.id}, array_agg(id), array_agg(${milliseconds('time')})) FROM written) AS checked(ok)
WHERE ok`
    : '';
  return `WITH item AS MATERIALIZED (SELECT * FROM ${rowsOf(inputs)}),
noted AS (
  INSERT INTO "~"._history (transaction_id, request_hash, attempt, answer, time)
  SELECT tx, hash, mark, answer, now FROM item
  WHERE hash IS NOT NULL AND ${isCurrent(further(inputs, 1, 'bigint'))} ${sound}
  ORDER BY tx COLLATE "C" ON CONFLICT (transaction_id) DO NOTHING RETURNING transaction_id
),
${counted(inputs)},
written AS (${insertFrom(table, `item WHERE ${noted('tx')}`, numbered)} RETURNING ${objectId} AS id, ${updated} AS time)
SELECT transaction_id, NULL::text FROM noted${checked}`;
}

// Statements of a batch of its own; the number of the commit follows their arrays.

export const insert = (table: Table) =>
  insertFrom(table, `${besideSpace}${rowsOf(addInputs(table))}`, further(addInputs(table), 1, 'bigint'));
export const insertInputs = addInputs;

/** Returns the definition's version, and per existing or deleted record: id, whether it exists, when deleted. */
export function findForAdd(table: Table): string {
  return `SELECT space.definition_version, item.id, present.${objectId} IS NOT NULL, gone.time
FROM "~"._space AS space LEFT JOIN (
  unnest($1::text[]) AS item(id)
  LEFT JOIN ${postgresDialect.table(table.name)} AS present ON present.${objectId} = item.id
  LEFT JOIN "~"._tombstone AS gone ON gone.table_id = ${table.id} AND gone.object_id = item.id
) ON true`;
}

// Updating and deleting

/** Records of a table, locked in the order of their ids. */
function lockedRecords(table: Table, selected: string, from: string, members: string): string {
  return `SELECT ${selected} FROM ${from} JOIN ${postgresDialect.table(table.name)} AS record ON record.${objectId} = item.id
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

/** Returns each record's id, and the size of its texts in bytes, 0 for null. */
export function textSizes(table: Table, names: readonly string[]): string {
  const sizes = names.map((name) => `coalesce(octet_length(record.${column(name)}), 0)`);
  return `SELECT record.${objectId}, ${sizes.join(', ')} FROM unnest($1::text[]) AS item(id)
JOIN ${postgresDialect.table(table.name)} AS record ON record.${objectId} = item.id`;
}

const changeFields: Inputs = [
  ...batchInputs,
  ['size', 'integer'],
  ['id', 'text'],
  ['base', 'timestamptz'],
  ['members', 'text'],
];

interface MergedChange {
  readonly inputs: Inputs;
  /** Kept for each locked record besides the item's own inputs. */
  readonly kept: readonly string[];
  /** Conditions on a locked item under which its batch is left out. */
  readonly flaws: readonly string[];
  /** SQL of the serverUpdateTime in the item's result. */
  readonly answered: string;
  /** What follows `counted`. */
  readonly writes: readonly string[];
}

/** Returns the transaction ids that were executed, with their results. Further parameters: the definition's version, how many batches. */
function mergedChange(table: Table, { inputs, kept, flaws, answered, writes }: MergedChange): string {
  const selected = ['item.*', `record.${created} AS created`, ...kept].join(', ');
  const answer = `'[' || string_agg('[' || to_json(id) || ',' || ${milliseconds('created')} || ',' || ${milliseconds(answered)} || ']', ',' ORDER BY n) || ']'`;
  const sound = flaws.length === 0 ? '' : ` AND NOT bool_or(${flaws.join(' OR ')})`;
  return `WITH item AS MATERIALIZED (SELECT * FROM ${rowsOf(inputs)}),
locked AS MATERIALIZED (
  ${lockedRecords(table, selected, 'item', 'item.members::text[]')} AND record.${updated} = item.base
  ORDER BY record.${objectId} FOR UPDATE OF record
),
sound AS (
  SELECT tx, max(hash) AS hash, max(mark) AS mark, max(now) AS now, ${answer} AS answer
  FROM locked AS item GROUP BY tx HAVING count(*) = max(size)${sound}
),
noted AS (
  INSERT INTO "~"._history (transaction_id, request_hash, attempt, answer, time)
  SELECT tx, hash, mark, answer, now FROM sound WHERE ${isCurrent(further(inputs, 1, 'bigint'))}
  ORDER BY tx COLLATE "C" ON CONFLICT (transaction_id) DO NOTHING RETURNING transaction_id, answer
),
${counted(inputs)},
${writes.join(',\n')}
SELECT transaction_id, answer FROM noted`;
}

/** How an update changes the audience: `kept`, or `sent`, where `u` stands for the user who created the record. */
export type AudienceChange = 'kept' | 'sent';

const updateFields = (audience: AudienceChange): Inputs => [
  ['time', 'timestamptz'],
  ...(audience === 'sent' ? ([['audience', 'text']] as const) : []),
];

export const mergedUpdateInputs = (columns: readonly Column[], audience: AudienceChange): Inputs => [
  ...changeFields,
  ...updateFields(audience),
  ...valueInputs(columns),
];

export const updateInputs = (columns: readonly Column[]): Inputs => [
  ['id', 'text'],
  ...updateFields('sent'),
  ...valueInputs(columns),
];

function updateFrom(
  table: Table,
  columns: readonly Column[],
  audience: string | null,
  { from, seq, where = '' }: { readonly from: string; readonly seq: string; readonly where?: string },
): string {
  const sets = columns.map(({ name }, index) => `${column(name)} = item.c${index}`);
  if (audience !== null) sets.push(`"_audience" = ${audience}`);
  return `UPDATE ${postgresDialect.table(table.name)} AS record SET ${[...sets, `${updated} = item.time`, `"_seq" = ${seq}`].join(', ')}
  FROM ${from} WHERE record.${objectId} = item.id${where}`;
}

/** Unique indexes whose values an update of these columns changes; serverUpdateTime changes with every update. */
export function touchedIndexes(table: Table, columns: readonly Column[]): readonly Index[] {
  const changed = new Set([...columns.map(({ name }) => name), systemName.serverUpdateTime as string]);
  return uniqueIndexes(table).filter((index) => index.columns.some((name) => changed.has(name)));
}

/** The entries of indexes that such an update may make larger (`index-size.ts`). */
function touchedEntries(table: Table, columns: readonly Column[], audience: AudienceChange): readonly IndexEntry[] {
  const sent = new Set(columns.map(({ name }) => name));
  return table.entries.filter(({ texts }) => audience === 'sent' || texts.some((name) => sent.has(name)));
}

/** SQL of a column's value after the update: sent or stored. */
const updatedValue = (columns: readonly Column[], stored: (name: string) => string) => (name: string) => {
  if (name === systemName.serverUpdateTime) return 'item.time';
  const position = columns.findIndex((sent) => sent.name === name);
  return position >= 0 ? `item.c${position}` : stored(name);
};

export function mergedUpdate(table: Table, columns: readonly Column[], audience: AudienceChange): string {
  const indexes = touchedIndexes(table, columns);
  const entries = touchedEntries(table, columns, audience);
  const stored = entries.flatMap(({ texts }) => texts).filter((name) => !columns.some((sent) => sent.name === name));
  const names = [...new Set([...indexes.flatMap((index) => index.columns), ...stored])];
  const position = (name: string) => `item.s${names.indexOf(name)}`;
  const owner = `CASE item.audience WHEN 'u' THEN 'u' || record.${column(systemName.createUserId)} ELSE item.audience END`;
  const audienceAfter = audience === 'sent' ? owner : 'record."_audience"';
  const kept = names.map((name, index) => `record.${column(name)} AS s${index}`);
  const value = updatedValue(columns, position);
  const entrySql = { column: value, audience: 'item.audience_after', objectId: 'item.id' };
  const written = updateFrom(table, columns, audience === 'sent' ? owner : null, {
    from: 'locked AS item',
    seq: numbered,
    where: ` AND ${noted('item.tx')}`,
  });
  return mergedChange(table, {
    inputs: mergedUpdateInputs(columns, audience),
    kept: entries.length === 0 ? kept : [...kept, `${audienceAfter} AS audience_after`],
    flaws: [
      ...indexes.map((index) => taken(table, index, value, 'item.id')),
      ...entries.map((entry) => isTooLargeSql(entry, entrySql)),
    ],
    answered: 'time',
    writes: [`written AS (${written})`],
  });
}

export function update(table: Table, columns: readonly Column[]): string {
  const inputs = updateInputs(columns);
  return updateFrom(table, columns, 'item.audience', { from: rowsOf(inputs), seq: further(inputs, 1, 'bigint') });
}

export const mergedDeleteInputs: Inputs = [...changeFields, ['time', 'bigint']];

const overOlder = `ON CONFLICT (table_id, object_id)
  DO UPDATE SET time = EXCLUDED.time, seq = EXCLUDED.seq, audience = EXCLUDED.audience`;

/** Deletes nothing before the counter is locked: others may wait for values of unique indexes that a deletion frees. */
function deletion(table: Table): readonly string[] {
  return [
    `gone AS (DELETE FROM ${postgresDialect.table(table.name)} AS record USING locked AS item
  WHERE record.${objectId} = item.id AND ${noted('item.tx')} AND (SELECT last FROM counted) IS NOT NULL
  RETURNING item.id, item.time, ${numbered} AS seq, record."_audience" AS audience)`,
    `tombs AS (INSERT INTO "~"._tombstone (table_id, object_id, time, seq, audience)
  SELECT ${table.id}, id, time, seq, audience FROM gone
  ${overOlder})`,
  ];
}

export function mergedDelete(table: Table): string {
  return mergedChange(table, {
    inputs: mergedDeleteInputs,
    kept: [],
    flaws: [],
    answered: 'base',
    writes: deletion(table),
  });
}

export const removeInputs: Inputs = [
  ['id', 'text'],
  ['time', 'bigint'],
];

/** Leaves the tombstones of records that are already locked, and about to be removed. */
export const bury = (table: Table) => `INSERT INTO "~"._tombstone (table_id, object_id, time, seq, audience)
SELECT ${table.id}, item.id, item.time, ${further(removeInputs, 1, 'bigint')}, record."_audience" FROM ${rowsOf(removeInputs)}
JOIN ${postgresDialect.table(table.name)} AS record ON record.${objectId} = item.id ${overOlder}`;

export const remove = (table: Table) => `DELETE FROM ${postgresDialect.table(table.name)} AS record
USING ${rowsOf(removeInputs)} WHERE record.${objectId} = item.id`;

/** Locks the table as what writes to it does, which a change of the table waits for and holds up; changes nothing. */
export const enter = (table: Table) => `DELETE FROM ${postgresDialect.table(table.name)} WHERE false`;

// Finding which unique index refused an item

/** One column per index of `uniqueIndexes`, for one item of `insert`: whether another record has its values. */
export function probeAdd(table: Table): string {
  const indexes = uniqueIndexes(table).map((index) => taken(table, index, addedValue(table), null));
  return `SELECT ${indexes.join(', ')} FROM ${rowsOf(addInputs(table))}`;
}

/** One column per index of `touchedIndexes`, for one item of `update`. */
export function probeUpdate(table: Table, columns: readonly Column[]): string {
  const stored = (name: string) => `record.${column(name)}`;
  const indexes = touchedIndexes(table, columns).map((index) =>
    taken(table, index, updatedValue(columns, stored), 'item.id'),
  );
  return `SELECT ${indexes.join(', ')} FROM ${rowsOf(updateInputs(columns))}
JOIN ${postgresDialect.table(table.name)} AS record ON record.${objectId} = item.id`;
}

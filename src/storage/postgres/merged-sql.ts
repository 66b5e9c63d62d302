/**
 * The *merged* statements execute many batches in one statement, and so in one transaction: it checks the batches,
 * enters the valid ones in the history, and writes their items; the others are left out. All take locks in one order,
 * so that two of them (also of two instances) rarely deadlock: records by objectId, then the history by transaction id,
 * the counter of commits, then new records.
 */
import type { IndexEntry } from '../../schema/index-entry.ts';
import type { Column, Table } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import type { Change } from '../contract.ts';
import { isTooLargeSql } from '../index-size.ts';
import { operationsText } from '../judge.ts';
import { takeNumbers } from './commit-counter.ts';
import { batchInputs, further, type Inputs, rowsOf, valueInputs } from './write-inputs.ts';
import {
  type AudienceChange,
  addedValue,
  addInputs,
  column,
  columnOf,
  created,
  insertFrom,
  lockedRecords,
  milliseconds,
  objectId,
  overOlder,
  tableSql,
  taken,
  touchedIndexes,
  uniqueIndexes,
  updated,
  updatedValue,
  updateFields,
  updateFrom,
} from './write-sql.ts';

const isCurrent = (versionSql: string) => `(SELECT definition_version FROM "~"._space) = ${versionSql}`;

/** @param batches SQL of one row per batch, with the columns of `batchInputs`, and its answer */
const noting = (operation: Change['operation'], table: Table, batches: string) => `INSERT INTO "~"._history
  (transaction_id, request_hash, attempt, answer, time, user_id, operations)
  SELECT tx, hash, mark, answer, now, writer, '${operationsText([[operation, table.id]])}' FROM ${batches}
  ORDER BY tx COLLATE "C" ON CONFLICT (transaction_id) DO NOTHING RETURNING transaction_id`;

const noted = (tx: string) => `(${tx} IN (SELECT transaction_id FROM noted)) IS TRUE`;

/**
 * The commit numbers of a merged statement: taken when all its batches are in the history. Further parameter 2: the
 * number of batches.
 */
const counted = (inputs: Inputs) =>
  `counted AS (${takeNumbers(further(inputs, 2, 'bigint'), '(SELECT count(*) FROM noted) > 0')})`;

/** The number of an item's batch. */
const numbered = '(SELECT last FROM counted) - item.after';

export const mergedAddInputs = (table: Table): Inputs => [...batchInputs, ['answer', 'text'], ...addInputs(table)];

/**
 * Returns the transaction ids that were executed, each followed by a null. Further parameters: the definition's
 * version, the number of batches.
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
  // Another instance may add and delete an id between the check of its tombstone and the insert.
  const checked = isGiven
    ? `, (SELECT "~"._not_deleted_since(${table.id}, array_agg(id), array_agg(${milliseconds('time')})) FROM written) AS checked(ok)
WHERE ok`
    : '';
  return `WITH item AS MATERIALIZED (SELECT * FROM ${rowsOf(inputs)}),
noted AS (
  ${noting('add', table, `item WHERE hash IS NOT NULL AND ${isCurrent(further(inputs, 1, 'bigint'))} ${sound}`)}
),
${counted(inputs)},
written AS (${insertFrom(table, `item WHERE ${noted('tx')}`, numbered)} RETURNING ${objectId} AS id, ${updated} AS time)
SELECT transaction_id, NULL::text FROM noted${checked}`;
}

const changeFields: Inputs = [
  ...batchInputs,
  ['size', 'integer'],
  ['id', 'text'],
  ['base', 'timestamptz'],
  ['members', 'text'],
];

interface MergedChange {
  readonly operation: Change['operation'];
  readonly inputs: Inputs;
  /** Columns kept for each locked record, besides the item's own inputs. */
  readonly kept: readonly string[];
  /** Conditions on a locked item under which its batch is left out. */
  readonly flaws: readonly string[];
  /** SQL of the serverUpdateTime in the item's result. */
  readonly answered: string;
  /** The parts after `counted`. */
  readonly writes: readonly string[];
}

/**
 * Returns the transaction ids that were executed, with their results. Further parameters: the definition's version, the
 * number of batches.
 */
function mergedChange(table: Table, merged: MergedChange): string {
  const { operation, inputs, kept, flaws, answered, writes } = merged;
  const selected = ['item.*', `record.${created} AS created`, ...kept].join(', ');
  const answer = `'[' || string_agg('[' || to_json(id) || ',' || ${milliseconds('created')} || ',' || ${milliseconds(answered)} || ']', ',' ORDER BY n) || ']'`;
  const sound = flaws.length === 0 ? '' : ` AND NOT bool_or(${flaws.join(' OR ')})`;
  return `WITH item AS MATERIALIZED (SELECT * FROM ${rowsOf(inputs)}),
locked AS MATERIALIZED (
  ${lockedRecords(table, selected, 'item', 'item.members::text[]')} AND record.${updated} = item.base
  ORDER BY record.${objectId} FOR UPDATE OF record
),
sound AS (
  SELECT tx, max(hash) AS hash, max(mark) AS mark, max(now) AS now, max(writer) AS writer, ${answer} AS answer
  FROM locked AS item GROUP BY tx HAVING count(*) = max(size)${sound}
),
noted AS (
  ${noting(operation, table, `sound WHERE ${isCurrent(further(inputs, 1, 'bigint'))}`)}, answer
),
${counted(inputs)},
${writes.join(',\n')}
SELECT transaction_id, answer FROM noted`;
}

export const mergedUpdateInputs = (columns: readonly Column[], audience: AudienceChange): Inputs => [
  ...changeFields,
  ...updateFields(audience),
  ...valueInputs(columns),
];

/** The entries of indexes that such an update may make larger (`index-size.ts`). */
function touchedEntries(table: Table, columns: readonly Column[], audience: AudienceChange): readonly IndexEntry[] {
  const sent = new Set(columns.map(({ name }) => name));
  return table.entries.filter(({ texts }) => audience === 'sent' || texts.some((name) => sent.has(name)));
}

export function mergedUpdate(table: Table, columns: readonly Column[], audience: AudienceChange): string {
  const indexes = touchedIndexes(table, columns);
  const entries = touchedEntries(table, columns, audience);
  const stored = entries.flatMap(({ texts }) => texts).filter((name) => !columns.some((sent) => sent.name === name));
  const names = [...new Set([...indexes.flatMap((index) => index.columns), ...stored])];
  const position = (name: string) => `item.s${names.indexOf(name)}`;
  const owner = `CASE item.audience WHEN 'u' THEN 'u' || record.${column(systemName.createUserId)} ELSE item.audience END`;
  const audienceAfter = audience === 'sent' ? owner : 'record."_audience"';
  const kept = names.map((name, index) => `record.${columnOf(table)(name)} AS s${index}`);
  const value = updatedValue(columns, position);
  const entrySql = { column: value, audience: 'item.audience_after', objectId: 'item.id' };
  const written = updateFrom(table, columns, audience === 'sent' ? owner : null, {
    from: 'locked AS item',
    seq: numbered,
    where: ` AND ${noted('item.tx')}`,
  });
  return mergedChange(table, {
    operation: 'update',
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

export const mergedDeleteInputs: Inputs = [...changeFields, ['time', 'bigint']];

/** Deletes nothing before the counter is locked: others may wait for values of unique indexes that a deletion frees. */
function deletion(table: Table): readonly string[] {
  return [
    `gone AS (DELETE FROM ${tableSql(table)} AS record USING locked AS item
  WHERE record.${objectId} = item.id AND ${noted('item.tx')} AND (SELECT last FROM counted) IS NOT NULL
  RETURNING item.id, item.time, ${numbered} AS seq, record."_audience" AS audience)`,
    `tombs AS (INSERT INTO "~"._tombstone (table_id, object_id, time, seq, audience)
  SELECT ${table.id}, id, time, seq, audience FROM gone
  ${overOlder})`,
  ];
}

export function mergedDelete(table: Table): string {
  return mergedChange(table, {
    operation: 'delete',
    inputs: mergedDeleteInputs,
    kept: [],
    flaws: [],
    answered: 'base',
    writes: deletion(table),
  });
}

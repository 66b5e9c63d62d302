/** The values that a writing statement takes: one array per column, so it is the same for one item and for many. */
import type { Column } from '../../schema/model.ts';
import { sqlType } from './dialect.ts';

/** The input arrays of a statement, in the order of its placeholders: their names in the SQL, and their types. */
export type Inputs = readonly (readonly [name: string, type: string])[];

/**
 * Every item has the transaction id of its batch and the number of batches `after` it; only the first item of a batch
 * has the other inputs, which are null in the rest.
 */
export const batchInputs: Inputs = [
  ['tx', 'text'],
  ['after', 'integer'],
  ['hash', 'text'],
  ['mark', 'text'],
  ['now', 'bigint'],
  ['writer', 'bigint'],
];

/** One row per item, `n` counting them. Further parameters of the statement follow the arrays. */
export function rowsOf(inputs: Inputs): string {
  const arrays = inputs.map(([, type], index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS item(${inputs.map(([name]) => name).join(', ')}, n)`;
}

export const further = (inputs: Inputs, offset: number, type: string) => `$${inputs.length + offset}::${type}`;

/** Inputs for columns of the table. */
export const valueInputs = (columns: readonly Column[]): Inputs =>
  columns.map(({ type }, index) => [`c${index}`, sqlType(type)] as const);

/**
 * The data space's single row, added to an `INSERT … SELECT` from arrays alone: Citus sends such a statement to the
 * node of the tables that it reads, and would otherwise execute it itself, row by row, with a two-phase commit.
 */
export const besideSpace = '"~"._space AS space, ';

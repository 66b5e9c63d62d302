/** The values that a writing statement takes: one array per column, so it is the same for one item and for many. */
import type { Column } from '../../schema/model.ts';
import { sqlType } from './dialect.ts';

/** The arrays that a statement takes, in the order of its placeholders: their names in the SQL, and their types. */
export type Inputs = readonly (readonly [name: string, type: string])[];

/**
 * Every item carries the transaction id of its batch and how many batches come `after` it; the first item also the others,
 * which are null at the rest.
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

/** Of columns of the table. */
export const valueInputs = (columns: readonly Column[]): Inputs =>
  columns.map(({ type }, index) => [`c${index}`, sqlType(type)] as const);

/**
 * The data space's only row, for an `INSERT … SELECT` from arrays alone: Citus sends one to the node of the tables that it reads
 * from, and would carry another out itself, row by row, in a commit of two phases.
 */
export const besideSpace = '"~"._space AS space, ';

/** What compiling yields, and the only thing of a query that an engine sees: SQL, and how its values are bound. */
import type { Folds } from '../schema/fold.ts';
import type { ColumnType, StoredValue } from '../schema/model.ts';

/** One array of the answer: the records of one alias. */
export interface Output {
  /** Key in the answer: the alias (expression form) or the table name (older form, single GET). */
  readonly key: string;
  /** In the order of the selected columns; the outputs' columns follow each other in the row. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
}

/** What differs from one request to the next of the same shape. */
export interface Inputs {
  /** Values of the `?`, in order, as sent (strings). */
  readonly parameters: readonly (string | null)[];
  /** The caller's audiences (`schema/audience.ts`, membersOf). */
  readonly members: readonly string[];
  readonly offset?: number;
  readonly limit?: number;
}

/** A value as an engine's driver takes it. */
export type BoundValue = string | number | bigint | null;

/** A compiled shape, immutable and shareable between requests of the same data space definition. */
export interface Statement {
  /** Unique in the process; engines key their prepared statements by it. */
  readonly id: number;
  readonly sql: string;
  /** Empty for a count, whose one row holds one integer. */
  readonly outputs: readonly Output[];
  /** Whether what it takes for a row is bounded by the size of the row (`compile/light.ts`). */
  readonly isLight?: boolean;
  /**
   * The values for the SQL's placeholders, in their order.
   * @throws ServiceError `malformed` when a parameter does not fit the type it is compared with, or their number differs.
   */
  bind(inputs: Inputs): BoundValue[];
  /** The same rows in steps, for an engine whose functions used up their memory; absent where the SQL calls none. */
  readonly inSteps?: () => SteppedStatement;
}

export interface Bindable {
  readonly sql: string;
  bind(inputs: Inputs): BoundValue[];
}

/**
 * A statement whose functions were called beforehand: each fill yields a record's row number and a value, which `main` reads
 * from the temporary table of that name.
 */
export interface SteppedStatement {
  readonly fills: readonly (Bindable & { readonly table: string })[];
  readonly main: Bindable;
}

/** What stands at a placeholder: a value of a type, a LIKE pattern (`boundPattern`), or the members (`boundMembers`). */
export type BoundKind = ColumnType | 'pattern' | 'members';

/** Pieces of SQL: `where` and `order` name the table's columns by `name`, and the audience as `m.audience`. */
export interface FirstOfEach {
  readonly table: string;
  readonly name: string;
  /** Those that the query reads of the table, by `name`. */
  readonly columns: string;
  readonly members: string;
  readonly where: string;
  readonly order: string;
  readonly rows: string;
}

/** How a statement reads what was computed beforehand (`SteppedStatement`); `table` is a temporary one. */
export interface Stepping {
  /** Number of the record of a table or sub-select. */
  rowNumber(alias: string): string;
  /** The number as a column of a sub-select, under which `rowNumber` finds it. */
  readonly selectedRowNumber: string;
  /** The value of the record, NULL where there is none. */
  computed(table: string, rowNumberSql: string): string;
  /** The fold of a column of which the texts with others than ASCII characters were computed. */
  computedFold(columnSql: string, folds: Folds, computedSql: string): string;
  /** Condition: the column's text has a character outside ASCII. */
  needsComputing(columnSql: string): string;
}

/** The differences between engines that compiling needs to know; implemented in `storage/<engine>/dialect.ts`. */
export interface Dialect {
  /** A name that has passed the catalogue, quoted; reserved names come out as their physical name. */
  table(name: string): string;
  column(name: string): string;
  /**
   * The placeholder of the n-th bound value, from 1.
   * @param isNext it stands here for the first time, after all those before it: then it may go without its number
   * @param kind what is bound to it, for engines that have to be told
   */
  placeholder(position: number, isNext: boolean, kind: BoundKind): string;
  /** NULL that stands where a value of the type does. */
  nullOf(type: ColumnType): string;
  /** How a column is selected so that its wire text can be made (64-bit values as text). */
  selected(columnSql: string, type: ColumnType): string;
  /** A value of a type as the driver takes it. */
  bound(value: StoredValue, type: ColumnType): BoundValue;
  /**
   * Condition: the record's audience is one of the members bound at the placeholder (as from `boundMembers`).
   * @param isSought whether the planner may look for the records by their audience
   */
  visible(audienceSql: string, membersPlaceholder: string, isSought: boolean): string;
  /** The same condition, for a statement that finds one record by its id: written to cost least for a single row. */
  visibleRecord(audienceSql: string, membersPlaceholder: string): string;
  /**
   * What stands behind FROM to get, for each audience `m.audience` that the members bound at the placeholder belong to,
   * the first records of the table in an order, under the name.
   */
  firstOfEach(page: FirstOfEach): string;
  boundMembers(members: readonly string[]): BoundValue;
  /**
   * Condition that stops a statement past its time limit, for the row of the given table alias; null for none.
   * @param isAlone whether it is the only table, each of whose rows is visited a bounded number of times
   */
  withinDeadline(tableAlias: string, isAlone: boolean): string | null;
  /**
   * Condition `operand LIKE pattern`, case-sensitive, the pattern bound as `boundPattern` made it. The time that it may
   * take is bounded also for a hostile pattern on a long text, which is possible where not `isShort`.
   * @param isColumn whether the operand is a bare column, which costs nothing to be written several times
   */
  like(operandSql: string, patternPlaceholder: string, isShort: boolean, isColumn: boolean): string;
  /** @param escapedBy one character or null (no escape character at all) */
  boundPattern(pattern: string, escapedBy: string | null): string;
  /** The simple case folds of one shipped table, of a column. */
  fold(columnSql: string, folds: Folds): string;
  /**
   * 64-bit integer arithmetic whose overflow is NULL.
   * @param isOperand whether the result is an operand of further arithmetic
   */
  arithmetic(operator: '+' | '-' | '*', leftSql: string, rightSql: string, isOperand: boolean): string;
  /** For an engine whose functions keep memory until the statement goes on to its next row; null for one that has none. */
  readonly stepping: Stepping | null;
  /** A decimal or an integer as a decimal with so many more digits after the point; known not to overflow. */
  rescaled(operandSql: string, digits: number): string;
  /** The words of an inner join; `inOrder` when its tables are best taken in the order in which they stand. */
  innerJoin(inOrder: boolean): string;
  /** LIMIT and OFFSET, both bound as longs; a negative limit means none. */
  range(limitPlaceholder: string, offsetPlaceholder: string): string;
  /**
   * `column DESC` or `column` so that nulls sort first ascending and last descending.
   * @param isNeverNull there are no nulls to sort: the objectId of a record that is there
   */
  sorted(columnSql: string, descending: boolean, isNeverNull: boolean): string;
}

/** The result of compiling, and the only part of a query that an engine sees: SQL, and how its values are bound. */
import type { Folds } from '../schema/fold.ts';
import type { Column, ColumnType, NumberedIndex, NumberedTable, StoredValue } from '../schema/model.ts';
import type { QueryTerm } from '../schema/terms.ts';
import type { Zone } from '../schema/time.ts';
import type { AggregateName } from './language.ts';

export type DatePart = 'year' | 'month' | 'day';

/** One array of the answer: the records of one alias. */
export interface Output {
  /** Key in the answer: the alias (expression form) or the table name (older form, single GET). */
  readonly key: string;
  /** In the order of the selected columns and values; a row holds the columns of one output after the other. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
}

/** How a row becomes JSON. */
export interface RowsOutput {
  /** Values are JSON of their type; otherwise text. */
  readonly typed: boolean;
  /**
   * A row holds the record of each output under its key, null for the missing side of a join; otherwise the columns of
   * the only output.
   */
  readonly nested: boolean;
  /** The types of the keys of the order, whose values follow the outputs in each row; empty where there is no cursor. */
  readonly keys: readonly ColumnType[];
  /** Identifies the order, whatever its columns are called (`compile/order-identity.ts`); null where there is no cursor. */
  readonly order: string | null;
  /** Further rows may follow, which another statement finds (`compile/order.ts`). */
  readonly leavesRows: boolean;
}

/** How the rows of a statement become JSON. */
export type AnswerForm = Pick<Statement, 'outputs' | 'rows'>;

/** What differs between requests of the same shape. */
export interface Inputs {
  /** Values of the `?`, in order, as strings as they were sent. */
  readonly parameters: readonly (string | null)[];
  /** The caller's audiences (`schema/audience.ts`, membersOf). */
  readonly members: readonly string[];
  readonly offset?: number;
  readonly limit?: number;
  /** For a page that follows another: the keys of the row before it, as wire text. */
  readonly after?: readonly (string | null)[];
  /** The order (`RowsOutput.order`) that the row has these keys in; absent for a first page. */
  readonly order?: string;
  /** The time that NOW() stands for, in milliseconds since 1970; may be absent only without NOW(). */
  readonly now?: number;
}

/** A value in the form that the engine's driver takes. */
export type BoundValue = string | number | bigint | null;

/** A compiled shape: immutable, and shared by all requests of the same data space definition. */
export interface Statement {
  /** Unique in the process; engines use it as the key of their prepared statements. */
  readonly id: number;
  readonly sql: string;
  /** Empty for a count, whose one row holds one integer. */
  readonly outputs: readonly Output[];
  /** Absent if the answer has an array for each output; otherwise the answer has one array of rows. */
  readonly rows?: RowsOutput;
  /** Whether the work for a row is bounded by the size of the row (`compile/light.ts`). */
  readonly isLight?: boolean;
  /**
   * The values for the SQL's placeholders, in their order.
   * @throws ServiceError `malformed` when a parameter does not fit the type it is compared with, or the number of
   * parameters is wrong
   */
  bind(inputs: Inputs): BoundValue[];
  /** SQL that finds several records by their objectIds, beside `sql`, which finds one; for an engine with `Dialect.merged`. */
  readonly merged?: string;
  /**
   * The same rows, found by walking an index in their order, if the planner might instead sort all rows that meet the
   * condition; for an engine with `Dialect.triesWalks`.
   */
  readonly inOrder?: () => Bindable & { readonly id: number };
  /** The same rows where a sum overflows and `sql` fails; absent where none can (`Dialect.sumOverflows`). */
  readonly withWideSums?: () => Bindable & { readonly id: number };
  /**
   * The same rows in steps, for an engine whose functions have used up their memory; absent where the SQL calls no
   * function.
   */
  readonly inSteps?: () => SteppedStatement;
}

export interface Bindable {
  readonly sql: string;
  bind(inputs: Inputs): BoundValue[];
}

/**
 * A statement whose functions are called beforehand: each fill returns the row number of a record and a value, which
 * `main` reads from the temporary table of that name.
 */
export interface SteppedStatement {
  readonly fills: readonly (Bindable & { readonly table: string })[];
  readonly main: Bindable;
}

/**
 * What is bound at a placeholder: a value of a type, a LIKE pattern (`boundPattern`), the terms of a MATCH (`boundTerms`), or the
 * members (`boundMembers`).
 */
export type BoundKind = ColumnType | 'pattern' | 'terms' | 'members';

/** A search for the records of a table that have terms; columns are written without the table's name. */
export interface TermsSearch {
  readonly table: Pick<NumberedTable, 'id' | 'name' | 'stored'>;
  /** The column that holds their terms. */
  readonly column: Column;
  /** Placeholder. */
  readonly terms: string;
}

/** Pieces of SQL: `where` and `order` write the table's columns as `name`, and the audience as `m.audience`. */
export interface FirstOfEach {
  readonly table: string;
  readonly name: string;
  /** The table's columns that the query reads, under `name`. */
  readonly columns: string;
  readonly members: string;
  readonly where: string;
  readonly order: string;
  readonly rows: string;
  /** The index to walk, which has the order's first column after the audience; null to leave that to the planner. */
  readonly walked: WalkedIndex | null;
}

export interface WalkedIndex {
  readonly table: Pick<NumberedTable, 'id'>;
  /** Null for the index on the audience and the objectId. */
  readonly index: Pick<NumberedIndex, 'number'> | null;
}

/**
 * One statement for several records: `each` finds one of them; its id and members are names instead of placeholders.
 * Its rows end with the number of the wanted record, from 1.
 */
export interface MergedRecords {
  readonly id: string;
  readonly members: string;
  sql(each: string): string;
}

/** How a statement reads what was computed beforehand (`SteppedStatement`); `table` is a temporary table. */
export interface Stepping {
  /** Number of the record of a table or sub-select. */
  rowNumber(alias: string): string;
  /** The number as a column of a sub-select, where `rowNumber` finds it. */
  readonly selectedRowNumber: string;
  /** The value of the record, or NULL where there is none. */
  computed(table: string, rowNumberSql: string): string;
  /** The folded column, where texts with characters outside ASCII were computed beforehand. */
  computedFold(columnSql: string, folds: Folds, computedSql: string): string;
  /** Condition: the column's text has a character outside ASCII. */
  needsComputing(columnSql: string): string;
}

export interface AggregateSql {
  readonly parts: readonly string[];
  /** @param columns SQL of the parts, in order */
  value(columns: readonly string[]): string;
}

/** The differences between engines that compiling depends on; implemented in `storage/<engine>/dialect.ts`. */
export interface Dialect {
  /** A name that the catalogue knows, quoted; reserved names become their physical name. */
  table(name: string): string;
  column(name: string): string;
  /**
   * The placeholder of the n-th bound value, from 1.
   * @param isNext whether it occurs here for the first time, after all lower ones, so that its number may be omitted
   * @param kind what is bound to it, for engines that need the type
   */
  placeholder(position: number, isNext: boolean, kind: BoundKind): string;
  /** NULL in a position where a value of the type is expected. */
  nullOf(type: ColumnType): string;
  /** How a column is selected so that its wire text can be made (64-bit values as text). */
  selected(columnSql: string, type: ColumnType): string;
  /** The same for a computed value, which need not have the digits of its type. */
  computed(valueSql: string, type: ColumnType): string;
  /** The statement of rows that are grouped by columns of it, so that the planner reads them in the order that is best without that. */
  rowsToGroup(rowsSql: string): string;
  /**
   * An aggregate as columns of the grouping statement, and the SQL of its value from them, which may be repeated.
   * @param operandSql null for COUNT(*), as is the type
   * @param isWide whether a sum may not fail where `sumOverflows`
   */
  aggregate(
    name: AggregateName,
    distinct: boolean,
    operandSql: string | null,
    type: ColumnType | null,
    isWide: boolean,
  ): AggregateSql;
  /** Whether a sum of values of the type can need more digits than the engine's own sums have, which then fail. */
  sumOverflows(type: ColumnType): boolean;
  /** A condition (or null) on the number of a group, from 1; a group beyond the maximum makes the statement fail. */
  withinGroups(numberSql: string, groupsMax: number, conditionSql: string | null): string;
  /** SQL that computes the operands once, although the written SQL repeats them. */
  computedOnce(operandSqls: readonly string[], write: (names: readonly string[]) => string): string;
  /** A value of a type in the form that the driver takes. */
  bound(value: StoredValue, type: ColumnType): BoundValue;
  /**
   * Condition: the record's audience is one of the members bound at the placeholder (`boundMembers`).
   * @param isSought whether the planner may look the records up by their audience
   */
  visible(audienceSql: string, membersPlaceholder: string, isSought: boolean): string;
  /**
   * The same condition, for a statement that finds one record by its id: written for the lowest cost on a single row.
   */
  visibleRecord(audienceSql: string, membersPlaceholder: string): string;
  /**
   * The FROM item, under the given name: for each audience `m.audience` of the members bound at the placeholder, the
   * first records of the table in an order.
   */
  firstOfEach(page: FirstOfEach): string;
  /** Whether the engine tries both plans (`Statement.inOrder`), because its planner can't know the faster one. */
  readonly triesWalks: boolean;
  boundMembers(members: readonly string[]): BoundValue;
  /** For an engine that reads several records by one statement; null for one that does not. */
  readonly merged: MergedRecords | null;
  /**
   * Condition that stops a statement at its time limit, for the row of the given table alias; null for none.
   * @param isAlone whether it is the only table, so that each row is visited a bounded number of times
   */
  withinDeadline(tableAlias: string, isAlone: boolean): string | null;
  /**
   * Condition `operand LIKE pattern`, case-sensitive, with the pattern as `boundPattern` made it. Its time is bounded
   * even for a hostile pattern on a long text, which can occur where `isShort` is false.
   * @param columnSql the operand's column, possibly case-folded; null for other computed operands
   */
  like(operandSql: string, patternPlaceholder: string, isShort: boolean, columnSql: string | null): string;
  /** @param escapedBy one character or null (no escape character at all) */
  boundPattern(pattern: string, escapedBy: string | null): string;
  /** The terms of a MATCH, which must all be present; an empty list matches no text. */
  boundTerms(terms: readonly QueryTerm[]): BoundValue;
  /** Condition: the terms in the column include those bound at the placeholder; NULL if either is missing. */
  hasTerms(columnSql: string, termsPlaceholder: string): string;
  /** The same, written so that records are found by it. */
  foundByTerms(search: TermsSearch): string;
  /** The simple case folds of the shipped table, applied to a column. */
  fold(columnSql: string, folds: Folds): string;
  /**
   * Exact arithmetic whose overflow is NULL: of 64-bit integers, or of decimals of at most 18 digits.
   * @param operator of the form `arithmetic` in `language.ts`; `+` and `-` have operands of one scale
   * @param isOperand whether the result is an operand of further arithmetic
   */
  arithmetic(operator: string, leftSql: string, rightSql: string, result: ColumnType, isOperand: boolean): string;
  /** A decimal, rounded half away from zero; NULL for a divisor of 0 and for an overflow. */
  quotient(leftSql: string, rightSql: string, operands: readonly ColumnType[], result: ColumnType): string;
  /** A decimal or an integer with fewer digits after the point, rounded half away from zero. */
  rounded(operandSql: string, from: ColumnType, to: ColumnType): string;
  /** The absolute value; NULL for the lowest long, whose absolute value is not a long. */
  magnitude(operandSql: string, type: ColumnType): string;
  /** Part of a text, in code points. @param from 1 or more; `count` 0 or more, or null for the rest */
  substring(textSql: string, fromSql: string, countSql: string | null): string;
  /** A part of a datetime, in the time zone. */
  datePart(part: DatePart, instantSql: string, zone: Zone): string;
  /** A text, or a number as a double, in a json column; NULL where the path leads to nothing or to another type. */
  json(columnSql: string, pathSql: string, kind: 'text' | 'number'): string;
  /** For an engine whose functions keep memory until the statement's next row; null for other engines. */
  readonly stepping: Stepping | null;
  /**
   * A decimal or an integer as a decimal with more digits after the point; the check has excluded overflow. @param
   * isWide whether the result may need more than 64 bits although the operand does not
   */
  rescaled(operandSql: string, digits: number, isWide: boolean): string;
  /**
   * Whether a sub-query that compares columns without an index is better written as a list of values: the engine
   * computes a list once, but would search the records again for each row.
   */
  readonly listsOnce: boolean;
  /** The keywords of an inner join; `inOrder` when its tables are best taken in the written order. */
  innerJoin(inOrder: boolean): string;
  /** LIMIT and OFFSET, both bound as longs; a negative limit means none. */
  range(limitPlaceholder: string, offsetPlaceholder: string): string;
  /**
   * `column DESC` or `column`, with nulls first in ascending and last in descending order.
   * @param isNeverNull the column has no nulls: the objectId of a record that exists
   */
  sorted(columnSql: string, descending: boolean, isNeverNull: boolean): string;
}

/** The types of queries and of their answers. */
import type { Column, ColumnOrder, Order, Part, ResultOf, Valued, Where } from './expression.ts';
import type { Kind } from './tables.ts';

/** The columns of a table, as expressions. */
export type Columns<Types> = { readonly [Name in keyof Types]: Column<Types[Name] & (Kind | null)> };
type Nullable<Types> = { readonly [Name in keyof Types]: (Types[Name] & Kind) | null };

/** A joined table: its row, null if it may be missing, and its columns. */
export interface Source {
  readonly row: unknown;
  readonly columns: object;
}
export type Sources = Readonly<Record<string, Source>>;
export type Missing<All> = { [Alias in keyof All]: All[Alias] extends Source ? MayMiss<All[Alias]> : never };
export type MayMiss<One extends Source> = { row: One['row'] | null; columns: Nullable<One['columns']> };
export type ColumnsOf<Joins> = {
  readonly [Alias in keyof Joins]: Joins[Alias] extends Source ? Columns<Joins[Alias]['columns']> : never;
};
type RowsOf<Joins> = { [Alias in keyof Joins]: Joins[Alias] extends Source ? Joins[Alias]['row'] : never };

/** The content of a row: names of columns, or an object of expressions. */
export type Selection<Base extends Source, Joins> =
  | readonly (keyof Base['columns'] & string)[]
  | ((table: Columns<Base['columns']>, joined: ColumnsOf<Joins>) => Readonly<Record<string, Valued>>);

/** A row of the answer: whole records if `select` is absent, since `S` is then the whole constraint. */
export type Selected<Name extends string, Base extends Source, Joins, S> =
  Selection<Base, Joins> extends S
    ? keyof Joins extends never
      ? Base['row']
      : RowsOf<Joins> & { [Alias in Name]: Base['row'] }
    : S extends readonly (infer Column)[]
      ? Picked<Base['row'], Column>
      : S extends (...input: never) => infer Values
        ? { [Value in keyof Values]: ResultOf<Values[Value]> }
        : never;

/** The columns of a row, each nullable if the row may be missing. */
type Picked<Row, Column> = null extends Row
  ? { [Name in Column & keyof NonNullable<Row>]: NonNullable<Row>[Name] | null }
  : Pick<Row, Column & keyof Row>;

/** A function, such as `(task) => task.title.eq('a')`. It gets the columns of the table, and those of joined tables. */
type FromColumns<Base extends Source, Joins, Result> = (
  table: Columns<Base['columns']>,
  joined: ColumnsOf<Joins>,
) => Result;

export interface EveryOptions<Base extends Source, Joins, S> {
  readonly select?: S;
  readonly where?: FromColumns<Base, Joins, Where>;
  /** Which groups; all rows are one where there is no `groupBy`. */
  readonly having?: FromColumns<Base, Joins, Where>;
  readonly limit?: number;
  /** How many rows to skip; pages by cursor cost less. */
  readonly offset?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A query of rows. */
export interface RowOptions<Base extends Source, Joins, S> extends EveryOptions<Base, Joins, S> {
  /** Rows with equal keys are ordered by id. */
  readonly orderBy?: FromColumns<Base, Joins, ColumnOrder | readonly ColumnOrder[]>;
  readonly groupBy?: undefined;
  readonly distinct?: false;
}

/** A query of groups. */
export interface GroupOptions<Base extends Source, Joins, S> extends EveryOptions<Base, Joins, S> {
  /** Any value; one with parameters must be in `select`, too. */
  readonly orderBy?: FromColumns<Base, Joins, Order | readonly Order[]>;
  /** One row for each group of rows that share these values. A value with parameters must be in `select`, too. */
  readonly groupBy: FromColumns<Base, Joins, readonly Part[]>;
  readonly distinct?: false;
}

/** A query that answers equal rows once. */
export interface DistinctOptions<Base extends Source, Joins, S> extends EveryOptions<Base, Joins, S> {
  /** Values of `select`. */
  readonly orderBy?: FromColumns<Base, Joins, Order | readonly Order[]>;
  readonly groupBy?: undefined;
  readonly distinct: true;
}

/** The options of a query. Functions get the columns of the table, and those of joined tables by their aliases. */
export type QueryOptions<Base extends Source, Joins, S> =
  | RowOptions<Base, Joins, S>
  | GroupOptions<Base, Joins, S>
  | DistinctOptions<Base, Joins, S>;

/** A page of the rows, and the cursor of the next page: null after the last. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next: string | null;
}

/** Queries of one table, or of several joined ones: turn typed options into the body of a select request. */
import { Invalid } from './errors.ts';
import {
  and,
  type ComparableWith,
  type Condition,
  composed,
  condition,
  Expression,
  type Order,
  type Part,
  type Typed,
  textPart,
  type Valued,
  type Where,
} from './expression.ts';
import type {
  Columns,
  ColumnsOf,
  EveryOptions,
  MayMiss,
  Missing,
  Page,
  QueryOptions,
  Selected,
  Selection,
  Source,
  Sources,
} from './query-types.ts';
import { type Reading, tablesIn } from './reading.ts';
import type { AnyTables, Kind } from './tables.ts';
import { type BodyOf, plain, type Transport } from './transport.ts';

interface Join {
  readonly entity: string;
  readonly entityAlias: string;
  readonly type: string;
  readonly expression: Part;
}

type SelectBody = BodyOf<'select'>;

const pageRows = 100;

/** Rows of a table `Name` and of the tables joined with it. */
export class Query<
  Tables extends AnyTables<Tables>,
  Name extends keyof Tables & string,
  Base extends Source,
  Joins extends Sources,
> {
  /** The table that the query begins with; its alias is its name. */
  readonly table: Name;
  protected readonly transport: Transport;
  readonly #joins: readonly Join[];

  constructor(transport: Transport, table: Name, joins: readonly Join[] = []) {
    this.transport = transport;
    this.table = table;
    this.#joins = joins;
  }

  /** Rows with a match in both. */
  join<Alias extends string, Other extends keyof Tables & string>(
    alias: Alias,
    table: Other,
    on: (table: Columns<Base['columns']>, joined: ColumnsOf<Joins & { [A in Alias]: Tables[Other] }>) => Where,
  ): Query<Tables, Name, Base, Joins & { [A in Alias]: Tables[Other] }> {
    return this.#joined('JOIN', alias, table, on as never);
  }

  /** All rows so far; the joined table is null without a match. */
  leftJoin<Alias extends string, Other extends keyof Tables & string>(
    alias: Alias,
    table: Other,
    on: (table: Columns<Base['columns']>, joined: ColumnsOf<Joins & { [A in Alias]: Tables[Other] }>) => Where,
  ): Query<Tables, Name, Base, Joins & { [A in Alias]: MayMiss<Tables[Other]> }> {
    return this.#joined('LEFT JOIN', alias, table, on as never);
  }

  /** All rows of the joined table; everything before it is null without a match. */
  rightJoin<Alias extends string, Other extends keyof Tables & string>(
    alias: Alias,
    table: Other,
    on: (table: Columns<Base['columns']>, joined: ColumnsOf<Joins & { [A in Alias]: Tables[Other] }>) => Where,
  ): Query<Tables, Name, MayMiss<Base>, Missing<Joins> & { [A in Alias]: Tables[Other] }> {
    return this.#joined('RIGHT JOIN', alias, table, on as never);
  }

  /** All rows of both. */
  fullJoin<Alias extends string, Other extends keyof Tables & string>(
    alias: Alias,
    table: Other,
    on: (table: Columns<Base['columns']>, joined: ColumnsOf<Joins & { [A in Alias]: Tables[Other] }>) => Where,
  ): Query<Tables, Name, MayMiss<Base>, Missing<Joins & { [A in Alias]: Tables[Other] }>> {
    return this.#joined('FULL JOIN', alias, table, on as never);
  }

  #joined(type: string, entityAlias: string, entity: string, on: (table: never, joined: never) => Where): never {
    const join = { type, entity, entityAlias, expression: on(columnsOf(this.table) as never, aliases as never) };
    return new Query<Tables, Name, Base, Joins>(this.transport, this.table, [...this.#joins, join]) as never;
  }

  /** All rows, at most `limit`. A result that is too large for one answer is refused (212): read it in pages. */
  async select<const S extends Selection<Base, Joins>>(
    options?: QueryOptions<Base, Joins, S>,
  ): Promise<Selected<Name, Base, Joins, S>[]> {
    return (await this.#page(options as never)).rows as never;
  }

  /** The first row in order; null if there is none. */
  async first<const S extends Selection<Base, Joins>>(
    options?: QueryOptions<Base, Joins, S>,
  ): Promise<Selected<Name, Base, Joins, S> | null> {
    const [row] = await this.select({ ...options, limit: 1 } as QueryOptions<Base, Joins, S>);
    return row ?? null;
  }

  /** One page of `limit` rows, 100 by default: the first one, or the one at `after`, the previous page's `next`. */
  page<const S extends Selection<Base, Joins>>(
    options?: QueryOptions<Base, Joins, S> & { readonly after?: string | undefined },
  ): Promise<Page<Selected<Name, Base, Joins, S>>> {
    return this.#page({ limit: pageRows, ...options } as never, options?.after ?? '') as never;
  }

  /** All rows, page by page. Records added or deleted meanwhile do not shift other rows between pages. */
  async *pages<const S extends Selection<Base, Joins>>(
    options?: QueryOptions<Base, Joins, S>,
  ): AsyncGenerator<Selected<Name, Base, Joins, S>[], void, undefined> {
    for (let after: string | null = ''; after !== null; ) {
      const page: Page<Selected<Name, Base, Joins, S>> = await this.page({ ...options, after } as never);
      if (page.rows.length > 0) yield page.rows;
      after = page.next;
    }
  }

  /**
   * The rows of `select` as a reading, for hooks and caches.
   * @param options for whole records, `includes` decides whether one that this client added or changed is shown before
   * the next read
   */
  reading<const S extends Selection<Base, Joins>>(
    options: QueryOptions<Base, Joins, S> & {
      readonly includes?: (row: Selected<Name, Base, Joins, S>) => boolean;
    } = {},
  ): Reading<Selected<Name, Base, Joins, S>[]> {
    const { body, decoders, isWhole } = this.#request(options as never);
    const text = JSON.stringify(body, plain);
    return {
      key: this.transport.prefix + text + decoders,
      tables: tablesIn(text),
      isJson: decoders.length === 0,
      read: (signal) => this.select({ ...options, signal }),
      recordsOf: isWhole ? this.table : null,
      includes: options.includes,
    };
  }

  /** The number of rows. */
  async count(options: Pick<QueryOptions<Base, Joins, never>, 'where' | 'signal'> = {}): Promise<number> {
    const { body } = this.#request({ where: options.where } as never);
    const call = { params: { objectName: this.table }, body, signal: options.signal };
    return (await this.transport.send('count', call)).answer.count;
  }

  async #page(options: AnyOptions = {}, after?: string): Promise<Page<unknown>> {
    const { body, decoders, isWhole } = this.#request(options);
    const call = { params: { objectName: this.table }, body: { ...body, after } as SelectBody, signal: options.signal };
    const { answer } = await this.transport.send('select', call);
    const rows = isWhole ? answer.rows.map((row) => row[this.table]) : answer.rows;
    for (const [name, decode] of decoders) {
      for (const row of answer.rows) if (row[name] !== null) row[name] = decode(row[name] as never);
    }
    return { rows, next: answer.next };
  }

  #request({ select, where, orderBy, groupBy, having, distinct, limit, offset }: AnyOptions): Request {
    const table = columnsOf(this.table);
    const chosen = select && valuesOf(select, table);
    // Undefined members are not sent.
    const body = {
      from: { phyName: this.table, alias: this.table },
      join: this.#joins,
      where: where && { expression: where(table, aliases) },
      orderBy:
        orderBy && [orderBy(table, aliases)].flat().map((key) => ({ column: keyIn(chosen, key), type: key.type })),
      select: chosen?.map(([name, expression]) => ({ name, expression })),
      groupBy: groupBy?.(table, aliases).map((key) => keyIn(chosen, key)),
      having: having && { expression: having(table, aliases) },
      distinct,
      // The service refuses an offset without a limit.
      range: (limit ?? offset) === undefined ? undefined : { limit, offset },
    } as object as SelectBody;
    const decoders = (chosen ?? []).flatMap(([name, { decode }]) => (decode ? [[name, decode] as const] : []));
    return { body, decoders, isWhole: !chosen && !this.#joins[0] };
  }
}

interface Request {
  readonly body: SelectBody;
  readonly decoders: readonly (readonly [string, (value: never) => unknown])[];
  /** Whether rows are complete records of the table. */
  readonly isWhole: boolean;
}

type AnyColumns = Readonly<Record<string, Valued>>;
type AnySelection = readonly string[] | ((table: AnyColumns, joined: unknown) => AnyColumns);
type OfAny<Result> = (table: AnyColumns, joined: unknown) => Result;
interface AnyOptions
  extends Pick<EveryOptions<Source, object, AnySelection>, 'select' | 'limit' | 'offset' | 'signal'> {
  readonly where?: OfAny<Where>;
  readonly orderBy?: OfAny<Order | readonly Order[]>;
  readonly groupBy?: OfAny<readonly Part[]>;
  readonly having?: OfAny<Where>;
  readonly distinct?: boolean;
}

/** The text of a key: by its name among the selected values where it has parameters, as a key has no place for them. @throws Invalid */
function keyIn(chosen: readonly [string, Valued][] = [], { source, params }: Part): string {
  if (params.length === 0) return source;
  const same = chosen.find(([, one]) => one.source === source && one.params.every((param, at) => param === params[at]));
  if (same) return same[0];
  throw new Invalid({ message: `orderBy, groupBy: ${source} has parameters, but is not in select.` });
}

function valuesOf(select: AnySelection, table: AnyColumns): [string, Valued][] {
  if (typeof select === 'function') return Object.entries(select(table, aliases));
  return select.map((name) => [name, table[name] as Valued]);
}

/** Accepts any name as a column under the alias; the service refuses unknown ones. */
function columnsOf(alias: string): AnyColumns {
  return new Proxy({}, { get: (_, column) => new Expression(textPart(`#${alias}.${String(column)}`)) });
}

/** Accepts any name as an alias. */
const aliases: unknown = new Proxy({}, { get: (_, alias) => columnsOf(String(alias)) });

/** The table of a sub-query: a table of `db`, not a query with joins. */
interface Readable<Types> {
  readonly table: string;
  readonly columnKinds: Types;
}

/** The nesting depth of the current sub-query: each level has its own alias, which an app is unlikely to use. */
let level = 0;

function subQuery<Types>(
  { table }: Readable<Types>,
  make: (columns: Columns<Types>) => [value: Part, where: Where | undefined],
): Part {
  level++;
  try {
    const alias = `in__${level}`;
    const [value, where = and()] = make(columnsOf(alias) as never);
    return composed(['(SELECT ', ` FROM ${table} ${alias} WHERE `, ')'], [value, where]);
  } finally {
    level--;
  }
}

/** Whether the table has a record that the user may see and for which the condition is true. */
export function exists<Types>(table: Readable<Types>, where?: (columns: Columns<Types>) => Where): Condition {
  return condition`EXISTS ${subQuery(table, (columns) => [textPart('1'), where?.(columns)])}`;
}

/** Whether the value occurs in the records. For nulls see docs/reference/expression-language.md#sub-queries. */
export function isIn<Types, K extends Kind | null>(
  value: Typed<K>,
  table: Readable<Types>,
  column: (columns: Columns<Types>) => ComparableWith<K>,
  where?: (columns: Columns<Types>) => Where,
): Condition {
  return condition`${value} IN ${subQuery(table, (columns) => [column(columns), where?.(columns)])}`;
}

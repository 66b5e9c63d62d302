/**
 * What the records of tables will hold during a change, known before it is made. A new column holds null or its default
 * in every record; a converted one holds null where its former column does, and the same digits if it held an integer.
 * Other converted values are computed by the service (`conversion.ts`), so only the change itself knows them.
 */
import { isInteger, isText } from '../query/check/types.ts';
import type { BoundValue } from '../query/statement.ts';
import { parseStoredText } from '../schema/default-value.ts';
import type { ChangeStep, Column, ColumnType, NumberedTable } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import { systemName } from '../schema/system.ts';
import { audienceColumn, type LayoutDialect, tableSql } from './layout.ts';
import { type Records, storedRecords } from './present-records.ts';

/** The values of a column, as SQL on the stored record. */
interface Values {
  /** @param bind adds a value and returns its placeholder */
  sql(bind: (value: BoundValue, type: ColumnType) => string): string;
  /** False if the SQL is right only about which values are null. */
  readonly isKnown: boolean;
  readonly isNull?: true;
}

export class ExpectedValues {
  readonly #dialect: LayoutDialect;
  readonly #newTables = new Set<number>();
  /** Of the columns that the change adds. */
  readonly #added = new Map<string, Values>();

  constructor(dialect: LayoutDialect) {
    this.#dialect = dialect;
  }

  /** Whether the change creates the table, so that it has no records. */
  isNew({ id }: NumberedTable): boolean {
    return this.#newTables.has(id);
  }

  /** Whether `records` has the values of these columns, not only whether they are null. */
  isKnown(table: NumberedTable, columns: readonly Column[]): boolean {
    return columns.every((column) => this.#of(table, column).isKnown);
  }

  /** The records with their objectId, audience and these columns. */
  records(table: NumberedTable, columns: readonly Column[]): Records {
    if (!columns.some((column) => this.#added.has(key(table, column)))) return storedRecords(this.#dialect, table);
    const values: BoundValue[] = [];
    const bind = (value: BoundValue, type: ColumnType) => this.#dialect.placeholder(values.push(value), false, type);
    const objectId = this.#dialect.column(systemName.objectId);
    const others = columns
      .filter(({ name }) => name !== systemName.objectId)
      .map((column) => `${this.#of(table, column).sql(bind)} AS ${this.#stored(column)}`);
    const selected = [objectId, audienceColumn, ...others].join(', ');
    return { sql: `(SELECT ${selected} FROM ${tableSql(this.#dialect, table)}) AS "_expected"`, values };
  }

  /** Takes the step as done. */
  note(step: ChangeStep): void {
    const { table } = step;
    if (step.kind === 'createTable') this.#newTables.add(table.id);
    if (step.kind === 'addColumn') this.#added.set(key(table, step.column), nullOf(step.column.type));
    if (step.kind === 'fill') this.#added.set(key(table, step.column), this.#default(step.column));
    if (step.kind === 'convert' && storedName(step.from) !== storedName(step.column)) {
      this.#added.set(key(table, step.column), converted(this.#of(table, step.from), step.from.type, step.column.type));
    }
  }

  #of(table: NumberedTable, column: Column): Values {
    return this.#added.get(key(table, column)) ?? { sql: () => this.#stored(column), isKnown: true };
  }

  #stored(column: Column): string {
    return this.#dialect.column(storedName(column));
  }

  #default({ type, default: preset }: Column): Values {
    const value = this.#dialect.bound(parseStoredText(type, preset as string), type);
    return { sql: (bind) => bind(value, type), isKnown: true };
  }
}

function nullOf(type: ColumnType): Values {
  return { sql: (bind) => bind(null, type), isKnown: true, isNull: true };
}

/** Digits are the wire text of an integer. */
function converted(former: Values, from: ColumnType, to: ColumnType): Values {
  if (former.isNull) return nullOf(to);
  if (isInteger(from) && isText(to)) return { ...former, sql: (bind) => `CAST(${former.sql(bind)} AS TEXT)` };
  return { ...former, isKnown: former.isKnown && isInteger(from) && isInteger(to) };
}

function key({ id }: NumberedTable, column: Column): string {
  return `${id}.${storedName(column)}`;
}

/** Makes the statements that write to one table of one data space when first needed, and arranges their values. */
import type { Column, ColumnType, Index, StoredValue, Table } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import { inTimeSlices } from '../../time-slices.ts';
import type { AddItem } from '../contract.ts';
import { StatementCache } from '../lru.ts';
import type { Route } from './citus.ts';
import type { SentValue, Sql } from './connections.ts';
import { arrayText, postgresDialect } from './dialect.ts';
import * as mergedSql from './merged-sql.ts';
import { NamedStatement } from './named-statements.ts';
import { inStore } from './schemas.ts';
import { TextArray } from './text-array.ts';
import type { Inputs } from './write-inputs.ts';
import * as sql from './write-sql.ts';

/** How many statements are kept for one table: each set of updated columns has its own. */
const statementsMax = 32;

export type Cell = string | null;
export type Row = readonly Cell[];

export const instant = (milliseconds: number) => new Date(milliseconds).toISOString();

/** The items of several batches. */
interface Merged {
  /** The inputs of each item. */
  readonly rows: readonly Row[];
  /** The version of the definition that the batches were made for. */
  readonly version: number;
  /** How many. */
  readonly batches: number;
}

export class TableWrites {
  readonly table: Table;
  readonly own: readonly Column[];
  readonly #ownPositions: readonly number[];
  readonly #columnOf: ReadonlyMap<string, Column>;
  readonly #statements: StatementCache<string, NamedStatement>;

  constructor(spaceId: number, table: Table) {
    this.table = table;
    this.#statements = new StatementCache(statementsMax, (text) => new NamedStatement(inStore(text, spaceId), 'write'));
    this.own = sql.ownColumns(table);
    this.#ownPositions = this.own.map((column) => table.written.indexOf(column));
    this.#columnOf = new Map(table.written.map((column) => [column.name, column]));
  }

  /** @throws Error for an unknown column, because the batch was checked against this definition */
  columns(names: readonly string[]): Column[] {
    return names.map((name) => {
      const column = this.#columnOf.get(name);
      if (column === undefined) throw new Error(`The batch names a column that the table does not have: ${name}.`);
      return column;
    });
  }

  /**
   * The unique indexes that adding, or an update of these columns, may violate, in the order in which they are
   * reported.
   */
  unique(columns?: readonly Column[]): readonly Index[] {
    return columns === undefined ? sql.uniqueIndexes(this.table) : sql.touchedIndexes(this.table, columns);
  }

  // Inputs of one item

  addRow(item: AddItem, time: number): Cell[] {
    const row: Cell[] = [item.objectId, instant(time), item.audience];
    for (let index = 0; index < this.own.length; index++) {
      const value = item.values[this.#ownPositions[index] as number] ?? null;
      row.push(cell(value, (this.own[index] as Column).type));
    }
    return row;
  }

  updateRow(
    objectId: string,
    time: number,
    audience: string,
    columns: readonly Column[],
    values: readonly StoredValue[],
  ): Cell[] {
    return [objectId, instant(time), audience, ...cells(columns, values)];
  }

  // Statements: `rows` has the inputs of each item. The values of large statements are arranged in time slices.

  async mergedAdd(route: Route, merged: Merged, isGiven: boolean): Promise<Sql> {
    const text = () => mergedSql.mergedAdd(this.table, isGiven);
    return this.#merged(route, `add ${isGiven}`, text, { ...merged, inputs: mergedSql.mergedAddInputs(this.table) });
  }

  async mergedUpdate(
    route: Route,
    merged: Merged,
    { columns, audience }: { readonly columns: readonly Column[]; readonly audience: sql.AudienceChange },
  ): Promise<Sql> {
    const text = () => mergedSql.mergedUpdate(this.table, columns, audience);
    const inputs = mergedSql.mergedUpdateInputs(columns, audience);
    return this.#merged(route, `update ${audience} ${namesOf(columns)}`, text, { ...merged, inputs });
  }

  async mergedDelete(route: Route, merged: Merged): Promise<Sql> {
    const text = () => mergedSql.mergedDelete(this.table);
    return this.#merged(route, 'delete', text, { ...merged, inputs: mergedSql.mergedDeleteInputs });
  }

  findForAdd(objectIds: readonly string[]): Sql {
    return this.#prepared('find for add', () => sql.findForAdd(this.table)).with([arrayText(objectIds)]);
  }

  /** @param sent the id, or the values of the key, of each item */
  async findForPut(
    key: readonly string[] | null,
    sent: readonly (readonly StoredValue[])[],
    members: readonly string[],
  ): Promise<Sql> {
    const columns = key === null ? null : this.columns(key);
    const prepared = this.#prepared(`find for put ${key?.join(',')}`, () => sql.findForPut(this.table, columns));
    const rows = sent.map((values) => (columns === null ? (values as string[]) : cells(columns, values)));
    return prepared.with([...(await arrays(rows, sql.putInputs(columns))), arrayText(members)]);
  }

  findForChange(objectIds: readonly string[], members: readonly string[]): Sql {
    const prepared = this.#prepared('find for change', () => sql.findForChange(this.table));
    return prepared.with([arrayText(objectIds), arrayText(members)]);
  }

  textSizes(objectIds: readonly string[], names: readonly string[]): Sql {
    const prepared = this.#prepared(`sizes ${names.join(',')}`, () => sql.textSizes(this.table, names));
    return prepared.with([arrayText(objectIds)]);
  }

  // Statements of a batch that runs alone, with its commit number.

  enter(): Sql {
    return this.#prepared('enter', () => sql.enter(this.table)).with([]);
  }

  async insert(rows: readonly Row[], seq: string): Promise<Sql> {
    const prepared = this.#prepared('insert', () => sql.insert(this.table));
    return prepared.with([...(await arrays(rows, sql.addInputs(this.table))), seq]);
  }

  async update(rows: readonly Row[], columns: readonly Column[], seq: string): Promise<Sql> {
    const prepared = this.#prepared(`plain update ${namesOf(columns)}`, () => sql.update(this.table, columns));
    return prepared.with([...(await arrays(rows, sql.updateInputs(columns))), seq]);
  }

  async bury(rows: readonly Row[], seq: string): Promise<Sql> {
    const prepared = this.#prepared('bury', () => sql.bury(this.table));
    return prepared.with([...(await arrays(rows, sql.removeInputs)), seq]);
  }

  async remove(rows: readonly Row[]): Promise<Sql> {
    return this.#prepared('remove', () => sql.remove(this.table)).with(await arrays(rows, sql.removeInputs));
  }

  async probeAdd(row: Row): Promise<Sql> {
    const prepared = this.#prepared('probe add', () => sql.probeAdd(this.table));
    return prepared.with(await arrays([row], sql.addInputs(this.table)));
  }

  async probeUpdate(row: Row, columns: readonly Column[]): Promise<Sql> {
    const prepared = this.#prepared(`probe update ${namesOf(columns)}`, () => sql.probeUpdate(this.table, columns));
    return prepared.with(await arrays([row], sql.updateInputs(columns)));
  }

  async #merged(
    route: Route,
    key: string,
    text: () => string,
    { rows, version, batches, inputs }: Merged & { readonly inputs: Inputs },
  ): Promise<Sql> {
    const prepared = this.#prepared(`${route.id} ${key}`, () => route.text(text()));
    const values = [...(await arrays(rows, inputs, route.takesBinary)), String(version), String(batches)];
    return route.sent(prepared.with(values), postgresDialect.table(storedName(this.table)));
  }

  #prepared(key: string, text: () => string): NamedStatement {
    return this.#statements.get(key) ?? this.#statements.add(key, text());
  }
}

export function cells(columns: readonly Column[], values: readonly StoredValue[]): Cell[] {
  return columns.map(({ type }, index) => cell(values[index] ?? null, type));
}

function cell(value: StoredValue, type: ColumnType): Cell {
  return postgresDialect.bound(value, type) as Cell;
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(',');
}

/** Columns of text with more characters are sent in binary form. */
const largeFrom = 16 * 1024;

async function arrays(rows: readonly Row[], inputs: Inputs, mayBeBinary = true): Promise<SentValue[]> {
  const values: SentValue[] = [];
  const large: number[] = [];
  await inTimeSlices(inputs.length, (index) => {
    const isLarge = mayBeBinary && inputs[index]?.[1] === 'text' && charactersOf(rows, index) >= largeFrom;
    if (isLarge) large.push(index);
    values.push(isLarge ? '' : arrayText(rows.map((row) => row[index] as Cell)));
  });
  for (const index of large) values[index] = await textArray(rows, index);
  return values;
}

function charactersOf(rows: readonly Row[], index: number): number {
  return rows.reduce((sum, row) => sum + (row[index]?.length ?? 0), 0);
}

async function textArray(rows: readonly Row[], index: number): Promise<Buffer> {
  const array = new TextArray(rows.length, charactersOf(rows, index));
  await inTimeSlices(rows.length, (row) => array.add(rows[row]?.[index] as Cell));
  return array.bytes();
}

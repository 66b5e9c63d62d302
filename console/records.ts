/** Requests for records: the definition of their table, pages by cursor, writes with the lock. */
import { systemColumns } from '../src/schema/system.ts';
import { call, Refusal } from './api.ts';
import {
  alias,
  type ColumnDescription,
  isNumeric,
  isText,
  queryOf,
  type TableDescription,
  type Wanted,
} from './queries.ts';
import { randomId } from './random.ts';
import type { Place } from './route.ts';

export type { ColumnDescription, TableDescription, Wanted };
export { alias, isNumeric, isText, queryOf };

/** A value as JSON of its column's type: text, number, boolean, JSON, or null; longs and decimals are text. */
export type Value = unknown;
export type Row = Readonly<Record<string, Value>>;

/** The version that the records belong to. */
export interface VersionParams {
  readonly companyId: number;
  readonly appId: string;
  readonly version: string;
}

export function versionOf({ companyId, appId, version }: Place): VersionParams {
  return { companyId: companyId as number, appId: appId as string, version: version as string };
}

export async function tablesOf(params: VersionParams, signal?: AbortSignal): Promise<readonly TableDescription[]> {
  const path = 'GET /companies/:companyId/applications/:appId/versions/:version/tables';
  return (await call(path, { params }, signal)).results as TableDescription[];
}

/** The columns of a table in the grid's order: its own, between the id and those set by the service. */
export function columnsOf({ columns }: Pick<TableDescription, 'columns'>): readonly ColumnDescription[] {
  const own = new Set(columns.map(({ colName }) => colName.toLowerCase()));
  const system = systemColumns()
    .filter(({ name }) => !own.has(name.toLowerCase()))
    .map(({ name, type }): ColumnDescription => ({ colName: name, type: type.kind }));
  const [id, ...kept] = system;
  return [id as ColumnDescription, ...columns, ...kept];
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

type SelectBody = Omit<ReturnType<typeof queryOf>, 'where'> & {
  readonly where?: { expression: { source: string; params?: unknown[] } };
  readonly select?: { name: string; expression: { source: string } }[];
  readonly range?: { limit: number };
  readonly after?: string;
};

/** @throws Refusal */
async function select(params: VersionParams, body: SelectBody, signal?: AbortSignal): Promise<RowPage> {
  const path = 'POST /companies/:companyId/applications/:appId/versions/:version/records/:objectName/select';
  return call(path, { params: { ...params, objectName: body.from.phyName }, body }, signal);
}

/** A page of whole records. @param after '' for the first page, then the previous page's `next` */
export async function pageOf(
  params: VersionParams,
  wanted: Wanted,
  after: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RowPage> {
  const { rows, next } = await select(params, { ...queryOf(wanted), range: { limit }, after }, signal);
  return { rows: rows.map((row) => row[alias] as Row), next };
}

export async function countOf(params: VersionParams, wanted: Wanted, signal?: AbortSignal): Promise<number> {
  const counting = { name: 'count', expression: { source: 'COUNT(*)' } };
  const { rows } = await select(params, { ...queryOf({ ...wanted, sort: '' }), select: [counting] }, signal);
  return Number(rows[0]?.count ?? 0);
}

/** One record as it is now; null if it no longer exists. */
export async function recordOf(params: VersionParams, table: string, objectId: string): Promise<Row | null> {
  const where = { expression: { source: `#${alias}.objectId = ?`, params: [objectId] } };
  const { rows } = await select(params, { from: { phyName: table, alias }, where });
  return (rows[0]?.[alias] as Row | undefined) ?? null;
}

interface Operation {
  readonly op: 'add' | 'update' | 'delete';
  readonly objectName: string;
  readonly data: Row[];
  /** The user who will own added records. */
  readonly ownerId?: number;
}

/** Writes of one form or cell, each once: what is sent again after an unclear answer goes under the same transaction id. */
export class Writer {
  readonly #params: VersionParams;
  /** A write that may have been carried out although no answer came. */
  #unclear: { readonly content: string; readonly transactionId: string } | null = null;

  constructor(params: VersionParams) {
    this.#params = params;
  }

  /** Whether the last write may have been carried out although the answer does not say so. */
  get isUnclear(): boolean {
    return this.#unclear !== null;
  }

  /** All or nothing. @returns what the service answers for each record @throws Refusal */
  async write({ ownerId, ...operation }: Operation): Promise<readonly Row[]> {
    const sent = { ...(ownerId === undefined ? {} : { ownerId }), operations: [operation] };
    const content = JSON.stringify(sent);
    const before = this.#unclear;
    const transactionId = before?.content === content ? before.transactionId : `console-${randomId()}`;
    this.#unclear = { content, transactionId };
    for (let isSecond = false; ; isSecond = true) {
      try {
        const path = 'POST /companies/:companyId/applications/:appId/versions/:version/records/batch';
        const { results } = await call(path, { params: this.#params, body: { ...sent, transactionId } });
        this.#unclear = null;
        return results.records;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === null && !isSecond) continue;
        if (!error.isUnclear) this.#unclear = null;
        // An earlier one had been written, and only its answer was lost.
        if (error.code === 211) return error.results as Row[];
        throw error;
      }
    }
  }
}

/** The text of a cell, on one line. */
export function shown(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What a change of a record is based on: the optimistic lock. */
export function lockOf({ objectId, serverUpdateTime }: Row): Row {
  return { objectId, serverUpdateTime };
}

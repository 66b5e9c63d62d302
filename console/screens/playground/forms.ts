/** The two forms of queries: an example to start with, and how to send each. */
import { call, type Results, type Sent } from '../../api.ts';
import { alias, type Row, type TableDescription, type VersionParams } from '../../records.ts';

const records = '/companies/:companyId/applications/:appId/versions/:version/records';
const ofTable = `${records}/:objectName` as const;

export type Explained = Results<`POST ${typeof ofTable}/explain`>;

type SelectBody = NonNullable<Sent<`POST ${typeof ofTable}/select`>['body']>;
type OlderBody = NonNullable<Sent<`POST ${typeof records}/query`>['body']>;

export interface QueryForm {
  example(table: TableDescription): object;
  /** @param body as it was written. @throws Refusal */
  rows(params: VersionParams, body: unknown): Promise<readonly Row[]>;
  /** Null if the service offers no plan. */
  readonly explain: ((params: VersionParams, body: unknown) => Promise<Explained>) | null;
}

const tableOf = (params: VersionParams, { from }: SelectBody) => ({ ...params, objectName: from?.phyName ?? '-' });

const select: QueryForm = {
  example: ({ name, columns: [column] }) => ({
    from: { phyName: name, alias },
    ...(column && { where: { expression: { source: `#${alias}.${column.colName} IS NOT NULL`, params: [] } } }),
    range: { limit: 20 },
  }),
  async rows(params, body) {
    const asked = body as SelectBody;
    return (await call(`POST ${ofTable}/select`, { params: tableOf(params, asked), body: asked })).rows;
  },
  async explain(params, body) {
    const asked = body as SelectBody;
    return (await call(`POST ${ofTable}/explain`, { params: tableOf(params, asked), body: asked })).results;
  },
};

const older: QueryForm = {
  example: ({ name, columns: [column] }) => ({
    objectNames: [name],
    returnedObjectNames: [name],
    maxRecord: 20,
    pageIndex: 1,
    ...(column && {
      condition: { sortConditions: [{ conditionValue: 1, tableName: name, columnName: column.colName }] },
    }),
  }),
  async rows(params, body) {
    const { results } = await call(`POST ${records}/query`, { params, body: body as OlderBody });
    return parallel(results as Readonly<Record<string, readonly Row[]>>[]);
  },
  explain: null,
};

export const forms = { select, older } as const;
export type FormName = keyof typeof forms;

/** The records of each table are in a separate array, with one entry for each row. */
function parallel(results: readonly Readonly<Record<string, readonly Row[]>>[]): readonly Row[] {
  const columns = results.flatMap((one) => Object.entries(one));
  const count = columns[0]?.[1].length ?? 0;
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(columns.map(([table, rows]) => [table, rows[index]])),
  );
}

/** Runs compiled queries like the service on PostgreSQL, in a data space that is removed with the test file. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after } from 'node:test';
import { defaults } from '../../src/config.ts';
import { check } from '../../src/query/check.ts';
import { compileCount, compileRecord, compileRows, type RowPlan, rowPlan } from '../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../src/query/expression-form.ts';
import type { Statement } from '../../src/query/statement.ts';
import { readStructuredForm } from '../../src/query/structured/form.ts';
import { parseValue } from '../../src/schema/column-type.ts';
import type { Table } from '../../src/schema/model.ts';
import type { SelectResult } from '../../src/storage/contract.ts';
import { createIndexes, createTable } from '../../src/storage/layout.ts';
import { type Connections, openConnections } from '../../src/storage/postgres/connections.ts';
import { postgresDialect, postgresLayout } from '../../src/storage/postgres/dialect.ts';
import { spaceSteps } from '../../src/storage/postgres/migrations.ts';
import { readsThrough } from '../../src/storage/postgres/reads.ts';
import { openRecords } from '../../src/storage/postgres/records.ts';
import { inStore, spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { openQueries, queryPlanner, sent } from '../../src/storage/postgres/select.ts';
import { wholeOf } from '../engines/json-text.ts';
import { makeScratch } from '../engines/scratch.ts';
import { definitionOf, everything, now, rules, sharedMembers, type WireRow, zone } from './definitions.ts';
import type { World } from './world.ts';

export interface PostgresWorld extends World {
  readonly connections: Connections;
  readonly spaceId: number;
  /** Runs SQL with `"~".` for the schema, and returns its rows. */
  sql(text: string, values?: readonly (string | null)[]): Promise<readonly (readonly (string | null)[])[]>;
  /** The plan of a query's rows, count or record, from EXPLAIN without costs, one step per line. */
  plan(form: ExpressionForm, kind?: RowPlan | 'count', members?: readonly string[]): Promise<string[]>;
  planOf(statement: Statement, values: readonly unknown[]): Promise<string[]>;
}

export async function openPostgresWorld(...tables: readonly Table[]): Promise<PostgresWorld> {
  const spaceId = randomInt(1_000_000_000, 2 ** 47);
  const definition = definitionOf(...tables);
  const scratch = await makeScratch();
  const options = { url: scratch.settings.storage, statementTimeMs: 60_000, waitingMax: 10_000, settings: defaults };
  const connections = openConnections({ ...options, max: 3, parameters: queryPlanner });
  const reads = readsThrough(connections, defaults);
  const queries = openQueries({ reads, settings: { ...defaults, queryTimeMs: 60_000 }, zone });
  const records = openRecords({ reads, settings: defaults, zone });
  const sql = async (text: string, values: readonly (string | null)[] = []) =>
    (await connections.query({ text: inStore(text, spaceId), values })).rows;
  after(async () => {
    await connections.close();
    await scratch.remove();
  });
  await connections.query({ text: `CREATE SCHEMA ${spaceSchema(spaceId)}` });
  for (const text of [...spaceSteps.flat(), ...tables.flatMap(layoutOf)]) await sql(text);
  for (const pair of sharedMembers) await sql('INSERT INTO "~"._audience_member VALUES ($1, $2)', pair);
  let sequence = 0;

  async function rowsOf(statement: Statement, values: ReturnType<Statement['bind']>) {
    return answerOf(statement, await queries.select(spaceId, { rows: { statement, values } }));
  }

  const world: PostgresWorld = {
    definition,
    connections,
    spaceId,
    sql,
    async insert(tableName, record, audience = 'a') {
      const { columns } = definition.tables.get(tableName)!;
      const values = columns.map(({ name, type }) =>
        sent(postgresDialect.bound(parseValue(type, record[name] ?? null, rules), type)),
      );
      const marks = [...columns, 'audience', 'seq'].map((_, index) => `$${index + 1}`).join(', ');
      const text = `INSERT INTO ${postgresDialect.table(tableName)} VALUES (${marks})`;
      await sql(text, [...values, audience, String(++sequence)]);
    },
    async query(form, members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const checked = check(query, definition, defaults);
      const inputs = { parameters, members, now, ...form.range };
      const answer = async (plan: RowPlan) => {
        const statement = compileRows(checked, postgresDialect, rules, plan);
        return rowsOf(statement, statement.bind(inputs));
      };
      const walked = await answer('walk');
      if (rowPlan(query, inputs) === 'by audience') assert.deepEqual(await answer('by audience'), walked);
      return walked;
    },
    async count(form, members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const statement = compileCount(check(query, definition, defaults), postgresDialect, rules);
      const values = statement.bind({ parameters, members, now });
      return (await queries.select(spaceId, { count: { statement, values } })).count;
    },
    async older(form, members = everything) {
      const { query, parameters, page } = readStructuredForm(form, defaults);
      const statement = compileRows(check(query, definition, defaults), postgresDialect, rules);
      const limits = { offset: (page.pageIndex - 1) * page.maxRecord, limit: page.maxRecord };
      return rowsOf(statement, statement.bind({ parameters, members, ...limits }));
    },
    async record(tableName, objectId, members = everything) {
      const statement = compileRecord(definition.tables.get(tableName)!, postgresDialect);
      const text = await records.record(spaceId, statement, statement.bind({ parameters: [objectId], members }));
      return text === null ? null : (JSON.parse(wholeOf(text)) as WireRow);
    },
    async isLike(text, pattern, escapedBy) {
      const operand = postgresDialect.placeholder(1, true, { kind: 'text' });
      const condition = postgresDialect.like(operand, postgresDialect.placeholder(2, true, 'pattern'), true, operand);
      const [row] = await sql(`SELECT ${condition}`, [text, sent(postgresDialect.boundPattern(pattern, escapedBy))]);
      return row?.[0] === 't';
    },
    plan(form, kind = 'walk', members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const checked = check(query, definition, defaults);
      const statement =
        kind === 'count'
          ? compileCount(checked, postgresDialect, rules)
          : compileRows(checked, postgresDialect, rules, kind);
      return world.planOf(statement, statement.bind({ parameters, members, now, ...form.range }));
    },
    async planOf(statement, values) {
      const rows = await sql(
        `EXPLAIN (COSTS OFF) ${statement.sql}`,
        values.map((value) => (value === null ? null : String(value))),
      );
      return rows.map(([line]) => line as string);
    },
  };
  return world;
}

/** The tables as the engine creates them. */
function layoutOf(table: Table): string[] {
  return [
    // The records of these tests have no server times.
    createTable(postgresLayout, table).replaceAll(/("server\w+Time" timestamptz\(3\)) NOT NULL/g, '$1'),
    ...createIndexes(postgresLayout, table),
  ];
}

function answerOf(statement: Statement, { arrays }: SelectResult): Record<string, WireRow[]> {
  return Object.fromEntries(
    statement.outputs.map(({ key }, index) => [key, JSON.parse(wholeOf(arrays[index])) as WireRow[]]),
  );
}

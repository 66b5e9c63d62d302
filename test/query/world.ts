/** Compiled queries run for real: an SQLite database in memory with the physical layout of a data space, and its tables. */
import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { defaults } from '../../src/config.ts';
import { check } from '../../src/query/check.ts';
import type { CheckedQuery } from '../../src/query/checked.ts';
import { compileCount, compileRecord, compileRows, type RowPlan, rowPlan } from '../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../src/query/expression-form.ts';
import type { Statement } from '../../src/query/statement.ts';
import { readStructuredForm, type StructuredForm } from '../../src/query/structured/form.ts';
import type { ColumnType, Index, SpaceDefinition, Table } from '../../src/schema/model.ts';
import { systemColumns } from '../../src/schema/system.ts';
import { zoneOf } from '../../src/schema/time.ts';
import { parseValue, wireText } from '../../src/schema/values.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { registerFunctions } from '../../src/storage/sqlite/functions.ts';
import { createAudienceIndex, createIndex, createTable } from '../../src/storage/sqlite/layout.ts';
import { spaceSteps } from '../../src/storage/sqlite/migrations/space.ts';

export const zone = zoneOf('UTC');
export const rules = { ...defaults, zone };

/** Short names of column types, for definitions in tests. */
export const types = {
  text: { kind: 'text' },
  integer: { kind: 'integer' },
  long: { kind: 'long' },
  double: { kind: 'double' },
  bool: { kind: 'bool' },
  datetime: { kind: 'datetime' },
  json: { kind: 'json' },
  varchar: (length: number): ColumnType => ({ kind: 'varchar', length }),
  decimal: (precision: number, scale: number): ColumnType => ({ kind: 'decimal', precision, scale }),
} as const;

let lastTableId = 0;

export function table(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  indexes: readonly (readonly string[])[] = [],
): Table {
  const own = Object.entries(columns).map(([column, type]) => ({ name: column, type, required: false, system: false }));
  return {
    name,
    id: ++lastTableId,
    columns: [...systemColumns(), ...own],
    indexes: indexes.map((names): Index => ({ columns: names, unique: false })),
  };
}

export function definitionOf(...tables: readonly Table[]): SpaceDefinition {
  return { version: 1, tables: new Map(tables.map((one) => [one.name, one])) };
}

/** Everyone of the tests: user 7 in groups 1 and 3. */
export const everything = ['u7', 'g1', 'g3', 'a'];

export type WireRow = Readonly<Record<string, string | null>>;

export interface World {
  readonly db: DatabaseSync;
  readonly definition: SpaceDefinition;
  /** Set to true, every statement stops at its next row. */
  late: boolean;
  /** How many rows statements visited. */
  visited: number;
  insert(tableName: string, record: Readonly<Record<string, unknown>>, audience?: string): void;
  /** The answer of a query: alias → records. */
  query(form: ExpressionForm, members?: readonly string[]): Record<string, WireRow[]>;
  count(form: ExpressionForm, members?: readonly string[]): number;
  older(form: StructuredForm, members?: readonly string[]): Record<string, WireRow[]>;
  record(tableName: string, objectId: string, members?: readonly string[]): WireRow | null;
  /** The plan of a query's rows, one line per step, without the steps of finding the caller's audiences. */
  plan(form: ExpressionForm, kind?: RowPlan | 'count'): string[];
}

export function openWorld(...tables: readonly Table[]): World {
  const db = new DatabaseSync(':memory:');
  const definition = definitionOf(...tables);
  for (const step of spaceSteps) db.exec(step);
  db.exec("INSERT INTO _audience_member VALUES ('g1', 'g1,2'), ('g2', 'g1,2'), ('g2', 'g2,4'), ('g4', 'g2,4')");
  for (const one of definition.tables.values()) for (const statement of layoutOf(one)) db.exec(statement);
  db.exec('ANALYZE sqlite_schema');
  let sequence = 0;
  const world: World = {
    db,
    definition,
    late: false,
    visited: 0,
    insert(tableName, record, audience = 'a') {
      const { columns } = definition.tables.get(tableName)!;
      const values = columns.map(({ name, type }) =>
        sqliteDialect.bound(parseValue(type, record[name] ?? null, rules), type),
      );
      const marks = values.map(() => '?').join(', ');
      const sql = `INSERT INTO ${sqliteDialect.table(tableName)} VALUES (${marks}, ?, ?)`;
      db.prepare(sql).run(...(values as SQLInputValue[]), audience, ++sequence);
    },
    query(form, members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const checked = check(query, definition, defaults);
      const inputs = { parameters, members, ...form.range };
      const answerOf = (plan: RowPlan) => {
        const statement = compileRows(checked, sqliteDialect, rules, plan);
        return run(db, statement, statement.bind(inputs));
      };
      if (rowPlan(query, inputs) === 'walk') return answerOf('walk');
      const byAudience = answerOf('by audience');
      world.visited = 0;
      const answer = answerOf('walk');
      assert.deepEqual(byAudience, answer);
      return answer;
    },
    count(form, members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const statement = compileCount(check(query, definition, defaults), sqliteDialect, rules);
      const row = db.prepare(statement.sql).get(...(statement.bind({ parameters, members }) as SQLInputValue[]));
      return Number(Object.values(row!)[0]);
    },
    older(form, members = everything) {
      const { query, parameters, page } = readStructuredForm(form, defaults);
      const statement = compileRows(check(query, definition, defaults), sqliteDialect, rules);
      const limits = { offset: (page.pageIndex - 1) * page.maxRecord, limit: page.maxRecord };
      return run(db, statement, statement.bind({ parameters, members, ...limits }));
    },
    record(tableName, objectId, members = everything) {
      const statement = compileRecord(definition.tables.get(tableName)!, sqliteDialect);
      const found = run(db, statement, statement.bind({ parameters: [objectId], members }));
      return found[tableName]![0] ?? null;
    },
    plan(form, kind = 'walk') {
      const { query, parameters } = readExpressionForm(form, defaults);
      const checked: CheckedQuery = check(query, definition, defaults);
      const statement =
        kind === 'count'
          ? compileCount(checked, sqliteDialect, rules)
          : compileRows(checked, sqliteDialect, rules, kind);
      const values = statement.bind({ parameters, members: everything, ...form.range });
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${statement.sql}`).all(...(values as SQLInputValue[]));
      const ofAudiences = /LIST SUBQUERY|COMPOUND|LEFT-MOST|UNION ALL|json_each|_audience_member|BLOOM/;
      return steps.map((step) => String(step.detail)).filter((detail) => !ofAudiences.test(detail));
    },
  };
  registerFunctions(db, {
    passed() {
      world.visited++;
      return world.late;
    },
    hasPassedNow: () => world.late,
  });
  return world;
}

/** The tables as the engine makes them, with what it tells the planner. */
function layoutOf(table: Table): string[] {
  return [
    // The records of these tests have no server times.
    createTable(table).replaceAll(/("server\w+Time" INTEGER) NOT NULL/g, '$1'),
    createAudienceIndex(table),
    ...table.indexes.flatMap((index, position) => [
      createIndex(table, index, position),
      createAudienceIndex(table, index, position),
    ]),
  ];
}

/** Runs a statement and gives its rows as clients get them. */
function run(db: DatabaseSync, statement: Statement, values: readonly unknown[]): Record<string, WireRow[]> {
  const prepared = db.prepare(statement.sql);
  prepared.setReturnArrays(true);
  const answer: Record<string, WireRow[]> = {};
  for (const { key } of statement.outputs) answer[key] = [];
  for (const row of prepared.all(...(values as SQLInputValue[])) as unknown as unknown[][]) {
    let at = 0;
    for (const { key, columns } of statement.outputs) {
      answer[key]!.push(Object.fromEntries(columns.map(({ name, type }) => [name, wireOf(type, row[at++])])));
    }
  }
  return answer;
}

function wireOf(type: ColumnType, raw: unknown): string | null {
  if (raw === null) return null;
  if (type.kind === 'long' || type.kind === 'decimal') return wireText(type, BigInt(raw as string), zone);
  if (type.kind === 'bool') return wireText(type, raw === 1, zone);
  return wireText(type, raw as string | number, zone);
}

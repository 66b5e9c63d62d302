/** Runs compiled queries on an SQLite database in memory with the physical layout of a data space, and its tables. */
import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { defaults } from '../../src/config.ts';
import { check } from '../../src/query/check.ts';
import type { CheckedQuery } from '../../src/query/checked.ts';
import { compileCount, compileRecord, compileRows, type RowPlan, rowPlan } from '../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../src/query/expression-form.ts';
import type { Statement } from '../../src/query/statement.ts';
import { readStructuredForm, type StructuredForm } from '../../src/query/structured/form.ts';
import { parseValue } from '../../src/schema/column-type.ts';
import type { ColumnType, SpaceDefinition, Table } from '../../src/schema/model.ts';
import { createIndexes, createTable } from '../../src/storage/layout.ts';
import { everyRow } from '../../src/storage/sqlite/deadline.ts';
import { sqliteDialect, sqliteLayout } from '../../src/storage/sqlite/dialect.ts';
import { CallMemory, registerFunctions } from '../../src/storage/sqlite/functions.ts';
import { spaceSteps } from '../../src/storage/sqlite/migrations.ts';
import { wireText } from '../schema/wire-text.ts';
import { definitionOf, everything, now, rules, sharedMembers, type WireRow, zone } from './definitions.ts';

export interface SqliteWorld {
  readonly db: DatabaseSync;
  readonly definition: SpaceDefinition;
  /** If true, every statement stops at its next row. */
  late: boolean;
  /** How many rows statements visited. */
  visited: number;
  insert(tableName: string, record: Readonly<Record<string, unknown>>, audience?: string): void;
  /** The answer of a query: alias → records. */
  query(form: ExpressionForm, members?: readonly string[]): Record<string, WireRow[]>;
  count(form: ExpressionForm, members?: readonly string[]): number;
  older(form: StructuredForm, members?: readonly string[]): Record<string, WireRow[]>;
  record(tableName: string, objectId: string, members?: readonly string[]): WireRow | null;
  isLike(text: string, pattern: string, escapedBy: string | null): boolean;
  /** The plan of a query's rows, one line per step, without the steps of finding the caller's audiences. */
  plan(form: ExpressionForm, kind?: RowPlan | 'count' | 'in order'): string[];
}

export function openSqliteWorld(...tables: readonly Table[]): SqliteWorld {
  const db = new DatabaseSync(':memory:');
  const definition = definitionOf(...tables);
  for (const step of spaceSteps) db.exec(step);
  const pairs = sharedMembers.map(([member, audience]) => `('${member}', '${audience}')`);
  db.exec(`INSERT INTO _audience_member VALUES ${pairs.join(', ')}`);
  for (const one of definition.tables.values()) for (const statement of layoutOf(one)) db.exec(statement);
  db.exec('ANALYZE sqlite_schema');
  let sequence = 0;
  const world: SqliteWorld = {
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
      const inputs = { parameters, members, now, ...form.range };
      const compiled = (plan: RowPlan) => compileRows(checked, sqliteDialect, rules, plan);
      const rowsOf = (statement: Statement) => run(db, statement, statement.bind(inputs));
      const answerOf = (plan: RowPlan) => rowsOf(compiled(plan));
      if (rowPlan(query, inputs) === 'walk') return answerOf('walk');
      const statement = compiled('by audience');
      const byAudience = rowsOf(statement);
      const inOrder = statement.inOrder?.();
      if (inOrder !== undefined) assert.deepEqual(rowsOf({ ...statement, ...inOrder }), byAudience);
      world.visited = 0;
      const answer = answerOf('walk');
      assert.deepEqual(byAudience, answer);
      return answer;
    },
    count(form, members = everything) {
      const { query, parameters } = readExpressionForm(form, defaults);
      const statement = compileCount(check(query, definition, defaults), sqliteDialect, rules);
      const row = db
        .prepare(lookingAtEachRow(statement.sql))
        .get(...(statement.bind({ parameters, members, now }) as SQLInputValue[]));
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
    isLike(text, pattern, escapedBy) {
      const row = db
        .prepare(`SELECT ${sqliteDialect.like('?1', '?2', false, '?1')} AS matches`)
        .get(text, sqliteDialect.boundPattern(pattern, escapedBy) as string);
      return row?.matches === 1;
    },
    plan(form, kind = 'walk') {
      const { query, parameters } = readExpressionForm(form, defaults);
      const checked: CheckedQuery = check(query, definition, defaults);
      const rowsOf = (plan: RowPlan) => compileRows(checked, sqliteDialect, rules, plan);
      const made =
        kind === 'count'
          ? compileCount(checked, sqliteDialect, rules)
          : rowsOf(kind === 'in order' ? 'by audience' : kind);
      const statement = kind === 'in order' ? (made.inOrder?.() ?? assert.fail('It has no walk in order.')) : made;
      const values = statement.bind({ parameters, members: everything, now, ...form.range });
      const steps = db
        .prepare(`EXPLAIN QUERY PLAN ${lookingAtEachRow(statement.sql)}`)
        .all(...(values as SQLInputValue[]));
      const ofAudiences = /LIST SUBQUERY|COMPOUND|LEFT-MOST|UNION ALL|json_each|_audience_member|BLOOM/;
      return steps.map((step) => String(step.detail)).filter((detail) => !ofAudiences.test(detail));
    },
  };
  const visit = () => {
    world.visited++;
    return world.late;
  };
  registerFunctions(
    db,
    { passed: visit, hasPassedNow: visit },
    () => everyRow,
    new Unbounded(Number.POSITIVE_INFINITY),
  );
  return world;
}

/** No limit, because statements here are small and run alone. */
class Unbounded extends CallMemory {
  override keep(): void {}
}

/** The tables as the engine creates them, with its estimates for the planner. */
function layoutOf(table: Table): string[] {
  return [
    // The records of these tests have no server times.
    createTable(sqliteLayout, table).replaceAll(/("server\w+Time" INTEGER) NOT NULL/g, '$1'),
    ...createIndexes(sqliteLayout, table),
  ];
}

/** The statement, changed to check the time for every row instead of some, so that rows can be counted. */
function lookingAtEachRow(sql: string): string {
  return sql.replaceAll('random() & 15 OR ', '');
}

/** Runs a statement and returns its rows as clients get them. */
function run(db: DatabaseSync, statement: Statement, values: readonly unknown[]): Record<string, WireRow[]> {
  const prepared = db.prepare(lookingAtEachRow(statement.sql));
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

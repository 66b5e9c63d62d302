/** Running queries on a data space's file: rows become JSON text one by one, within the bounds on size and time. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { BoundValue } from '../../query/statement.ts';
import { AnswerArrays, outOfTime, type ResultLimits } from '../answer-arrays.ts';
import type { SelectResult } from '../contract.ts';
import { Lru } from '../lru.ts';
import { openDatabase, stepsOf } from './database.ts';
import type { Deadline } from './deadline.ts';
import { pathOf } from './folder.ts';
import { type DeadlineChecks, registerFunctions } from './functions.ts';
import { OpenFiles, type Share } from './open-files.ts';
import type { RecordWriter, Row } from './rows.ts';

/** How many statements one file has prepared. */
const preparedMax = 64;

/** A statement longer than this is not kept prepared, nor is its text; there is hardly a second one like it. */
export const keptSqlMax = 16 * 1024;

/** A data space's file as a reader has it open. */
export class ReadFile {
  readonly db: DatabaseSync;
  readonly #prepared = new Lru<number, StatementSync>(preparedMax);

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  /** @param id names the SQL, in the whole process */
  prepared(id: number, sql: string): StatementSync {
    const present = this.#prepared.get(id);
    if (present !== undefined) return present;
    const statement = this.db.prepare(sql);
    statement.setReturnArrays(true);
    if (sql.length <= keptSqlMax) this.#prepared.set(id, statement);
    return statement;
  }

  /** A statement that failed while it ran reports its old error once more on its next run, so it is prepared anew. */
  forget(id: number): void {
    this.#prepared.delete(id);
  }
}

/** Whose files are read, and where they are. */
export interface ReadFolder {
  readonly folder: string;
  /** Id of the installation. */
  readonly installation: string;
}

export function openReadFiles(
  { folder, installation }: ReadFolder,
  share: Share,
  deadline: DeadlineChecks,
  deadlineFactor: () => number,
): OpenFiles<number, ReadFile> {
  return new OpenFiles(share, (spaceId, pageCacheBytes) => {
    const identity = { installation, spaceId };
    const options = { create: false, use: 'read', pageCacheBytes, identity } as const;
    const db = openDatabase(pathOf(folder, spaceId), stepsOf(spaceId), options);
    registerFunctions(db, deadline, deadlineFactor);
    return new ReadFile(db);
  });
}

export interface Query {
  readonly id: number;
  readonly sql: string;
  readonly writers: readonly RecordWriter[];
  readonly values: readonly BoundValue[];
}

export type SelectLimits = ResultLimits;

/** @throws ServiceError 212: 413 for a result that is too large, 503 for one that takes too long; errors of SQLite */
export function select(
  file: ReadFile,
  rows: Query | null,
  count: Query | null,
  limits: SelectLimits,
  deadline: Deadline,
): SelectResult {
  // A single statement sees one state of the file by itself.
  const isOneState = rows === null || count === null;
  deadline.start(limits.queryTimeMs);
  if (!isOneState) file.db.exec('BEGIN');
  try {
    return {
      count: count === null ? 0 : countOf(file, count),
      arrays: rows === null ? [] : arraysOf(file, rows, limits),
    };
  } catch (error) {
    for (const query of [rows, count]) if (query !== null) file.forget(query.id);
    throw deadline.hasPassed ? outOfTime(limits) : error;
  } finally {
    if (!isOneState) file.db.exec('ROLLBACK');
  }
}

function countOf(file: ReadFile, query: Query): number {
  const statement = file.prepared(query.id, query.sql);
  const row = statement.get(...(query.values as SQLInputValue[])) as unknown as SQLOutputValue[] | undefined;
  return Number(row?.[0] ?? 0);
}

function arraysOf(file: ReadFile, query: Query, limits: SelectLimits): string[] {
  const arrays = new AnswerArrays(query.writers, limits);
  const statement = file.prepared(query.id, query.sql);
  for (const row of statement.iterate(...(query.values as SQLInputValue[])) as Iterable<unknown>)
    arrays.add(row as Row);
  return arrays.texts();
}

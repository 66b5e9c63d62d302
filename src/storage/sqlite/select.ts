/** Running queries on a data space's file: rows become JSON text one by one, within the bounds on size and time. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { BoundValue } from '../../query/statement.ts';
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

export function openReadFiles(folder: string, share: Share, deadline: DeadlineChecks): OpenFiles<number, ReadFile> {
  return new OpenFiles(share, (spaceId, pageCacheBytes) => {
    const options = { create: false, use: 'read', pageCacheBytes } as const;
    const db = openDatabase(pathOf(folder, spaceId), stepsOf(spaceId), options);
    registerFunctions(db, deadline);
    return new ReadFile(db);
  });
}

export interface Query {
  readonly id: number;
  readonly sql: string;
  readonly writers: readonly RecordWriter[];
  readonly values: readonly BoundValue[];
}

export type SelectLimits = Pick<Settings, 'queryTimeMs' | 'resultRowsMax' | 'resultBytesMax'>;

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
  const { writers } = query;
  const statement = file.prepared(query.id, query.sql);
  const texts: string[] = writers.map(() => '');
  let rows = 0;
  let size = 0;
  for (const row of statement.iterate(...(query.values as SQLInputValue[])) as Iterable<unknown>) {
    if (++rows > limits.resultRowsMax) throw tooLarge(`${limits.resultRowsMax} rows (setting resultRowsMax)`);
    for (let index = 0; index < writers.length; index++) {
      const text = (writers[index] as RecordWriter)(row as Row);
      size += Buffer.byteLength(text) + 1;
      texts[index] += rows === 1 ? text : `,${text}`;
    }
    if (size > limits.resultBytesMax) throw tooLarge(`${limits.resultBytesMax} bytes (setting resultBytesMax)`);
  }
  return texts.map((text) => `[${text}]`);
}

function tooLarge(limit: string): ServiceError {
  return new ServiceError(
    212,
    `The result is larger than ${limit}; ask for it in parts with range (offset and limit), or narrow the conditions.`,
    { status: 413 },
  );
}

function outOfTime(limits: SelectLimits): ServiceError {
  return new ServiceError(
    212,
    `The query was stopped after ${limits.queryTimeMs} ms (setting queryTimeMs); narrow its conditions or ask for less.`,
    { status: 503, retryAfterSeconds: 1 },
  );
}

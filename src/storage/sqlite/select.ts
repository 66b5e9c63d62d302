/** Runs queries on a data space's file: rows become JSON text one by one, within the limits on size and time. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import type { BoundValue } from '../../query/statement.ts';
import { AnswerArrays, outOfTime, type ResultLimits, tooManyGroups } from '../answer-arrays.ts';
import type { SelectResult } from '../contract.ts';
import { StatementCache } from '../lru.ts';
import type { AnswerWriters } from './column-types.ts';
import { openDatabase, preparedFor } from './database.ts';
import type { Deadline } from './deadline.ts';
import { pathOf } from './folder.ts';
import { type CallMemory, type DeadlineChecks, registerFunctions, TooManyGroups } from './functions.ts';
import type { BoundSql, Steps } from './messages.ts';
import { stepsOf } from './migrations.ts';
import { OpenFiles, type Share } from './open-files.ts';

/** Prepared statements per file. */
const preparedMax = 64;

/** A data space's file, opened by a reader. */
export class ReadFile {
  readonly db: DatabaseSync;
  readonly #prepared: StatementCache<number, StatementSync>;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.#prepared = new StatementCache(preparedMax, (sql) => preparedFor(db, sql));
  }

  /** @param id identifies the SQL in the whole process */
  prepared(id: number, sql: string): StatementSync {
    return this.#prepared.get(id) ?? this.#prepared.add(id, sql);
  }

  /** A statement that failed while running reports its old error again on its next run, so it is prepared again. */
  forget(id: number): void {
    this.#prepared.forget(id);
  }
}

/** The installation of the files, and their folder. */
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
  memory: CallMemory,
): OpenFiles<number, ReadFile> {
  return new OpenFiles(share, (spaceId, pageCacheBytes) => {
    const identity = { installation, spaceId };
    const options = { create: false, use: 'read', pageCacheBytes, identity } as const;
    const db = openDatabase(pathOf(folder, spaceId), stepsOf(spaceId), options);
    registerFunctions(db, deadline, deadlineFactor, memory);
    return new ReadFile(db);
  });
}

export interface Query {
  readonly id: number;
  readonly sql: string;
  readonly writers: AnswerWriters;
  readonly values: readonly BoundValue[];
  readonly steps: Steps | null;
}

export type SelectLimits = ResultLimits;

/** What can stop the statements of this thread. */
export interface Stops {
  readonly deadline: Deadline;
  readonly memory: CallMemory;
  /**
   * Whether the statement's time limit is so short that all its rows fit in memory: fetching them together is faster.
   */
  readonly isShort?: boolean;
  /** Called while a large result is built (`AnswerArrays`). */
  readonly onLarge?: () => void;
}

/** The functions of a statement used up their memory; it must run in steps. */
export class NeedsSteps extends Error {}

/**
 * Must be called after the deadline was started.
 * @throws NeedsSteps; ServiceError 212: 413 for a result that is too large, 503 for one that takes too long; errors of
 * SQLite
 */
export function select(
  file: ReadFile,
  rows: Query | null,
  count: Query | null,
  limits: SelectLimits,
  stops: Stops,
): SelectResult {
  const inSteps = (rows?.steps ?? count?.steps ?? null) !== null;
  // A single statement sees one state of the file without a transaction.
  const isOneState = !inSteps && (rows === null || count === null);
  stops.memory.start();
  if (inSteps) file.db.exec('PRAGMA query_only = OFF');
  if (!isOneState) file.db.exec('BEGIN');
  try {
    return {
      count: count === null ? 0 : computed(file, count, stops, (bound) => countOf(bound)),
      ...(rows === null
        ? { arrays: [] }
        : computed(file, rows, stops, (bound) => answerOf(bound, rows, limits, stops))),
    };
  } catch (error) {
    for (const query of [rows, count]) if (query !== null) file.forget(query.id);
    if (stops.deadline.hasPassed) throw outOfTime(limits);
    if (error instanceof TooManyGroups) throw tooManyGroups(error.groupsMax);
    if (!stops.memory.isFull) throw error;
    throw inSteps ? tooMuchText(stops.memory) : new NeedsSteps();
  } finally {
    // The computed values disappear with the transaction.
    if (!isOneState) file.db.exec('ROLLBACK');
    if (inSteps) file.db.exec('PRAGMA query_only = ON');
  }
}

/** A statement, ready to run. */
interface Ready {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
}

/** Runs the query's statement, in steps if it has them. */
function computed<Result>(file: ReadFile, query: Query, stops: Stops, run: (ready: Ready) => Result): Result {
  const { id, sql, values, steps } = query;
  if (steps === null) return run({ statement: file.prepared(id, sql), values: values as SQLInputValue[] });
  for (const fill of steps.fills) compute(file.db, fill, stops);
  const result = run(readyOf(file.db, steps.main));
  for (const { table } of steps.fills) file.db.exec(`DROP TABLE temp.${table}`);
  return result;
}

/** Each record's value is a separate row, because the memory of the calls is freed at each row. */
function compute(db: DatabaseSync, fill: Steps['fills'][number], { memory }: Stops): void {
  db.exec(`CREATE TEMP TABLE ${fill.table} (id INTEGER PRIMARY KEY, value)`);
  const insert = db.prepare(`INSERT INTO temp.${fill.table} VALUES (?, ?)`);
  const { statement, values } = readyOf(db, fill);
  statement.setReadBigInts(true);
  for (const row of statement.iterate(...values) as Iterable<unknown>) {
    memory.freed();
    const [id, value] = row as [bigint, bigint | string | null];
    if (value !== null) insert.run(id, value);
  }
}

function readyOf(db: DatabaseSync, { sql, values }: BoundSql): Ready {
  return { statement: preparedFor(db, sql), values: values as SQLInputValue[] };
}

function countOf({ statement, values }: Ready): number {
  const row = statement.get(...values) as unknown as SQLOutputValue[] | undefined;
  return Number(row?.[0] ?? 0);
}

function answerOf(
  { statement, values }: Ready,
  { writers }: Query,
  limits: SelectLimits,
  stops: Stops,
): Pick<SelectResult, 'arrays' | 'page'> {
  const { memory, onLarge, isShort = false } = stops;
  const arrays = new AnswerArrays(writers, limits, onLarge);
  const rows: Iterable<unknown> = isShort ? statement.all(...values) : statement.iterate(...values);
  for (const row of rows) {
    arrays.add(row as SQLOutputValue[]);
    memory.freed();
  }
  return arrays.result();
}

function tooMuchText({ bytesMax }: CallMemory): ServiceError {
  const message = `The conditions of the query process more text than the ${bytesMax} bytes that they may keep in memory (setting functionBytesMax); narrow them.`;
  return new ServiceError(212, message, { status: 413 });
}

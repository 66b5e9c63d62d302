/**
 * Reads on the main thread: single records by objectId, and queries known to be short (`short-queries.ts`), which take
 * less time there than a request to a thread. Records requested in one turn of the event loop are first all read, then
 * all answered: the processor's caches then hold first SQLite's code and pages, then those of the network. Alternating
 * for every record took twice as long.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import type { Zone } from '../../schema/time.ts';
import { stopping } from '../busy.ts';
import { readDefinition } from '../catalogue.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../contract.ts';
import type { JsonText } from '../json-text.ts';
import { type AnswerWriters, answerWriters, type RecordWriter } from './column-types.ts';
import { executeOn } from './database.ts';
import { Deadline, everyRow } from './deadline.ts';
import { sqliteLayout } from './dialect.ts';
import type { Disk } from './disk.ts';
import { errorOf, failureOf, isOfStatement } from './failure.ts';
import { pathOf } from './folder.ts';
import { CallMemory } from './functions.ts';
import type { Share } from './open-files.ts';
import { openReadFiles, type Query, type ReadFile, type ReadFolder, type SelectLimits, select } from './select.ts';

export interface Records {
  /** JSON text of the record, or null. @throws ServiceError */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<JsonText | null>;
  /** A query, run at once; null when it exceeded the limits, or the file is not open yet. @throws ServiceError */
  select(spaceId: number, request: SelectRequest, limits: SelectLimits): SelectResult | null;
  /** The tables according to the file. @throws ServiceError */
  definition(spaceId: number): Promise<SpaceDefinition>;
  /** Bytes of the pages in use. @throws ServiceError */
  size(spaceId: number): Promise<number>;
  /** Answers everything requested before. */
  close(): void;
}

interface LookUp {
  readonly spaceId: number;
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
  resolve(record: JsonText | null): void;
  reject(error: unknown): void;
}

const sizeSql = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;

export interface RecordsOptions {
  readonly source: ReadFolder;
  readonly share: Share;
  readonly settings: Pick<Settings, 'functionBytesMax'>;
  readonly zone: Zone;
  /** See `deadline.ts`. */
  readonly deadlineFactor: number;
  /** Opens a file ahead of the main thread, which must not wait for a frozen disk. */
  readonly disk: Pick<Disk, 'opened'>;
}

export function openRecords(options: RecordsOptions): Records {
  const { source, share, settings, zone, deadlineFactor, disk } = options;
  const { folder } = source;
  const deadline = new Deadline();
  let factor = everyRow;
  const memory = new CallMemory(settings.functionBytesMax);
  const files = openReadFiles(source, share, deadline, () => factor, memory);
  const writers = new WeakMap<Statement, AnswerWriters>();
  const coverage = new WeakMap<Statement, boolean>();
  /** Requests of this turn of the event loop. */
  let asked: LookUp[] = [];
  let isClosed = false;

  function writersOf(statement: Statement): AnswerWriters {
    let own = writers.get(statement);
    if (own === undefined) {
      own = answerWriters(statement, zone);
      writers.set(statement, own);
    }
    return own;
  }

  /**
   * Whether a statement reads only index entries, whose size is limited. A record, in contrast, may have hundreds of
   * megabytes.
   */
  function isCovered(file: ReadFile, bound: BoundStatement | undefined): boolean {
    if (bound === undefined) return true;
    let covered = coverage.get(bound.statement);
    if (covered === undefined) {
      covered = readsIndexesOnly(file.db, bound);
      coverage.set(bound.statement, covered);
    }
    return covered;
  }

  function queryOf(bound: BoundStatement | undefined): Query | null {
    if (bound === undefined) return null;
    const { statement, values } = bound;
    return { id: statement.id, sql: statement.sql, writers: writersOf(statement), values, steps: null };
  }

  function using<Result>(spaceId: number, read: (file: ReadFile) => Result): Result {
    if (isClosed) throw stopping();
    try {
      return read(files.use(spaceId));
    } catch (error) {
      if (!isOfStatement(error)) files.drop(spaceId);
      throw errorOf(failureOf(error, `reading ${pathOf(folder, spaceId)}`));
    }
  }

  function lookUp({ spaceId, statement, values }: LookUp): JsonText | null {
    return using(spaceId, (file) => {
      try {
        const row = file.prepared(statement.id, statement.sql).get(...(values as SQLInputValue[]));
        return row === undefined
          ? null
          : (writersOf(statement).arrays[0] as RecordWriter)(row as unknown as SQLOutputValue[]);
      } catch (error) {
        file.forget(statement.id);
        throw error;
      }
    });
  }

  function lookUpAsked(): void {
    const lookUps = asked;
    asked = [];
    for (const one of lookUps) {
      try {
        one.resolve(lookUp(one));
      } catch (error) {
        one.reject(error);
      }
    }
  }

  function ask(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<JsonText | null> {
    return new Promise((resolve, reject) => {
      // The first request of a turn schedules the reading of all, after the network's input has been processed.
      if (asked.push({ spaceId, statement, values, resolve, reject }) === 1) setImmediate(lookUpAsked);
    });
  }

  async function opening<Result>(spaceId: number, read: (file: ReadFile) => Result): Promise<Result> {
    if (!files.isOpen(spaceId)) await disk.opened(spaceId);
    return using(spaceId, read);
  }

  return {
    record: (spaceId, statement, values) =>
      files.isOpen(spaceId)
        ? ask(spaceId, statement, values)
        : disk.opened(spaceId).then(() => ask(spaceId, statement, values)),
    select(spaceId, { rows, count }, limits) {
      if (!files.isOpen(spaceId)) {
        opening(spaceId, () => {}).catch(() => {});
        return null;
      }
      try {
        return using(spaceId, (file) => {
          // So that at most one record is read between two checks of the time.
          factor = isCovered(file, rows) && isCovered(file, count) ? deadlineFactor : everyRow;
          deadline.start(limits.queryTimeMs);
          return select(file, queryOf(rows), queryOf(count), limits, { deadline, memory, isShort: true });
        });
      } catch (error) {
        if (error instanceof ServiceError && error.reason === 212) return null;
        throw error;
      }
    },
    definition: (spaceId) => opening(spaceId, ({ db }) => executeOn(db, readDefinition(sqliteLayout))),
    size: (spaceId) =>
      opening(spaceId, ({ db }) => {
        const row = db.prepare(sizeSql).get();
        return Number(row?.bytes);
      }),
    close() {
      lookUpAsked();
      isClosed = true;
      files.close();
    },
  };
}

/** Inspects the plan for all its tables except our own short lists. */
function readsIndexesOnly(db: DatabaseSync, { statement: { sql }, values }: BoundStatement): boolean {
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as SQLInputValue[]));
  const reads = steps.map(({ detail }) => String(detail)).filter((detail) => /^(?:SCAN|SEARCH) /.test(detail));
  return reads.every((detail) =>
    /^(?:SCAN|SEARCH) (?:json_each|_audience_member|m)\b|USING COVERING INDEX/.test(detail),
  );
}

/**
 * Reading single records by their objectId, on the main thread: there a read takes less time than asking a thread. Those
 * that were asked for in one turn of the event loop are read one right after the other, and answered one right after the
 * other: so the processor has SQLite's code and pages at hand, then those of the network, instead of changing between them
 * for every record, which took twice the time.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import type { Zone } from '../../schema/time.ts';
import { readDefinition } from './catalogue.ts';
import { everyRow } from './deadline-gate.ts';
import { errorOf, failureOf, isOfStatement, stopping } from './failure.ts';
import { pathOf } from './folder.ts';
import type { Share } from './open-files.ts';
import { type RecordWriter, type Row, recordWriters } from './rows.ts';
import { openReadFiles, type ReadFile, type ReadFolder } from './select.ts';

export interface Records {
  /** JSON text of the record, or null. @throws ServiceError */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<string | null>;
  /** The tables as they are in the file. @throws ServiceError */
  definition(spaceId: number): SpaceDefinition;
  /** Bytes of the pages that are in use. @throws ServiceError */
  size(spaceId: number): number;
  close(): void;
}

interface LookUp {
  readonly spaceId: number;
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
  resolve(record: string | null): void;
  reject(error: unknown): void;
}

const sizeSql = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;

/** A look-up by key is over before any deadline. */
const noDeadline = { passed: () => false, hasPassedNow: () => false };

export function openRecords(place: ReadFolder, share: Share, zone: Zone): Records {
  const { folder } = place;
  const files = openReadFiles(place, share, noDeadline, everyRow);
  const writers = new WeakMap<Statement, RecordWriter>();
  /** Those of this turn of the event loop. */
  let asked: LookUp[] = [];
  let isClosed = false;

  function writerOf(statement: Statement): RecordWriter {
    let writer = writers.get(statement);
    if (writer === undefined) {
      writer = recordWriters(statement.outputs, zone)[0];
      if (writer === undefined) throw new Error('The statement for a single record has no output.');
      writers.set(statement, writer);
    }
    return writer;
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

  function lookUp({ spaceId, statement, values }: LookUp): string | null {
    return using(spaceId, (file) => {
      try {
        const row = file.prepared(statement.id, statement.sql).get(...(values as SQLInputValue[]));
        return row === undefined ? null : writerOf(statement)(row as unknown as Row);
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

  return {
    record: (spaceId, statement, values) =>
      new Promise((resolve, reject) => {
        // The first of a turn has all of them read after it, when what came from the network has been taken in.
        if (asked.push({ spaceId, statement, values, resolve, reject }) === 1) setImmediate(lookUpAsked);
      }),
    definition: (spaceId) =>
      using(spaceId, ({ db }) => {
        db.exec('BEGIN');
        try {
          return readDefinition(db);
        } finally {
          db.exec('ROLLBACK');
        }
      }),
    size: (spaceId) =>
      using(spaceId, ({ db }) => {
        const row = db.prepare(sizeSql).get();
        return Number(row?.bytes);
      }),
    close() {
      isClosed = true;
      files.close();
    },
  };
}

/** Reading single records by their objectId, on the main thread: there a read takes less time than asking a thread. */
import type { SQLInputValue } from 'node:sqlite';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import type { Zone } from '../../schema/time.ts';
import { readDefinition } from './catalogue.ts';
import { errorOf, failureOf, isOfStatement, stopping } from './failure.ts';
import { pathOf } from './folder.ts';
import type { Share } from './open-files.ts';
import { type RecordWriter, type Row, recordWriters } from './rows.ts';
import { openReadFiles, type ReadFile } from './select.ts';

export interface Records {
  /** JSON text of the record, or null. @throws ServiceError */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): string | null;
  /** The tables as they are in the file. @throws ServiceError */
  definition(spaceId: number): SpaceDefinition;
  /** Bytes of the pages that are in use. @throws ServiceError */
  size(spaceId: number): number;
  close(): void;
}

const sizeSql = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;

/** A look-up by key is over before any deadline. */
const noDeadline = { passed: () => false, hasPassedNow: () => false };

export function openRecords(folder: string, share: Share, zone: Zone): Records {
  const files = openReadFiles(folder, share, noDeadline);
  const writers = new WeakMap<Statement, RecordWriter>();
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

  return {
    record: (spaceId, statement, values) =>
      using(spaceId, (file) => {
        const row = file.prepared(statement.id, statement.sql).get(...(values as SQLInputValue[]));
        return row === undefined ? null : writerOf(statement)(row as unknown as Row);
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

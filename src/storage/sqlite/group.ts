/**
 * Group commit inside the writer thread: executes the requests collected for one file in order, in one transaction. A
 * failed request is rolled back alone; no request is answered before the commit.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { itemsIn, requireExpected, type Written } from '../contract.ts';
import { type Identity, occupied } from '../identity.ts';
import { StatementCache } from '../lru.ts';
import { applyBatch } from './batch.ts';
import { identityOf, isUnused } from './database.ts';
import { failureOf, isConstraint, isOfStatement } from './failure.ts';
import type { Answer, SqlQuery, WriteAnswers, WriteRequest } from './messages.ts';
import { SpaceFile } from './space-file.ts';

const statementsMax = 256;

type Value = WriteAnswers[keyof WriteAnswers];

/** A request without a savepoint failed unexpectedly, so it can't be rolled back alone. */
class MissingSavepoint extends Error {}

export class WriteFile {
  readonly db: DatabaseSync;
  /** How long the last COMMIT took, with its sync. */
  commitMs: number | null = null;
  /** Null for the directory and the logs. */
  readonly #space: SpaceFile | null;
  readonly #statements: StatementCache<string, StatementSync>;

  constructor(db: DatabaseSync, isSpace: boolean) {
    this.db = db;
    this.#statements = new StatementCache(statementsMax, (sql) => db.prepare(sql));
    this.#space = isSpace ? new SpaceFile(db) : null;
  }

  /**
   * One answer per request, after all successful ones were synced to disk.
   * @throws when the transaction as a whole failed: nothing was written, and the file should be reopened
   */
  commit(requests: readonly WriteRequest[]): Answer<Value>[] {
    try {
      return this.#commit(requests, mayBeHalfDone);
    } catch (error) {
      if (!(error instanceof MissingSavepoint)) throw error;
      // A statement that failed may report its error once more on its next run.
      this.#statements.clear();
      this.#space?.forgetStatements();
      return this.#commit(requests, () => true);
    }
  }

  #commit(requests: readonly WriteRequest[], needsGuard: (request: WriteRequest) => boolean): Answer<Value>[] {
    this.#run('BEGIN IMMEDIATE');
    try {
      this.#space?.begin();
      const answers = requests.map((request) => this.#runRequest(request, needsGuard(request)));
      this.#space?.finish();
      const begun = performance.now();
      this.#run('COMMIT');
      this.commitMs = performance.now() - begun;
      this.#space?.committed();
      this.#showToReaders();
      return answers;
    } catch (error) {
      if (this.db.isTransaction) this.#run('ROLLBACK');
      throw error;
    }
  }

  /**
   * The first read after a commit records its position in the log's index. That write to a file waits while the disk is
   * frozen, so it is done here rather than by a read of the main thread.
   */
  #showToReaders(): void {
    this.#statement('SELECT 1 FROM sqlite_schema LIMIT 1').get();
  }

  #runRequest(request: WriteRequest, isGuarded: boolean): Answer<Value> {
    if (isGuarded) this.#run('SAVEPOINT request');
    try {
      const value = this.#perform(request);
      if (isGuarded) {
        if (isFailed(value)) this.#run('ROLLBACK TO request');
        this.#run('RELEASE request');
      }
      return { value };
    } catch (error) {
      // A full disk or an I/O error may have ended the transaction, and with it the writes of other requests.
      if (!this.db.isTransaction || !isHarmless(error)) throw error;
      if (isGuarded) {
        this.#run('ROLLBACK TO request');
        this.#run('RELEASE request');
      } else if (!isConstraint(error))
        throw new MissingSavepoint('A request failed without a savepoint.', { cause: error });
      return { failure: failureOf(error, `carrying out "${request.kind}"`) };
    }
  }

  #perform(request: WriteRequest): Value {
    const space = this.#space;
    if (request.kind === 'sql') {
      return request.queries.map((query) => {
        const written = this.#execute(query);
        requireExpected(query, written);
        return written;
      });
    }
    if (space === null) throw new Error(`"${request.kind}" is for data spaces.`);
    switch (request.kind) {
      case 'create':
        if (!isUnused(space.db)) throw occupied(identityOf(space.db) as Identity);
        space.seeAll(request.highestIds);
        return null;
      case 'batch':
        return applyBatch(space, request.batch);
      case 'prune':
        return space.pruneHistory(request.before, request.rowsMax);
      case 'define':
        return space.define(request.change);
    }
  }

  #execute(query: SqlQuery): Written {
    const statement = this.#statement(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (statement.columns().length === 0) {
      return { rows: [], changed: Number(statement.run(...parameters).changes) };
    }
    const rows = statement.all(...parameters);
    return { rows, changed: rows.length };
  }

  #run(sql: string): void {
    this.#statement(sql).run();
  }

  #statement(sql: string): StatementSync {
    return this.#statements.get(sql) ?? this.#statements.add(sql, sql);
  }
}

/**
 * A batch of one item changes its record by its first writing statement or not at all, so it needs no savepoint, which
 * would cost a tenth of an add.
 */
function mayBeHalfDone(request: WriteRequest): boolean {
  return request.kind !== 'batch' || itemsIn(request.batch) > 1;
}

function isFailed(value: Value): boolean {
  return value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'failed';
}

/** True for an error of the request itself: of its statement, or thrown by our own code. */
function isHarmless(error: unknown): boolean {
  return isOfStatement(error) || !(error instanceof Error && 'errcode' in error);
}

/** A data space's file, opened by its writer: the definition, the commit counter, and the prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DefinitionChange, SpaceDefinition } from '../../schema/model.ts';
import { changed, readDefinition } from '../catalogue.ts';
import { performStep, stepContext } from '../change-steps.ts';
import type { WriteBatch, WrittenItem } from '../contract.ts';
import { type HighestIds, higher, type Writer, withWriter } from '../identity.ts';
import { answeredItems, answerText } from '../judge.ts';
import { Lru } from '../lru.ts';
import type { Work } from '../work.ts';
import { executeOn, preparedFor, raiseSeen, seenIn } from './database.ts';
import { sqliteLayout as layout } from './dialect.ts';
import { TableStatements } from './table-statements.ts';

/** Number of tables per file whose statements are kept prepared. */
const tablesMax = 64;

export interface HistoryEntry {
  readonly requestHash: string;
  readonly items: readonly WrittenItem[];
}

export class SpaceFile {
  readonly db: DatabaseSync;
  definition: SpaceDefinition;
  /** Number of the data space's last change; every batch that changes something takes the next number. */
  #seq = 0;
  #savedSeq = 0;
  /** The highest ids that the file has seen: including this transaction's, and the committed ones. */
  #seen: HighestIds;
  #savedSeen: HighestIds;
  readonly #tables = new Lru<string, TableStatements>(tablesMax);
  readonly #space: StatementSync;
  readonly #saveSeq: StatementSync;
  readonly #findHistory: StatementSync;
  readonly #addHistory: StatementSync;
  readonly #findTombstone: StatementSync;
  readonly #putTombstone: StatementSync;
  readonly #addMember: StatementSync;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.definition = executeOn(db, readDefinition(layout));
    this.#seen = seenIn(db);
    this.#savedSeen = this.#seen;
    this.#space = preparedFor(db, 'SELECT definition_version, commit_seq FROM _space');
    this.#saveSeq = db.prepare('UPDATE _space SET commit_seq = ?1');
    this.#findHistory = preparedFor(db, 'SELECT request_hash, answer FROM _history WHERE transaction_id = ?1');
    this.#addHistory = db.prepare(
      'INSERT INTO _history (transaction_id, request_hash, answer, time, user_id, operations) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    );
    this.#findTombstone = preparedFor(db, 'SELECT time FROM _tombstone WHERE table_id = ?1 AND object_id = ?2');
    this.#putTombstone = db.prepare('INSERT OR REPLACE INTO _tombstone VALUES (?1, ?2, ?3, ?4, ?5)');
    this.#addMember = db.prepare('INSERT OR IGNORE INTO _audience_member VALUES (?1, ?2)');
  }

  /** Called first in every transaction, because another process may have changed the file since the last one. */
  begin(): void {
    const [version, seq] = this.#space.get() as unknown as [number, number];
    this.#seq = seq;
    this.#savedSeq = seq;
    this.#seen = this.#savedSeen;
    if (version !== this.definition.version) this.#redefine(executeOn(this.db, readDefinition(layout)));
  }

  /** Called last in every transaction. */
  finish(): void {
    if (this.#seq !== this.#savedSeq) this.#saveSeq.run(this.#seq);
    if (this.#seen !== this.#savedSeen) raiseSeen(this.db, this.#seen);
  }

  /** After the commit. */
  committed(): void {
    this.#savedSeen = this.#seen;
  }

  /** Costs a comparison, and a write only when one of the ids is higher than any before. */
  see(writer: Writer): void {
    this.#seen = withWriter(this.#seen, writer);
  }

  seeAll(ids: HighestIds): void {
    this.#seen = higher(this.#seen, ids);
  }

  /**
   * Makes the change and returns the definition after it; null when the change was planned for another definition than
   * the present one.
   * @throws ServiceError `malformed` for an index that the present records contradict
   */
  define(change: DefinitionChange): SpaceDefinition | null {
    const definition = executeOn(this.db, definitionAfter(change));
    if (definition !== null) this.#redefine(definition);
    return definition;
  }

  #redefine(definition: SpaceDefinition): void {
    this.definition = definition;
    this.forgetStatements();
  }

  /** The tables' statements are prepared again when they are next needed. */
  forgetStatements(): void {
    this.#tables.clear();
  }

  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** Uses up `nextSeq`. The number of a batch that is then rolled back is skipped. */
  takeSeq(): void {
    this.#seq++;
  }

  /** @throws Error for an unknown table, because the batch was checked against this definition */
  table(name: string): TableStatements {
    const present = this.#tables.get(name);
    if (present !== undefined) return present;
    const table = this.definition.tables.get(name);
    if (table === undefined) throw new Error(`The batch names a table that its definition does not have: ${name}.`);
    return this.#tables.set(name, new TableStatements(this.db, table));
  }

  history(transactionId: string): HistoryEntry | null {
    const row = this.#findHistory.get(transactionId) as unknown as [string, string] | undefined;
    if (row === undefined) return null;
    return { requestHash: row[0], items: answeredItems(row[1]) };
  }

  /** @param operations as `operationsText` wrote them */
  remember(
    { transactionId, requestHash, now, userId }: WriteBatch,
    items: readonly WrittenItem[],
    operations: string,
  ): void {
    this.#addHistory.run(transactionId, requestHash, answerText(items), now, userId, operations);
  }

  /** When the record with this id was last deleted, milliseconds, or null. */
  tombstoneTime(tableId: number, objectId: string): number | null {
    const row = this.#findTombstone.get(tableId, objectId) as unknown as [number] | undefined;
    return row === undefined ? null : row[0];
  }

  /** @param audience who could see the record and must learn of its deletion */
  putTombstone(tableId: number, objectId: string, time: number, audience: string): void {
    this.#putTombstone.run(tableId, objectId, time, this.nextSeq, audience);
  }

  addMembers(audience: string, members: readonly string[]): void {
    for (const member of members) this.#addMember.run(member, audience);
  }

  /**
   * Deletes the oldest history entries from before that time, at most `rowsMax`.
   * @returns how many were deleted
   */
  pruneHistory(before: number, rowsMax: number): number {
    const statement = this.db.prepare(
      `DELETE FROM _history WHERE id IN
         (SELECT id FROM (SELECT id, time FROM _history ORDER BY id LIMIT ?1) WHERE time < ?2)`,
    );
    return Number(statement.run(rowsMax, before).changes);
  }
}

function* definitionAfter(change: DefinitionChange): Work<SpaceDefinition | null> {
  const before = yield* readDefinition(layout);
  if (before.version !== change.fromVersion) return null;
  const context = stepContext(layout, change);
  for (const step of change.steps) yield* performStep(context, step);
  return yield* changed(layout, before.catalogue, change);
}

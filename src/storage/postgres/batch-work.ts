/**
 * The transaction of a batch that runs alone (`batch.ts`): its locks, its history row, its commit number, and its
 * rollback. Locks are taken in one order: records by table and objectId, the history, the members of audiences, the
 * tables, the counter of commits. Once it holds the counter, no other batch of the data space writes until it ends.
 */
import type {
  ItemFailure,
  PutChange,
  PutItem,
  TableChange,
  WriteBatch,
  WriteOutcome,
  WrittenItem,
} from '../contract.ts';
import {
  answerText,
  type Failures,
  failuresAmong,
  isFailing,
  operationsText,
  type StoredRecord,
  withAudience,
} from '../judge.ts';
import { keyValues, Mentions } from '../judge-puts.ts';
import { noteMembers } from './audiences.ts';
import { takeNumbers } from './commit-counter.ts';
import type { Connection, Sql, Transactions } from './connections.ts';
import { isUnique } from './failure.ts';
import { type Attempt, complete, isProcessed, remember } from './history.ts';
import { inStore } from './schemas.ts';
import type { TableWrites } from './table-writes.ts';

export interface BatchContext {
  readonly connections: Transactions;
  readonly spaceId: number;
  /** One for each change of the batch. */
  readonly writes: readonly TableWrites[];
}

/** Something that the locks do not cover changed between two statements of the batch: run it again. */
export class Conflict extends Error {}

/** Rolls the transaction back; carries the outcome. */
export class RolledBack extends Error {
  readonly outcome: WriteOutcome;

  constructor(outcome: WriteOutcome) {
    super(`The batch was undone: ${outcome.kind}.`);
    this.outcome = outcome;
  }
}

/** Rolls the transaction back; the outcome is the one in the history, read afterwards. */
export class AlreadyProcessed extends Error {}

export interface FoundRecord extends StoredRecord {
  readonly objectId: string;
}

/** The finding of a put: a record, whether the caller sees it, and when the last one with this id was deleted. */
export interface FoundForPut {
  readonly objectId: string | null;
  readonly isVisible: boolean;
  readonly deletedAt: number | null;
}

/** One change of the batch, and its table. */
export interface Target {
  readonly work: Work;
  readonly change: TableChange;
  readonly position: number;
  readonly writes: TableWrites;
}

export class Work {
  readonly connection: Connection;
  readonly targets: readonly Target[];
  readonly mentions: Mentions;
  readonly #context: BatchContext;
  readonly #attempt: Attempt;
  /** The records of updates, deletes and puts that the caller sees, by the number of the table and their id. */
  readonly #locked = new Map<number, ReadonlyMap<string, FoundRecord>>();
  /** Which record each item of a put by a key found before the locks. */
  readonly #byKey = new Map<PutItem, string>();
  /** The number of the commit, once the batch writes. */
  #seq: string | null = null;

  constructor(context: BatchContext, connection: Connection, attempt: Attempt) {
    const { changes } = attempt.batch;
    this.connection = connection;
    this.mentions = new Mentions(changes);
    this.#context = context;
    this.#attempt = attempt;
    this.targets = changes.map((change, position) => {
      return { work: this, change, position, writes: context.writes[position] as TableWrites };
    });
  }

  get batch(): WriteBatch {
    return this.#attempt.batch;
  }

  /** Locks the records that the batch may change, table by table and in the order of their ids. */
  async lock(): Promise<void> {
    for (const [id, targets] of this.#byTable()) {
      const objectIds = new Set<string>();
      for (const target of targets) for (const objectId of await this.#toBeLocked(target)) objectIds.add(objectId);
      const [{ writes }] = targets as [Target];
      if (objectIds.size > 0) this.#locked.set(id, await this.#find(writes, [...objectIds]));
    }
  }

  /** A locked record. */
  record({ writes }: Pick<Target, 'writes'>, objectId: string): FoundRecord | null {
    return this.#locked.get(writes.table.id)?.get(objectId) ?? null;
  }

  /** One for each item of the put. */
  async findForPut({ writes }: Target, { key, items }: PutChange): Promise<FoundForPut[]> {
    const sent = items.map((item) => (key === null ? [item.objectId] : keyValues(key, item)));
    const { rows } = await this.connection.query(await writes.findForPut(key, sent, this.batch.members));
    await this.refuseStale(rows[0]?.[0]);
    const found: FoundForPut[] = [];
    for (const [, position, objectId, isVisible, deletedAt] of rows) {
      if (position === null) continue;
      found[Number(position) - 1] = {
        objectId: objectId as string | null,
        isVisible: isVisible === 't',
        deletedAt: deletedAt === null ? null : Number(deletedAt),
      };
    }
    return found;
  }

  /**
   * Before anything is written: enters the batch in the history, and takes its number. The number is taken as late as
   * possible, because other batches of the data space then wait until the commit. The tables are locked before it, so
   * that those batches do not also wait for a change of these tables.
   * @param written the answer of the change
   * @returns the number of the commit
   */
  async begin(written: readonly WrittenItem[]): Promise<string> {
    if (this.#seq !== null) return this.#seq;
    const { spaceId } = this.#context;
    const operations = this.targets.map(({ change, writes }) => [change.operation, writes.table.id] as const);
    // With several changes, the answer is known only at the end.
    const answer = answerText(this.targets.length === 1 ? written : []);
    const isNew = await remember(this.connection, spaceId, this.#attempt, answer, operationsText(operations));
    if (!isNew) throw new AlreadyProcessed();
    const shared = new Set(this.#audiences().filter((audience) => audience.includes(',')));
    await noteMembers(this.connection, spaceId, [...shared]);
    for (const [, [target]] of this.#byTable()) await this.run((target as Target).writes.enter());
    const { rows } = await this.connection.query({ text: inStore(takeNumbers('1'), spaceId) });
    this.#seq = rows[0]?.[0] as string;
    return this.#seq;
  }

  /** After everything is written. */
  async end(written: readonly WrittenItem[]): Promise<void> {
    if (this.targets.length === 1) return;
    await complete(this.connection, this.#context.spaceId, this.#attempt, answerText(written));
  }

  async refuseStale(version: string | null | undefined): Promise<void> {
    if (Number(version) !== this.batch.definitionVersion) await this.#undo({ kind: 'stale' });
  }

  async refuse({ position }: Target, failures: Failures): Promise<never[]> {
    const { changes } = this.batch;
    if (isFailing(failures)) {
      await this.#undo({ kind: 'failed', failures: failuresAmong(changes, position, failures) });
    }
    return [];
  }

  /** Continues after an item refused by a unique index, so that all such items are reported. */
  async oneByOne<Item>(
    items: readonly Item[],
    statement: (item: Item) => Promise<Sql>,
    why: (item: Item) => Promise<ItemFailure>,
  ): Promise<Failures> {
    const failures: (ItemFailure | null)[] = [];
    for (const item of items) {
      const isWritten = await this.attempt(() => this.run(statement(item)));
      failures.push(isWritten ? null : await why(item));
    }
    return failures;
  }

  /** @returns false when a unique index refused the work, which is then rolled back */
  async attempt(work: () => Promise<void>): Promise<boolean> {
    await this.run({ text: 'SAVEPOINT item' });
    try {
      await work();
      await this.run({ text: 'RELEASE SAVEPOINT item' });
      return true;
    } catch (error) {
      if (!isUnique(error)) throw error;
      await this.run({ text: 'ROLLBACK TO SAVEPOINT item' });
      await this.run({ text: 'RELEASE SAVEPOINT item' });
      return false;
    }
  }

  async run(statement: Sql | Promise<Sql>): Promise<void> {
    await this.connection.query(await statement);
  }

  /** In the order in which tables are locked: by their numbers. */
  #byTable(): readonly (readonly [number, readonly Target[]])[] {
    const byTable = Map.groupBy(this.targets, ({ writes }) => writes.table.id);
    return [...byTable].sort(([one], [other]) => one - other);
  }

  async #toBeLocked(target: Target): Promise<readonly string[]> {
    const { change } = target;
    if (change.operation === 'add') return [];
    if (change.operation !== 'put' || change.key === null) return change.items.map(({ objectId }) => objectId);
    const found = await this.findForPut(target, change);
    for (const [index, item] of change.items.entries()) {
      const { objectId = null } = found[index] ?? {};
      if (objectId !== null) this.#byKey.set(item, objectId);
    }
    return found.flatMap(({ objectId }) => objectId ?? []);
  }

  async #find(writes: TableWrites, objectIds: readonly string[]): Promise<Map<string, FoundRecord>> {
    const { rows } = await this.connection.query(writes.findForChange(objectIds, this.batch.members));
    await this.refuseStale(rows[0]?.[0]);
    const found = new Map<string, FoundRecord>();
    for (const [, objectId, created, updated, scopeType, groupIds, createUserId, audience] of rows) {
      if (objectId === null) continue;
      found.set(objectId as string, {
        objectId: objectId as string,
        created: Number(created),
        updated: Number(updated),
        scopeType: scopeType === null ? null : Number(scopeType),
        groupIds: groupIds as string | null,
        createUserId: Number(createUserId),
        audience: audience as string,
      });
    }
    return found;
  }

  /** All audiences that records may get, whether items add or update. */
  #audiences(): string[] {
    return this.targets.flatMap((target) => {
      const { change } = target;
      if (change.operation === 'add') return change.items.map(({ audience }) => audience);
      if (change.operation === 'delete') return [];
      return change.items.flatMap((item) => {
        const record = this.record(target, this.#byKey.get(item as PutItem) ?? item.objectId);
        const updated = record === null ? [] : [withAudience(this.batch, item, record).audience];
        return 'addition' in item && 'audience' in item.addition ? [...updated, item.addition.audience] : updated;
      });
    });
  }

  /** The history comes first: a processed batch must not be reported as failed. Its records are already locked. */
  async #undo(outcome: WriteOutcome): Promise<never> {
    const isBegun = this.#seq !== null;
    throw !isBegun && (await isProcessed(this.connection, this.#context.spaceId, this.#attempt))
      ? new AlreadyProcessed()
      : new RolledBack(outcome);
  }
}

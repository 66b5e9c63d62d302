/**
 * Executes one batch by itself, the thorough way (docs/reference/writing.md#one-batch-all-or-nothing), in a transaction
 * of its own: locks its records in the order of their ids, looks it up in the history, checks every item, then writes
 * all. Its outcome is exact; the merged way (`merge.ts`) only knows that a batch did not succeed.
 */
import { inTimeSlices } from '../../time-slices.ts';
import type { AddItem, DeleteItem, ItemFailure, UpdateItem, WriteOutcome, WrittenItem } from '../contract.ts';
import { type SizedUpdate, sizeFailure, sizeFailuresOfAdds, sizesWanted } from '../index-size.ts';
import {
  answerText,
  duplicate,
  type Failures,
  forward,
  isFailing,
  judgeAdds,
  judgeDeletes,
  judgeUpdates,
  operationsText,
  type StoredRecord,
  withAudience,
} from '../judge.ts';
import { noteMembers } from './audiences.ts';
import { takeNumbers } from './commit-counter.ts';
import type { Connection, Sql, Transactions } from './connections.ts';
import { isUndefined, isUnique } from './failure.ts';
import { type Attempt, isProcessed, lookUp, remember } from './history.ts';
import { inStore } from './schemas.ts';
import type { Row, TableWrites } from './table-writes.ts';

export interface BatchContext {
  readonly connections: Transactions;
  readonly spaceId: number;
  readonly writes: TableWrites;
}

/** Something that the locks do not cover changed between two statements of the batch: run it again. */
export class Conflict extends Error {}

/** Rolls the transaction back; carries the outcome. */
class RolledBack extends Error {
  readonly outcome: WriteOutcome;

  constructor(outcome: WriteOutcome) {
    super(`The batch was undone: ${outcome.kind}.`);
    this.outcome = outcome;
  }
}

/** Rolls the transaction back; the outcome is the one in the history, read afterwards. */
class AlreadyProcessed extends Error {}

/** @throws Conflict, and any error of the database: then the outcome is unknown */
export async function execute(context: BatchContext, attempt: Attempt): Promise<WriteOutcome> {
  const { connections, spaceId } = context;
  try {
    return await connections.transaction('read committed', async (connection) => {
      const work = new Work(context, connection, attempt);
      return { kind: 'done', items: await work.execute() };
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome;
    if (!(error instanceof AlreadyProcessed) && !isUndefined(error)) throw error;
    const known = await lookUp(connections, spaceId, attempt);
    if (known !== null) return known;
    if (error instanceof AlreadyProcessed) throw new Conflict('The history forgot the transaction meanwhile.');
    if ((await versionOf(connections, spaceId)) === attempt.batch.definitionVersion) throw error;
    return { kind: 'stale' };
  }
}

async function versionOf(connection: Connection, spaceId: number): Promise<number> {
  const { rows } = await connection.query({ text: inStore('SELECT definition_version FROM "~"._space', spaceId) });
  return Number(rows[0]?.[0]);
}

interface FoundRecord extends StoredRecord {
  readonly objectId: string;
}

class Work {
  readonly #context: BatchContext;
  readonly #connection: Connection;
  readonly #attempt: Attempt;

  constructor(context: BatchContext, connection: Connection, attempt: Attempt) {
    this.#context = context;
    this.#connection = connection;
    this.#attempt = attempt;
  }

  /** @throws RolledBack with any outcome but success */
  execute(): Promise<readonly WrittenItem[]> {
    const { change } = this.#attempt.batch;
    switch (change.operation) {
      case 'add':
        return this.#add(change.items);
      case 'update':
        return this.#update(change.items);
      case 'delete':
        return this.#delete(change.items);
    }
  }

  async #add(items: readonly AddItem[]): Promise<readonly WrittenItem[]> {
    const { now } = this.#attempt.batch;
    const { writes } = this.#context;
    const { present, deleted } = await this.#findForAdd(items);
    await this.#refuse(judgeAdds(items, (objectId) => present.has(objectId)));
    await this.#refuse(sizeFailuresOfAdds(writes.table, items));
    const written = items.map(({ objectId, generated }) => {
      const time = forward(now, generated ? null : (deleted.get(objectId) ?? null));
      return { objectId, created: time, updated: time };
    });
    await this.#remember(written);
    await this.#note(items.map(({ audience }) => audience));
    const rows: Row[] = [];
    await inTimeSlices(items.length, (index) => {
      rows.push(writes.addRow(items[index] as AddItem, (written[index] as WrittenItem).created));
    });
    const seq = await this.#takeNumber();
    await this.#savepoint(
      () => this.#run(writes.insert(rows, seq)),
      async () => {
        const failures = await this.#oneByOne(
          rows,
          (row) => writes.insert([row], seq),
          (row) => this.#whyNotAdded(row),
        );
        if (isFailing(failures)) throw new RolledBack({ kind: 'failed', failures });
      },
    );
    await this.#refuseOlder(items, written);
    return written;
  }

  async #update(items: readonly UpdateItem[]): Promise<readonly WrittenItem[]> {
    const { batch } = this.#attempt;
    const { writes } = this.#context;
    const found = await this.#findForChange(items);
    const judged = judgeUpdates(items, (objectId) => found.get(objectId) ?? null);
    if (judged.kind === 'failed') return this.#refuse(judged.failures);
    const scoped = judged.records.map(({ item, record }) => ({ item, record, ...withAudience(batch, item, record) }));
    await this.#refuseTooLarge(
      scoped.map(({ item, record, ...update }) => {
        return { objectId: item.objectId, audienceBefore: record.audience, ...update };
      }),
    );
    const changeOf = ({ item: { objectId }, record, columns: names, values, audience }: (typeof scoped)[number]) => {
      const updated = forward(batch.now, record.updated);
      const columns = writes.columns(names);
      const row = writes.updateRow(objectId, updated, audience, columns, values);
      return { key: names.join(','), columns, row, audience, objectId, created: record.created, updated };
    };
    const changes: ReturnType<typeof changeOf>[] = [];
    await inTimeSlices(scoped.length, (index) => {
      changes.push(changeOf(scoped[index] as (typeof scoped)[number]));
    });
    const written = changes.map(({ objectId, created, updated }) => ({ objectId, created, updated }));
    await this.#remember(written);
    await this.#note(changes.map(({ audience }) => audience));
    const seq = await this.#takeNumber();
    if (changes.some(({ columns }) => writes.unique(columns).length > 0)) {
      // One after the other, as a value may pass from one record of the batch to another.
      const failures = await this.#oneByOne(
        changes,
        ({ row, columns }) => writes.update([row], columns, seq),
        ({ row, columns }) => this.#whyNot(writes.probeUpdate(row, columns), writes.unique(columns)),
      );
      if (isFailing(failures)) throw new RolledBack({ kind: 'failed', failures });
    } else {
      for (const alike of Map.groupBy(changes, ({ key }) => key).values()) {
        const [{ columns }] = alike as [(typeof alike)[number]];
        const alikeRows = alike.map(({ row }) => row);
        await this.#run(writes.update(alikeRows, columns, seq));
      }
    }
    return written;
  }

  async #delete(items: readonly DeleteItem[]): Promise<readonly WrittenItem[]> {
    const { now } = this.#attempt.batch;
    const found = await this.#findForChange(items);
    const judged = judgeDeletes(items, (objectId) => found.get(objectId) ?? null);
    if (judged.kind === 'failed') return this.#refuse(judged.failures);
    const written = judged.records.map(({ item: { objectId }, record: { created, updated } }) => {
      return { objectId, created, updated };
    });
    await this.#remember(written);
    const rows = written.map(({ objectId, updated }) => [objectId, String(forward(now, updated))]);
    await this.#run(this.#context.writes.bury(rows, await this.#takeNumber()));
    await this.#run(this.#context.writes.remove(rows));
    return written;
  }

  async #findForAdd(items: readonly AddItem[]) {
    const given = items.filter(({ generated }) => !generated).map(({ objectId }) => objectId);
    const present = new Set<string>();
    const deleted = new Map<string, number>();
    const { rows } = await this.#connection.query(this.#context.writes.findForAdd([...new Set(given)]));
    await this.#refuseStale(rows[0]?.[0]);
    for (const [, objectId, isPresent, deletedAt] of rows) {
      if (isPresent === 't') present.add(objectId as string);
      if (deletedAt !== null) deleted.set(objectId as string, Number(deletedAt));
    }
    return { present, deleted };
  }

  async #findForChange(items: readonly (UpdateItem | DeleteItem)[]): Promise<Map<string, FoundRecord>> {
    const { batch } = this.#attempt;
    const objectIds = [...new Set(items.map(({ objectId }) => objectId))];
    const { rows } = await this.#connection.query(this.#context.writes.findForChange(objectIds, batch.members));
    await this.#refuseStale(rows[0]?.[0]);
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

  async #refuseStale(version: string | null | undefined): Promise<void> {
    if (Number(version) !== this.#attempt.batch.definitionVersion) await this.#undo({ kind: 'stale' });
  }

  async #refuse(failures: Failures): Promise<never[]> {
    if (isFailing(failures)) await this.#undo({ kind: 'failed', failures });
    return [];
  }

  /** The history comes first: a processed batch must not be reported as failed. Its records are already locked. */
  async #undo(outcome: WriteOutcome): Promise<never> {
    throw (await isProcessed(this.#connection, this.#context.spaceId, this.#attempt))
      ? new AlreadyProcessed()
      : new RolledBack(outcome);
  }

  async #refuseTooLarge(updates: readonly SizedUpdate[]): Promise<void> {
    const { table } = this.#context.writes;
    const wanted = [...new Set(updates.flatMap((update) => sizesWanted(table, update)))];
    const sizes = new Map<string, ReadonlyMap<string, number>>();
    if (wanted.length > 0) {
      const objectIds = updates.map(({ objectId }) => objectId);
      const { rows } = await this.#connection.query(this.#context.writes.textSizes(objectIds, wanted));
      for (const [objectId, ...found] of rows) {
        sizes.set(objectId as string, new Map(wanted.map((name, index) => [name, Number(found[index])])));
      }
    }
    await this.#refuse(updates.map((update) => sizeFailure(table, update, sizes.get(update.objectId) ?? new Map())));
  }

  async #remember(written: readonly WrittenItem[]): Promise<void> {
    const { spaceId, writes } = this.#context;
    const operations = operationsText([[this.#attempt.batch.change.operation, writes.table.id]]);
    const isNew = await remember(this.#connection, spaceId, this.#attempt, answerText(written), operations);
    if (!isNew) throw new AlreadyProcessed();
  }

  /**
   * The number of the commit, taken as late as can be: the other batches of the data space wait until the commit. They must not
   * wait with this one for a change of its table, hence the lock on the table first.
   */
  async #takeNumber(): Promise<string> {
    await this.#run(this.#context.writes.enter());
    const { rows } = await this.#connection.query({ text: inStore(takeNumbers('1'), this.#context.spaceId) });
    return rows[0]?.[0] as string;
  }

  #note(audiences: readonly string[]): Promise<void> {
    const shared = new Set(audiences.filter((audience) => audience.includes(',')));
    return noteMembers(this.#connection, this.#context.spaceId, [...shared]);
  }

  /** An id may have been added and deleted since the lookup; now only this batch can use it. */
  async #refuseOlder(items: readonly AddItem[], written: readonly WrittenItem[]): Promise<void> {
    if (items.every(({ generated }) => generated)) return;
    const { deleted } = await this.#findForAdd(items);
    for (const { objectId, updated } of written) {
      if ((deleted.get(objectId) ?? -Infinity) >= updated) throw new Conflict(`${objectId} was deleted meanwhile.`);
    }
  }

  /** Continues after an item whose value a unique index refuses, so that all such items are reported. */
  async #oneByOne<Item>(
    items: readonly Item[],
    statement: (item: Item) => Promise<Sql>,
    why: (item: Item) => Promise<ItemFailure>,
  ): Promise<Failures> {
    const failures: (ItemFailure | null)[] = [];
    for (const item of items) {
      let failure: ItemFailure | null = null;
      await this.#savepoint(
        () => this.#run(statement(item)),
        async () => {
          failure = await why(item);
        },
      );
      failures.push(failure);
    }
    return failures;
  }

  /** @param refused what to do when a unique index refused the work, after its rollback */
  async #savepoint(work: () => Promise<void>, refused: () => Promise<void>): Promise<void> {
    await this.#run({ text: 'SAVEPOINT item' });
    try {
      await work();
      await this.#run({ text: 'RELEASE SAVEPOINT item' });
    } catch (error) {
      if (!isUnique(error)) throw error;
      await this.#run({ text: 'ROLLBACK TO SAVEPOINT item' });
      await this.#run({ text: 'RELEASE SAVEPOINT item' });
      await refused();
    }
  }

  #whyNotAdded(row: Row): Promise<ItemFailure> {
    const { writes } = this.#context;
    return this.#whyNot(writes.probeAdd(row), writes.unique());
  }

  async #whyNot(probe: Promise<Sql>, indexes: ReturnType<TableWrites['unique']>): Promise<ItemFailure> {
    const { rows } = await this.#connection.query(await probe);
    const index = indexes[rows[0]?.indexOf('t') ?? -1];
    if (index === undefined) throw new Conflict('The value that was in the way is gone.');
    return duplicate(index.columns);
  }

  async #run(statement: Sql | Promise<Sql>): Promise<void> {
    await this.#connection.query(await statement);
  }
}

/** An outbox in SQLite, for React Native, with any library that opens the database. */
import type { Entry, Settled } from './entry.ts';
import { type OutboxStore, settledMs } from './store.ts';

/** A database for the outbox only, opened by one program. */
export interface SqlDatabase {
  /** Executes one statement; resolves to its rows as objects by column name. */
  execute(sql: string, parameters: readonly (string | number)[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): void | Promise<void>;
}

/** Creates missing tables. Commits are synced. */
export async function sqlStore(database: SqlDatabase): Promise<OutboxStore> {
  let last: Promise<unknown> = Promise.resolve();
  const run = (sql: string, ...parameters: (string | number)[]) => database.execute(sql, parameters);

  /** One at a time, because they share a connection. */
  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  const inTransaction = (work: () => Promise<void>): Promise<void> =>
    inOrder(async () => {
      await run('BEGIN IMMEDIATE');
      try {
        await work();
        await run('COMMIT');
      } catch (error) {
        // After some errors, SQLite has already rolled back and refuses this. The first error is the useful one.
        await run('ROLLBACK').catch(() => {});
        throw error;
      }
    });

  await run('PRAGMA journal_mode = WAL');
  await run('PRAGMA synchronous = FULL');
  await run(`CREATE TABLE IF NOT EXISTS outbox_entry (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    transaction_id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL)`);
  await run(`CREATE TABLE IF NOT EXISTS outbox_settled (transaction_id TEXT PRIMARY KEY, at INTEGER NOT NULL,
    settled TEXT NOT NULL)`);
  await run('CREATE INDEX IF NOT EXISTS outbox_settled_at ON outbox_settled (at)');

  return {
    sharedName: null,
    append: (entry) =>
      inTransaction(async () => {
        const insert = 'INSERT INTO outbox_entry (transaction_id, entry) VALUES (?, ?) ON CONFLICT DO NOTHING';
        await run(insert, entry.transactionId, JSON.stringify(entry));
      }),
    entries: (after = 0) =>
      inOrder(async () => {
        const rows = await run('SELECT sequence, entry FROM outbox_entry WHERE sequence > ? ORDER BY sequence', after);
        return rows.map(({ sequence, entry }): Entry => ({ ...JSON.parse(String(entry)), sequence: Number(sequence) }));
      }),
    change: ({ put = [], remove = [], settled = [] }) =>
      inTransaction(async () => {
        for (const entry of put) {
          await run('UPDATE outbox_entry SET entry = ? WHERE sequence = ?', JSON.stringify(entry), entry.sequence);
        }
        for (const sequence of remove) await run('DELETE FROM outbox_entry WHERE sequence = ?', sequence);
        for (const one of settled) {
          const insert = 'INSERT OR REPLACE INTO outbox_settled (transaction_id, at, settled) VALUES (?, ?, ?)';
          await run(insert, one.transactionId, one.at, JSON.stringify(one));
        }
        if (settled.length > 0) await run('DELETE FROM outbox_settled WHERE at < ?', Date.now() - settledMs);
      }),
    settled: (transactionId) =>
      inOrder(async () => {
        const [row] = await run('SELECT settled FROM outbox_settled WHERE transaction_id = ?', transactionId);
        return row === undefined ? null : (JSON.parse(String(row.settled)) as Settled);
      }),
    exclusive: (work) => work(),
    close: () => inOrder(async () => database.close()),
  };
}

/**
 * Two PostgreSQL servers, of which one is the other's synchronous standby, for tests and proofs of a fail-over: the
 * primary is killed, the standby promoted, and the former primary made anew as the standby of the one that took over.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from './client.ts';
import { type Postgres, startPostgres } from './postgres.ts';

export interface Pair {
  /** Names both servers, in an order that stays the same. */
  readonly url: string;
  readonly primary: Postgres;
  readonly standby: Postgres;
  /** Kills the primary with all its processes, as when its machine goes. */
  killPrimary(): Promise<void>;
  /** Resolves when the standby has taken over. */
  promote(): Promise<void>;
  /**
   * Makes the former primary anew, as a copy of the new one, and its synchronous standby. Resolves when everything that
   * was committed until now is on both, and no commit is answered any more before it is.
   */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

const pollMs = 10;

/** What is not copied: the copy gets its log from the primary, and has processes and settings of its own. */
const notCopied = /^(?:pg_wal|pg_replslot|postmaster\.(?:pid|opts)|postgresql\.auto\.conf|pg_stat_tmp)$|^pgsql_tmp/;

/** Every commit is synced on both. @throws Error when a server does not start */
export async function startPair(settings: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-pair-'));
  const folders = [join(scratch, 'one'), join(scratch, 'two')] as const;
  const start = (folder: string, more: Readonly<Record<string, string>> = {}, port = 0) =>
    startPostgres({
      durable: true,
      folder,
      port,
      settings: {
        max_wal_size: '256MB',
        wal_keep_size: '128MB',
        wal_receiver_status_interval: '1',
        ...settings,
        ...more,
      },
    });
  // The servers' own user has to reach its data below.
  chmodSync(scratch, 0o755);
  let primary = await start(folders[0]);
  let standby: Postgres;
  let isKilled = false;

  async function makeStandby(folder: string, port: number): Promise<void> {
    await copyRunning(primary, folder);
    standby = await start(folder, { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=rowhouse` }, port);
    await withClient(primary.url, waitForStandby);
    isKilled = false;
  }

  try {
    await withClient(primary.url, dropTemplates);
    await makeStandby(folders[1], 0);
  } catch (error) {
    await primary.stop();
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
  const hosts = [primary, standby!].map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `postgres://rowhouse@${hosts}/postgres`,
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    async killPrimary() {
      await primary.kill();
      isKilled = true;
    },
    async promote() {
      await withClient(standby.url, (client) => client.query('SELECT pg_promote(true, 60)'));
      [primary, standby] = [standby, primary];
    },
    rebuild: () => makeStandby(standby.folder, standby.port),
    async stop() {
      // The standby first: a primary that stops waits for what it has sent to arrive.
      if (!isKilled) await standby.stop();
      await primary.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Two thirds of what would be copied each time, for nothing: no database is made here. */
async function dropTemplates(client: pg.Client): Promise<void> {
  for (const name of ['template0', 'template1']) {
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE ${name}`);
  }
}

/** A base backup of a running server (https://www.postgresql.org/docs/current/continuous-archiving.html). */
async function copyRunning(primary: Postgres, folder: string): Promise<void> {
  // The folder itself stays: by it a server finds, and frees, the memory that a killed one has left.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  await withClient(primary.url, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    copy(primary.folder, folder);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(folder, 'backup_label'), rows[0].labelfile);
  });
  for (const name of ['pg_wal', 'pg_replslot']) mkdirSync(join(folder, name), { mode: 0o700 });
  for (const name of ['standby.signal', 'postgresql.auto.conf']) writeFileSync(join(folder, name), '', { mode: 0o600 });
  giveTo(folder, statSync(primary.folder));
}

/** What vanishes meanwhile is not needed: the log has all that happens during the copy. */
function copy(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (notCopied.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target, { mode: 0o700 });
      copy(source, target);
      continue;
    }
    try {
      copyFileSync(source, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function giveTo(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  chownSync(path, owner.uid, owner.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) giveTo(below, owner);
    else chownSync(below, owner.uid, owner.gid);
  }
}

async function waitForStandby(client: pg.Client): Promise<void> {
  await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await client.query('SELECT pg_reload_conf()');
  const isSynchronous = `SELECT FROM pg_stat_replication
    WHERE sync_state = 'sync' AND current_setting('synchronous_standby_names') = '*'`;
  while ((await client.query(isSynchronous)).rowCount === 0) await sleep(pollMs);
  // Whether commits wait is decided by the checkpointer, which reads its settings before it makes a checkpoint.
  await client.query('CHECKPOINT');
  // This one waits, and with it everything before it has arrived.
  await client.query("SELECT pg_logical_emit_message(true, 'pair', '')");
}

/**
 * Two PostgreSQL servers, one the other's synchronous standby, for tests and proofs of fail-over: the primary is
 * killed, the standby promoted, and the former primary rebuilt as the standby of the new one.
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
  /** Names both servers, in a fixed order. */
  readonly url: string;
  readonly primary: Postgres;
  readonly standby: Postgres;
  /** Kills the primary with all its processes, as if its machine failed. */
  killPrimary(): Promise<void>;
  /** Resolves when the standby has taken over. */
  promote(): Promise<void>;
  /**
   * Rebuilds the former primary as a copy and synchronous standby of the new one. Resolves when everything committed so
   * far is on both, and further commits are answered only when they are on both.
   */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

const pollMs = 10;

/** Not copied: the copy gets its log from the primary, and has its own processes and settings. */
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
  // The servers' user must be able to reach its data below.
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
      // The standby stops first, because a stopping primary waits until the standby has received everything.
      if (!isKilled) await standby.stop();
      await primary.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** They would be two thirds of each copy, but are not needed, because no database is created here. */
async function dropTemplates(client: pg.Client): Promise<void> {
  for (const name of ['template0', 'template1']) {
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE false`);
    await client.query(`DROP DATABASE ${name}`);
  }
}

/** A base backup of a running server (https://www.postgresql.org/docs/current/continuous-archiving.html). */
async function copyRunning(primary: Postgres, folder: string): Promise<void> {
  // The folder itself stays: through it a server finds and frees the memory left by a killed one.
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

/** Files that vanish meanwhile are not needed: the log has all changes during the copy. */
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
  // The checkpointer decides whether commits wait; it reads its settings before it makes a checkpoint.
  await client.query('CHECKPOINT');
  // This commit waits, and everything before it arrives with it.
  await client.query("SELECT pg_logical_emit_message(true, 'pair', '')");
}

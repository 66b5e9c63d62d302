/**
 * Starts a real PostgreSQL server for tests, proofs and benchmarks, on a bare machine, also as root: on a free port of
 * 127.0.0.1, without a password. It never outlives its parent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FromKeeper, KeeperOptions } from './keeper.ts';

export interface PostgresOptions {
  /**
   * True syncs every commit to disk, for proofs and benchmarks. False is for tests: data survive the end of the server,
   * but not that of the machine; without a `folder` the data are in memory if there is enough space.
   */
  readonly durable?: boolean;
  /** Settings of postgresql.conf, which override those of `durable`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the data are: created if missing, and kept at the end. By default a temporary folder. */
  readonly folder?: string;
  /** A file for every line that the server logs. */
  readonly log?: string;
  /** A free port by default. A restarted server takes its earlier one. */
  readonly port?: number;
}

export interface Postgres {
  /** Address of the database `postgres`, as its superuser `rowhouse`. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server, for signals. */
  readonly pid: number;
  readonly folder: string;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Ends every connection, writes everything to disk and stops. */
  stop(): Promise<void>;
  /** Ends the server in the middle of its work, as kill -9 does. */
  kill(): Promise<void>;
}

const always = { max_connections: '300', shared_buffers: '64MB', jit: 'off', autovacuum_naptime: '10s' };

const forTests = { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' };

/** @throws Error with the server's output when it does not start */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const { durable = false, settings = {}, folder = null, port = 0, log = null } = options;
  const asked: KeeperOptions = {
    folder,
    inMemory: !durable,
    port,
    settings: { ...always, ...(durable ? {} : forTests), ...settings },
    log,
  };
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.ts'), JSON.stringify(asked)], {
    // In its own process group: otherwise Ctrl-C in a terminal would end it with us, and nothing would be left to clean
    // up.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // Ignores errors of writing to a keeper that has already ended.
  keeper.stdin.on('error', () => {});
  const gone = once(keeper, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: keeper.stdout }), 'line'), gone]);
  const told: FromKeeper = typeof line === 'string' ? JSON.parse(line) : { failed: `its keeper ended with ${line}.` };
  if ('failed' in told) throw new Error(told.failed);

  // A server that is not stopped must not keep its parent alive: it ends when the parent does.
  const handles = [keeper, keeper.stdin, keeper.stdout] as unknown as { ref(): void; unref(): void }[];
  for (const handle of handles) handle.unref();
  const end = async (word: 'stop' | 'kill') => {
    for (const handle of handles) handle.ref();
    keeper.stdin.write(`${word}\n`);
    await gone;
  };
  return {
    url: `postgres://rowhouse@127.0.0.1:${told.port}/postgres`,
    port: told.port,
    pid: told.pid,
    folder: told.folder,
    ended: gone.then(() => {}),
    stop: () => end('stop'),
    kill: () => end('kill'),
  };
}

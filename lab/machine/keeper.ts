/**
 * The process that runs a PostgreSQL server for `startPostgres`. It stops the server and removes its folder on request,
 * or when its parent is gone, even by kill -9 (its standard input then ends). It reports on its standard output, as a
 * line of JSON, that the server answers, or why it does not.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Programs, readyPrograms } from './binaries.ts';
import { memoryFolder } from './memory-folder.ts';
import { freePort } from './port.ts';

export interface KeeperOptions {
  /** Where the data are, created if missing, and kept; null for a temporary folder. */
  readonly folder: string | null;
  /** Whether a temporary folder may be in memory. */
  readonly inMemory: boolean;
  /** 0 takes a free one. */
  readonly port: number;
  /** Settings that override those in its own postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
  /** A file for every line that the server logs; null keeps only the last ones, in memory. */
  readonly log: string | null;
}

export type FromKeeper =
  | { readonly port: number; readonly pid: number; readonly folder: string }
  | { readonly failed: string };

/** The user that runs the server: PostgreSQL refuses root, so it is `nobody` instead. */
interface Runner {
  readonly uid: number;
  readonly gid: number;
}

const owner = 'rowhouse';
const attemptsMax = 50;
const linesKept = 200;

const options = JSON.parse(process.argv[2] as string) as KeeperOptions;
const runner = process.getuid?.() === 0 ? nobody() : null;
const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-postgres-'));
const memory = options.inMemory ? memoryFolder() : null;
const scratchData = memory === null ? join(scratch, 'data') : mkdtempSync(join(memory, 'rowhouse-postgres-'));
process.on('exit', () => {
  for (const folder of [scratchData, scratch]) rmSync(folder, { recursive: true, force: true });
});

// Signals of a terminal reach the whole group; only the end of the parent counts here.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

try {
  const { server, port, folder } = await begin();
  tell({ port, pid: server.pid as number, folder });
  server.once('exit', async () => {
    await removeScratch();
    process.exit(0);
  });
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (word) => (word === 'kill' ? killAll(server) : server.kill('SIGINT')));
  lines.on('close', () => server.kill('SIGQUIT'));
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) });
}

/** Its last processes may briefly outlive the first one, and still write. */
async function removeScratch(): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const folder of [scratchData, scratch]) await rm(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === attemptsMax) throw error;
      await setTimeout(100);
    }
  }
}

/**
 * Kills all its processes at once, as if the machine failed: processes left behind by the first one would continue for
 * a moment, and show what was not replicated. The first one is stopped before, so that it starts no new ones.
 */
function killAll(server: ChildProcess): void {
  const pid = server.pid as number;
  server.kill('SIGSTOP');
  for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
  server.kill('SIGKILL');
}

/** From /proc if available, because minimal systems have no `ps`. */
function childrenOf(pid: number): number[] {
  const lines = existsSync('/proc/self/stat')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(ids)
    : spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout.split('\n');
  return lines.flatMap((line) => {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    return parent === pid && child !== undefined ? [child] : [];
  });
}

/** The process's own id and its parent's; the name of its program may contain blanks and parentheses. */
function ids(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    // It has just ended.
    return '';
  }
}

function tell(message: FromKeeper): void {
  console.log(JSON.stringify(message));
}

async function begin(): Promise<{ server: ChildProcess; port: number; folder: string }> {
  chmodSync(scratch, 0o755);
  const programs = readyPrograms(runner === null || mayRun(readyPrograms(null)) ? null : join(scratch, 'native'));
  const folder = options.folder ?? scratchData;
  if (!existsSync(join(folder, 'PG_VERSION'))) initialize(programs, folder);
  for (let attempt = 1; ; attempt++) {
    const port = options.port === 0 ? await freePort() : options.port;
    const { server, log } = await run(programs, folder, port);
    if (server !== null) return { server, port, folder };
    // The port was taken meanwhile, or the remains of a killed server still hold the memory.
    const passes = /Address already in use|shared memory block/.test(log);
    if (!passes || attempt === attemptsMax) throw new Error(`PostgreSQL did not start: ${log}`);
    await setTimeout(100);
  }
}

/** Whether the runner may read the package's own programs; a copy takes a second. */
function mayRun({ postgres }: Programs): boolean {
  return spawnSync(postgres, ['--version'], { ...runner, env: cleanVariables(), cwd: scratch }).status === 0;
}

function initialize({ initdb }: Programs, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (runner !== null) chownSync(folder, runner.uid, runner.gid);
  const words = ['-D', folder, '-U', owner, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { status, stdout, stderr, error } = spawnSync(initdb, words, {
    ...runner,
    env: cleanVariables(),
    encoding: 'utf8',
    cwd: scratch,
  });
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? ''}${stdout}${stderr}`);
}

/** Resolves when the server answers, or, with its output, when it ended before. */
function run(
  { postgres }: Programs,
  folder: string,
  port: number,
): Promise<{ server: ChildProcess | null; log: string }> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    lc_messages: 'C',
    log_destination: 'stderr',
    ...options.settings,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', folder, '-p', String(port), ...words], {
    ...runner,
    cwd: scratch,
    env: cleanVariables(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.on('exit', () => resolve({ server: null, log: said.join('\n') }));
    // Must be read to the end, because a full pipe would block the server.
    createInterface({ input: server.stderr }).on('line', (line) => {
      said.push(line);
      if (said.length > linesKept) said.shift();
      if (options.log !== null) appendFileSync(options.log, `${line}\n`);
      if (line.includes('database system is ready to accept')) resolve({ server, log: '' });
    });
  });
}

function nobody(): Runner {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  if (line === undefined) throw new Error('PostgreSQL refuses root, and this machine has no user "nobody".');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Excludes variables that would change the server's behaviour (PGDATA, PGPORT, LANG …). */
function cleanVariables(): Record<string, string> {
  const kept = ['PATH', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/**
 * `npm run prove -- <name>`: provokes faults that could lose, duplicate or split a write, let someone in or reveal a
 * secret, and checks by the answers to clients and by the final data that they did not. Exits with 1 on any violation.
 */

import { parseLocation } from '../../src/storage/location.ts';
import { endWith, path, readFlags, seed as seedFlag, type Values, whole, word } from '../machine/command.ts';
import { proveCanaries } from './canaries.ts';
import { proveClient } from './client.ts';
import { proveContention } from './contention.ts';
import { proveDrop } from './drop.ts';
import { proveFailover } from './failover.ts';
import { proveFaults } from './faults.ts';
import { onPostgres } from './folder.ts';
import { proveFreeze } from './freeze.ts';
import { proveHostile } from './hostile.ts';
import { proveIndexBuild } from './index-build.ts';
import { proveKill } from './kill.ts';
import { proveNodeLoss } from './node-loss.ts';
import { proveRebalance } from './rebalance.ts';
import { proveReplays } from './replays.ts';
import { describe, type Proof, type Task } from './report.ts';
import { proveRevocation } from './revocation.ts';
import { proveRolling } from './rolling.ts';
import { proveStalls } from './stalls.ts';
import { proveSync } from './sync/prove.ts';
import { proveTableChanges } from './table-changes.ts';
import { proveUpsets } from './upsets.ts';

const usage = `Usage: npm run prove -- <one of these> [flags]
  kill         kill -9 while clients write, restart, verify; Ctrl-C ends it after the present kills, with the figures so far
  drop         answers dropped, requests repeated and doubled
  client       apps killed while they write through the client's outbox; the long run is --batches 1100000 --tab-batches 100000
  contention   64 writers on 10 records, the clock stepped
  faults       full disk, read-only, files removed or corrupted
  freeze       the disk frozen under load; needs root
  sync         every acknowledged commit synced before its answer, by a trace of strace; the power cut at every sync
  index-build  indexes made for a large table, under load
  table-changes  tables changed, and the server killed meanwhile; the long run is --cycles 500 --rows 100000
  replays      each batch at once on two instances of PostgreSQL
  failover     the primary of PostgreSQL killed, standby promoted
  upsets       restarts, killed backends, locks … of PostgreSQL
  rebalance    data spaces of a Citus cluster moved to an empty worker under load; needs --storage
  node-loss    a worker of a Citus cluster lost under load, and back; needs --storage, --node, --lose and --regain
  rolling      two instances restarted in turn under load
  revocation   sessions ended at random while they are used
  canaries     secrets sent everywhere, searched for afterwards
  hostile      hostile clients of one company, in little memory, beside a client of another
  stalls       requests that are made to hold up the main thread, and its longest turn for each`;

const flags = {
  cycles: whole(200, 'how often a server is killed, or sessions are ended; the long run of kill is 10000', 1),
  batches: whole(20_000, 'how many batches are sent; the long run is 1000000, and 2000 are many for sync', 1),
  'tab-batches': whole(2_000, 'of the batches of client, in tabs of a browser'),
  requests: whole(20_000, 'of canaries; the long run is 100000', 1),
  freezes: whole(3, 'how often the disk is frozen', 1),
  'freeze-ms': whole(15_000, 'each time', 1),
  rows: whole(500_000, 'of the table of index-build or table-changes', 1),
  slowest: whole(300, 'ms, for a write of another data space and for a read of that table', 1),
  minutes: whole(10, 'of hostile', 1),
  clients: whole(64, 'of hostile', 1),
  memory: whole(512, 'MiB, of hostile; it is limited where a cgroup may be made', 1),
  bound: whole(50, 'of stalls: the longest turn that is allowed, in ms of processor time', 1),
  instances: whole(0, 'of the service, for replays and revocation; without it 2 for replays, else 1'),
  spaces: whole(6, 'data spaces of rebalance and node-loss', 2),
  node: word('', 'host:port of the worker that node-loss stops and starts'),
  lose: word('', 'a shell command that stops it at once'),
  regain: word('', 'a shell command that starts it again'),
  engine: word('sqlite', 'sqlite or postgres: for postgres, a server is started for the proof', ['sqlite', 'postgres']),
  storage: path('url', 'the address of your own PostgreSQL server, for proofs that do not start one'),
  seed: seedFlag(),
};

interface Options extends Task, Omit<Values<typeof flags>, 'engine' | 'storage' | 'seed'> {
  readonly stop: AbortSignal;
}

const proofs: Readonly<Record<string, (options: Options) => Promise<Proof>>> = {
  kill: proveKill,
  drop: proveDrop,
  client: (options) => proveClient({ ...options, tabBatches: options['tab-batches'] }),
  contention: proveContention,
  faults: proveFaults,
  freeze: (options) => proveFreeze({ ...options, freezeMs: options['freeze-ms'] }),
  'table-changes': proveTableChanges,
  'index-build': (options) => proveIndexBuild({ ...options, slowestMsMax: options.slowest }),
  sync: proveSync,
  replays: proveReplays,
  failover: proveFailover,
  upsets: proveUpsets,
  rebalance: proveRebalance,
  'node-loss': proveNodeLoss,
  rolling: proveRolling,
  revocation: proveRevocation,
  canaries: proveCanaries,
  stalls: ({ bound, ...task }) => proveStalls({ ...task, boundMs: bound, times: stallTimes }),
  hostile: ({ minutes, clients, memory, ...task }) =>
    proveHostile({ ...task, seconds: minutes * 60, clients, memoryMib: memory, slowerMax: 3 }),
};

/** How often each shape of stalls is sent. */
const stallTimes = 3;

/** Proofs with their own installation, or none. */
const placed = ['sync', 'faults', 'freeze', 'failover', 'upsets', 'hostile'];

async function main(): Promise<number> {
  const { words, engine, storage, instances, ...options } = readFlags(usage, flags);
  const [name = '', ...more] = words;
  const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
  if (proof === undefined || more.length > 0) throw new Error(`"${words.join(' ')}" came.\n${usage}`);
  const isOnPostgres = engine === 'postgres' || storage !== null;
  if (isOnPostgres && placed.includes(name)) {
    throw new Error(`--engine and --storage: ${name} starts the storage it needs; leave them out.`);
  }
  if (storage !== null && parseLocation(storage).engine !== 'postgres') {
    throw new Error(`--storage: expected an address of PostgreSQL, got ${JSON.stringify(storage)}.`);
  }
  const stop = new AbortController();
  // Only once: a second Ctrl-C ends the program at once.
  if (name === 'kill') process.once('SIGINT', () => stop.abort());
  const { seed } = options;
  console.log(`${name}, seed ${seed}${isOnPostgres ? ', on PostgreSQL' : ''}`);
  const begin = performance.now();
  const seconds = () => ((performance.now() - begin) / 1_000).toFixed(1);
  const progress = (line: string) => console.log(`  ${seconds()} s: ${line}`);
  const standardInstances = name === 'replays' ? 2 : 1;
  const run = { stop: stop.signal, progress, instances: instances === 0 ? standardInstances : instances };
  const proven = (server?: string) => proof({ ...options, ...run, server });
  const result = isOnPostgres ? await onPostgres(storage ?? undefined, proven) : await proven();
  console.log(describe(`\n${name}, seed ${seed}, ${seconds()} s`, result));
  return result.violations.length === 0 ? 0 : 1;
}

await endWith(main);

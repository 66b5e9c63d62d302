/**
 * `npm run prove -- <name>`: provokes what could lose, double or halve a write, let someone in or tell a secret, and
 * checks from what clients were told and from what is there in the end that it did not. Exits with 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { parseLocation } from '../../src/storage/location.ts';
import { proveCanaries } from './canaries.ts';
import { proveContention } from './contention.ts';
import { proveDrop } from './drop.ts';
import { proveFailover } from './failover.ts';
import { proveFaults } from './faults.ts';
import { proveFreeze } from './freeze.ts';
import { proveHostile } from './hostile.ts';
import { proveIndexBuild } from './index-build.ts';
import { proveKill } from './kill.ts';
import { proveLogins } from './logins.ts';
import { provePermissions } from './permissions.ts';
import { proveReplays } from './replays.ts';
import { describe, type Proof, type Task } from './report.ts';
import { proveRevocation } from './revocation.ts';
import { proveRolling } from './rolling.ts';
import { proveStalls } from './stalls.ts';
import { proveUpsets } from './upsets.ts';

const usage = `Usage: npm run prove -- <one of these> [options]
  kill         kill -9 while clients write, restart, verify      --cycles 200
  drop         answers dropped, requests repeated and doubled    --batches 20000
  contention   64 writers on 10 records, the clock stepped       --batches 20000
  faults       full disk, read-only, files removed or corrupted
  freeze       the disk frozen under load; needs root            --freezes 3
  index-build  indexes made for a large table, under load        --rows 500000
  twins        each batch at once on two instances of PostgreSQL --batches 20000
  failover     the primary of PostgreSQL killed, standby promoted --cycles 200
  upsets       restarts, killed backends, locks … of PostgreSQL  --cycles 200
  rolling      two instances restarted in turn under load    --cycles 200
  revocation   sessions ended at random while they are used      --cycles 200
  canaries     secrets sent everywhere, searched for afterwards  --requests 20000
  permissions  who may do what, against an oracle, at random     --cases 1000000
  hostile      hostile clients of one company, in little memory, beside a client of another --minutes 10
  stalls       requests that are made to hold up the main thread, and its longest turn for each --bound 50
  logins       100 logins at once with one code: one leads in    --rounds 100
Options
  --cycles n   how many times a server is killed, or sessions are ended; the long run of kill is 10000, and Ctrl-C ends it
               after the present kills, with the figures so far
  --batches n  how many batches are sent; the long run is 1000000
  --requests n of canaries; the long run is 100000
  --cases n    how many questions are asked
  --minutes n, --clients n (64) and --memory n (512, in MiB) of hostile; memory is limited where a cgroup may be made
  --freezes n  how many times the disk is frozen, each for --freeze-ms, 15000
  --bound n    of stalls: the longest turn that is allowed, in ms of processor time
  --rows n     of the table; --slowest n (300) ms for a write of another data space and for a read of the table
  --rounds n   how many codes are tried; the long run is 1000
  --storage postgres://user@host:port/database
               on PostgreSQL instead of SQLite, in databases that are made on that server and dropped again; not for faults,
               failover and upsets, which start their own servers, as twins does without it
  --instances n  of the service, for twins (2), revocation (1) and logins (1; more work on PostgreSQL)
  --seed n     repeats the choices of an earlier run; drawn at random and printed when it is not given
  --help`;

interface Options extends Task {
  readonly cycles: number;
  readonly batches: number;
  readonly cases: number;
  readonly rounds: number;
  readonly freezes: number;
  readonly freezeMs: number;
  readonly rows: number;
  readonly slowestMsMax: number;
  readonly instances: number;
  readonly requests: number;
  readonly minutes: number;
  readonly clients: number;
  readonly memory: number;
  readonly bound: number;
  readonly stop: AbortSignal;
}

const proofs: Readonly<Record<string, (options: Options) => Promise<Proof>>> = {
  kill: proveKill,
  drop: proveDrop,
  contention: proveContention,
  faults: proveFaults,
  freeze: proveFreeze,
  'index-build': proveIndexBuild,
  replays: proveReplays,
  failover: proveFailover,
  upsets: proveUpsets,
  rolling: proveRolling,
  revocation: proveRevocation,
  canaries: proveCanaries,
  permissions: provePermissions,
  logins: proveLogins,
  stalls: ({ bound, ...task }) => proveStalls({ ...task, boundMs: bound, times: stallTimes }),
  hostile: ({ minutes, clients, memory, ...task }) =>
    proveHostile({ ...task, seconds: minutes * 60, clients, memoryMib: memory, slowerMax: 3 }),
};

/** Each shape of stalls is sent so often. */
const stallTimes = 3;

/** These have a place of their own for their data, or none. */
const placed = ['faults', 'freeze', 'failover', 'upsets', 'permissions', 'hostile'];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      cycles: { type: 'string', default: '200' },
      batches: { type: 'string', default: '20000' },
      requests: { type: 'string', default: '20000' },
      cases: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '100' },
      freezes: { type: 'string', default: '3' },
      'freeze-ms': { type: 'string', default: '15000' },
      rows: { type: 'string', default: '500000' },
      slowest: { type: 'string', default: '300' },
      minutes: { type: 'string', default: '10' },
      clients: { type: 'string', default: '64' },
      memory: { type: 'string', default: '512' },
      bound: { type: 'string', default: '50' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      instances: { type: 'string' },
      storage: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [name = '', ...more] = positionals;
  const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
  if (proof === undefined || more.length > 0) throw new Error(`"${positionals.join(' ')}" came.\n${usage}`);
  const numbers = [
    'cycles',
    'batches',
    'requests',
    'cases',
    'rounds',
    'minutes',
    'clients',
    'memory',
    'instances',
    'seed',
    'freezes',
    'freeze-ms',
    'bound',
    'rows',
    'slowest',
  ] as const;
  const [
    cycles,
    batches,
    requests,
    cases,
    rounds,
    minutes,
    clients,
    memory,
    instances,
    seed,
    freezes,
    freezeMs,
    bound,
    rows,
    slowestMsMax,
  ] = numbers.map((flag) => whole(flag, values[flag] ?? (name === 'twins' ? '2' : '1')));
  const server = values.storage;
  if (server !== undefined && (placed.includes(name) || parseLocation(server).engine !== 'postgres')) {
    throw new Error(`--storage: an address of PostgreSQL was expected, and not for ${placed.join(' and ')}.\n${usage}`);
  }
  const stop = new AbortController();
  // Once: a second Ctrl-C ends the program as it stands.
  if (name === 'kill') process.once('SIGINT', () => stop.abort());
  console.log(`${name}, seed ${seed}${server === undefined ? '' : ', on PostgreSQL'}`);
  const begin = performance.now();
  const seconds = () => ((performance.now() - begin) / 1_000).toFixed(1);
  const progress = (line: string) => console.log(`  ${seconds()} s: ${line}`);
  const result = await proof({
    cycles: cycles!,
    batches: batches!,
    requests: requests!,
    cases: cases!,
    rounds: rounds!,
    freezes: freezes!,
    freezeMs: freezeMs!,
    rows: rows!,
    slowestMsMax: slowestMsMax!,
    minutes: minutes!,
    clients: clients!,
    memory: memory!,
    bound: bound!,
    instances: instances!,
    seed: seed!,
    server,
    stop: stop.signal,
    progress,
  });
  console.log(describe(`\n${name}, seed ${seed}, ${seconds()} s`, result));
  return result.violations.length === 0 ? 0 : 1;
}

function whole(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new Error(`--${flag}: "${text}" came; a whole number of 1 or more was expected.\n${usage}`);
  }
  return Number(text);
}

let code = 1;
try {
  code = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
// Everything was awaited and is told by now. A process with many threads and children behind it that is left to end by itself
// can wait for ever, within Node, for work that nobody does any more.
process.stdout.write('', () => process.exit(code));

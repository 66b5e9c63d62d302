/**
 * `npm run bench`: how near the service comes to the floor, a bare server with the same SQL (`floor.ts`), both measured in
 * the same run, in turns. Prints medians over the rounds, and the ratio of each pair of rounds.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { httpRequest, type Measured, run } from './client.ts';
import type { Space, Started } from './server.ts';
import { newRecord, objectIdOf, recordOf, table, tableName } from './workload.ts';

const { values: flags } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    rows: { type: 'string', default: '100000' },
    spaces: { type: 'string', default: '1000' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});

if (flags.help) {
  console.log(`npm run bench -- [--rounds 5] [--seconds 4] [--connections 64] [--rows 100000] [--spaces 1000] [--only get|add|add-spread]
                   [--profile <folder>]   writes a CPU profile of the service there
Measures single GETs, adds (one record each, with a transaction id, synced before the answer), and the same adds spread over
many data spaces, each against a bare node:http server that runs the same SQL. Times are medians of the rounds.`);
  process.exit(0);
}

const rounds = Number(flags.rounds);
const connections = Number(flags.connections);
const rows = Number(flags.rows);
const measureMs = Number(flags.seconds) * 1_000;
const warmUpMs = Math.min(1_500, measureMs);

interface Target {
  readonly port: number;
  readonly spaces: readonly Space[];
  readonly process: ChildProcess;
}

type RequestOf = (target: Target, sequence: number) => string;

interface Work {
  readonly name: string;
  readonly spaces: number;
  readonly service: RequestOf;
  readonly floor: RequestOf;
}

let transaction = 0;

function addBody(sequence: number): string {
  const transactionId = `bench-${process.pid}-${transaction++}`;
  return JSON.stringify({ transactionId, objectName: tableName, data: [newRecord(sequence)] });
}

const fileNames = new Map<number, string>();
const spaceAt = ({ spaces }: Target, sequence: number) => spaces[sequence % spaces.length] as Space;
const add: Pick<Work, 'service' | 'floor'> = {
  service: (target, sequence) => {
    const { prefix, token } = spaceAt(target, sequence);
    return httpRequest('POST', `${prefix}/data/batch/addData`, token, addBody(sequence));
  },
  floor: (target, sequence) =>
    httpRequest('POST', `/add/${fileNames.get(spaceAt(target, sequence).spaceId)}`, '', addBody(sequence)),
};

const works: readonly Work[] = [
  {
    name: 'get',
    spaces: 1,
    service: (target, sequence) => {
      const { prefix, token } = spaceAt(target, 0);
      return httpRequest('GET', `${prefix}/data/${tableName}/${objectIdOf((sequence * 7_919) % rows)}`, token);
    },
    floor: (target, sequence) => {
      const file = fileNames.get(spaceAt(target, 0).spaceId);
      return httpRequest('GET', `/get/${file}/${objectIdOf((sequence * 7_919) % rows)}`, '');
    },
  },
  { name: 'add', spaces: 1, ...add },
  { name: 'add-spread', spaces: Number(flags.spaces), ...add },
];

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-bench-'));
try {
  describeMachine();
  for (const work of works) if (flags.only === undefined || flags.only === work.name) await compare(work);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compare(work: Work): Promise<void> {
  const data = join(folder, work.name);
  const copy = `${data}-floor`;
  const first = await start('server.ts', [data, String(work.spaces)]);
  await fill(first, work.name === 'get' ? rows : 0);
  await stop(first);
  for (const name of readdirSync(join(data, 'spaces'))) {
    if (name.endsWith('.db')) fileNames.set(Number.parseInt(name, 10), name);
  }
  cpSync(data, copy, { recursive: true });

  const service = await start('server.ts', [data, '0'], first.spaces);
  const floor = await start('floor.ts', [copy], first.spaces);
  const pairs: { service: Measured; floor: Measured }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const measured = { floor: await measure(floor, work.floor), service: await measure(service, work.service) };
    pairs.push(measured);
    const ratio = measured.service.perSecond / measured.floor.perSecond;
    console.log(
      `  ${work.name} round ${round}/${rounds}: floor ${rate(measured.floor)}, service ${rate(measured.service)}, ratio ${ratio.toFixed(2)}`,
    );
  }
  await stop(service);
  await stop(floor);
  report(work, pairs);
}

function report(work: Work, pairs: readonly { service: Measured; floor: Measured }[]): void {
  const of = (pick: (pair: { service: Measured; floor: Measured }) => number) => median(pairs.map(pick));
  console.log(
    `${work.name}: ${connections} connections, ${work.spaces} data space${work.spaces === 1 ? '' : 's'}\n` +
      `  floor    ${of((pair) => pair.floor.perSecond).toFixed(0)}/s  p50 ${of((pair) => pair.floor.p50).toFixed(2)} ms  p99 ${of((pair) => pair.floor.p99).toFixed(2)} ms\n` +
      `  service  ${of((pair) => pair.service.perSecond).toFixed(0)}/s  p50 ${of((pair) => pair.service.p50).toFixed(2)} ms  p99 ${of((pair) => pair.service.p99).toFixed(2)} ms\n` +
      `  ratio    ${of((pair) => pair.service.perSecond / pair.floor.perSecond).toFixed(2)}`,
  );
}

async function measure(target: Target, request: RequestOf): Promise<Measured> {
  const load = { port: target.port, connections, warmUpMs, measureMs };
  const measured = await run({ ...load, request: (sequence) => request(target, sequence) });
  if (measured.failures > 0)
    throw new Error(`${measured.failures} requests failed; the first: ${measured.firstFailure}`);
  return measured;
}

/** Defines the table in every data space, and adds the rows to the first one. */
async function fill(target: Target, count: number): Promise<void> {
  for (const { prefix, token } of target.spaces) await post(target, `${prefix}/schemas`, token, { tables: [table] });
  const { prefix, token } = spaceAt(target, 0);
  for (let from = 0; from < count; from += 1_000) {
    const data = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => recordOf(from + index));
    await post(target, `${prefix}/data/batch/addData`, token, { objectName: tableName, data });
  }
}

async function post(target: Target, path: string, token: string, body: object): Promise<void> {
  const headers = { 'service-token': token, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${target.port}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function start(file: string, args: string[], spaces?: readonly Space[]): Promise<Target> {
  const isProfiled = flags.profile !== undefined && file === 'server.ts' && spaces !== undefined;
  const execArgv = isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`] : [];
  const child = fork(join(import.meta.dirname, file), args, { stdio: 'inherit', execArgv });
  const started = await new Promise<Started>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Started));
    child.once('exit', (code) => reject(new Error(`${file} ended with status ${code}.`)));
  });
  return { port: started.port, spaces: spaces ?? started.spaces, process: child };
}

async function stop(target: Target): Promise<void> {
  const ended = new Promise((resolve) => target.process.once('exit', resolve));
  target.process.send('stop');
  await ended;
}

function rate({ perSecond }: Measured): string {
  return `${perSecond.toFixed(0)}/s`;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

function describeMachine(): void {
  const free = statfsSync(folder);
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ` +
      `${((free.bavail * free.bsize) / 2 ** 30).toFixed(0)} GiB free; the load generator shares the machine.`,
  );
}

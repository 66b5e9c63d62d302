/**
 * `npm run bench:floors`: compares the service with two bare servers that answer the same requests, one in one thread
 * and one with threads (`floor/server.ts`): requests per second, and processor time of each request.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numbers, path, whole, word } from '../machine/command.ts';
import { freePort } from '../machine/port.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import type { Space } from './asks.ts';
import { fillTasks, requestsOf, type WorkName, workNames } from './floor/tasks.ts';
import { hasWrk, loadOurselves, wrkIn } from './floor/wrk.ts';
import { row } from './measure.ts';
import { begin } from './quiet.ts';
import { startFloor, startService } from './servers.ts';

const flags = begin(
  `Usage: npm run bench:floors -- [flags]
Measures the service and two bare servers that answer the same requests from a copy of its file, in turns. Figures are
medians of the rounds, and ratios those of the medians. With wrk on the path, wrk sends the requests.`,
  {
    only: word(workNames.join(','), `of ${workNames.join(', ')}; all of them by default`),
    connections: numbers('64,1', 'how many'),
    rounds: whole(5, 'how often each server is measured', 1),
    seconds: whole(3, 'how long each time', 1),
    rows: whole(10_000, 'in the table', 1),
    floor: path('file', 'another floor besides: a program that is started with a copy of the file and a port'),
    output: path('file', 'writes the figures as JSON'),
  },
);
const { machine } = flags;

interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-floors-'));
const floors: ChildProcess[] = [];
process.once('exit', () => {
  for (const floor of floors) floor.kill();
  rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const data = join(scratch, 'data');
const first = await startService(data, 1);
const space = first.spaces[0] as Space;
const ids = await fillTasks(first.port, space, flags.rows);
await first.stop();
const copy = (name: string) => {
  cpSync(data, join(scratch, name), { recursive: true });
  return join(scratch, name);
};
const servers: Server[] = [
  await startFloor('floor', copy('floor'), first.spaces),
  await startFloor('floor with threads', copy('threads'), first.spaces, 'threads'),
];
if (flags.floor !== null) servers.push(await startProgram('other floor', flags.floor));
const service = await startService(data, 0, first.spaces);
servers.push({ name: 'service', port: service.port, pid: service.pid });

const loader = hasWrk() ? wrkIn(scratch) : loadOurselves;
const by = loader === loadOurselves ? 'our own load generator' : 'wrk';
console.log(`${machine} ${flags.rows} rows, ${flags.rounds} rounds of ${flags.seconds} s, by ${by}.`);
const columns = ['work', 'connections', 'server', 'per second', 'to the floor', 'to the floor with threads'];
console.log(row([...columns, 'CPU µs', 'CPU to the floor']));
console.log(row(Array.from({ length: columns.length + 2 }, () => '---')));
const figures = [];
for (const connections of flags.connections) {
  for (const work of flags.only.split(',') as WorkName[]) {
    const measured = await measure(work, connections);
    figures.push({ work, connections, servers: measured });
    report(work, connections, measured);
    if (flags.output === null) continue;
    const settings = { rows: flags.rows, rounds: flags.rounds, seconds: flags.seconds };
    const content = { machine, by, ...settings, figures };
    writeFileSync(flags.output, `${JSON.stringify(content, null, 2)}\n`);
  }
}
await service.stop();
process.exit(0);

interface Summary {
  readonly perSecond: number;
  /** Processor time of the server for each request, microseconds; null if the system does not report it. */
  readonly cpuUs: number | null;
}

async function measure(work: WorkName, connections: number): Promise<Record<string, Summary>> {
  const requests = requestsOf(work, space, ids);
  const rates = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
  const times = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
  const one = async ({ name, port, pid }: Server, round: number, seconds: number) => {
    const before = cpuUs(pid);
    const run = `${work}-${connections}-${round}-${name.length}`;
    const loaded = await loader({ port, token: space.token, connections, seconds, requests, run });
    if (round < 0) return;
    rates.get(name)?.push(loaded.perSecond);
    times.get(name)?.push((cpuUs(pid) - before) / loaded.requests);
  };
  for (const server of servers) await one(server, -1, 1);
  for (let round = 0; round < flags.rounds; round++) {
    const start = round % servers.length;
    for (const server of [...servers.slice(start), ...servers.slice(0, start)]) {
      await one(server, round, flags.seconds);
    }
  }
  return Object.fromEntries(
    servers.map(({ name }) => {
      const cpu = Number(median(times.get(name) ?? []).toFixed(1));
      const perSecond = Number(median(rates.get(name) ?? []).toFixed(0));
      return [name, { perSecond, cpuUs: Number.isNaN(cpu) ? null : cpu }];
    }),
  );
}

/** Ratios are computed from the printed figures. */
function report(work: WorkName, connections: number, measured: Record<string, Summary>): void {
  const floor = measured.floor as Summary;
  const threads = measured['floor with threads'] as Summary;
  for (const [name, { perSecond, cpuUs: cpu }] of Object.entries(measured)) {
    const rates = [perSecond, (perSecond / floor.perSecond).toFixed(2), (perSecond / threads.perSecond).toFixed(2)];
    const cpuToFloor = cpu === null || floor.cpuUs === null ? '' : (cpu / floor.cpuUs).toFixed(2);
    console.log(row([work, connections, name, ...rates, cpu ?? '', cpuToFloor]));
  }
}

/** @param program gets the file and a port, and prints something when it listens */
async function startProgram(name: string, program: string): Promise<Server> {
  const port = await freePort();
  const file = join(copy('other'), 'spaces', space.file as string);
  const child = spawn(process.execPath, [program, file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  floors.push(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`${program} ended with status ${code}.`)));
  });
  return { name, port, pid: child.pid as number };
}

/**
 * `npm run bench`: how near the service comes to the floor, a bare server with the same SQL (`floor.ts`). Both are measured
 * in the same run, in turns, since the machine is shared and its speed varies: the ratios are what counts.
 */
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, run } from './client.ts';
import { fill } from './fill.ts';
import { residentMiB, type Server, startFloor, startService, stop } from './servers.ts';
import { type Work, works } from './works.ts';

const { values: flags } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: works.map(({ name }) => name).join(',') },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    rows: { type: 'string', default: '100000' },
    spaces: { type: 'string', default: '1' },
    output: { type: 'string' },
    profile: { type: 'string' },
  },
});

if (flags.help) {
  console.log(`npm run bench -- [flags]

Measures the service against a bare node:http server that runs the same SQL, in turns. Figures are medians of the rounds.

  --only <names>        of ${works.map(({ name }) => name).join(', ')}; all of them by default
  --rounds <n>          how often each pair is measured (5)
  --seconds <n>         how long each time, after a warm-up (4)
  --connections <list>  for instance 1,32,256 (64)
  --rows <list>         rows in the first data space, for instance 10000,1000000 (100000)
  --spaces <list>       data spaces that the requests go to in turn, for instance 1,100,1000 (1)
  --output <file>       writes the figures as JSON
  --profile <folder>    writes CPU profiles of the service there
`);
  for (const { name, summary } of works) console.log(`  ${name.padEnd(10)} ${summary}`);
  process.exit(0);
}

interface Figures {
  readonly work: string;
  readonly connections: number;
  readonly rows: number;
  readonly spaces: number;
  readonly floor: Summary;
  readonly service: Summary;
  /** Service to floor, requests per second. */
  readonly ratio: number;
}

interface Summary {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMiB: number;
}

const numbers = (list: string) => list.split(',').map(Number);
const rounds = Number(flags.rounds);
const measureMs = Number(flags.seconds) * 1_000;
const warmUpMs = Math.min(1_500, measureMs);
const chosen = flags.only.split(',').map((name) => {
  const work = works.find((one) => one.name === name);
  if (work === undefined) throw new Error(`--only: there is no "${name}"; see --help.`);
  return work;
});

const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-bench-'));
const figures: Figures[] = [];
try {
  console.log(machine());
  console.log('work       connections      rows  spaces    floor/s  service/s  ratio   p50 ms  p99 ms   floor p99');
  for (const rows of numbers(flags.rows)) for (const spaces of numbers(flags.spaces)) await measureAll(rows, spaces);
  if (flags.output !== undefined) {
    writeFileSync(flags.output, `${JSON.stringify({ machine: machine(), rounds, measureMs, figures }, null, 2)}\n`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Makes the data once, then measures every work on it; the floor has a copy of the files. */
async function measureAll(rows: number, spaceCount: number): Promise<void> {
  const data = join(scratch, `${rows}-${spaceCount}`);
  const first = await startService(data, spaceCount);
  await fill(first.port, first.spaces, rows);
  await stop(first);
  cpSync(data, `${data}-floor`, { recursive: true });
  const service = await startService(data, 0, first.spaces, flags.profile);
  const floor = await startFloor(`${data}-floor`, first.spaces);
  for (const connections of numbers(flags.connections)) {
    for (const work of chosen) {
      const measured = await compare(
        work,
        service,
        floor,
        connections,
        spaceCount === 1 ? rows : Math.min(rows, 1_000),
      );
      figures.push(measured);
      console.log(lineOf(measured));
    }
  }
  await Promise.all([stop(service), stop(floor)]);
  rmSync(data, { recursive: true });
  rmSync(`${data}-floor`, { recursive: true });
}

async function compare(
  work: Work,
  service: Server,
  floor: Server,
  connections: number,
  rows: number,
): Promise<Figures> {
  const pairs: { readonly service: Measured; readonly floor: Measured }[] = [];
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`\r${work.name}: round ${round} of ${rounds} `);
    // The one that comes first has the colder caches, so they take turns.
    const order = round % 2 === 0 ? [service, floor] : [floor, service];
    const measured = new Map<Server, Measured>();
    for (const server of order) measured.set(server, await measure(work, server, connections, rows));
    pairs.push({ service: measured.get(service) as Measured, floor: measured.get(floor) as Measured });
  }
  process.stderr.write('\r'.padEnd(40));
  process.stderr.write('\r');
  return {
    work: work.name,
    connections,
    rows,
    spaces: service.spaces.length,
    floor: summary(
      pairs.map((pair) => pair.floor),
      await residentMiB(floor),
    ),
    service: summary(
      pairs.map((pair) => pair.service),
      await residentMiB(service),
    ),
    ratio: median(pairs.map((pair) => pair.service.perSecond / pair.floor.perSecond)),
  };
}

async function measure(work: Work, server: Server, connections: number, rows: number): Promise<Measured> {
  const session = work.start(server, rows);
  const measured = await run({ port: server.port, connections, warmUpMs, measureMs, ...session });
  if (measured.failures > 0) {
    throw new Error(`${measured.failures} requests of "${work.name}" failed; the first: ${measured.firstFailure}`);
  }
  return measured;
}

function summary(measured: readonly Measured[], residentMiB: number): Summary {
  const of = (pick: (one: Measured) => number, digits: number) => Number(median(measured.map(pick)).toFixed(digits));
  const [perSecond, p50Ms, p99Ms] = [of((one) => one.perSecond, 0), of((one) => one.p50, 3), of((one) => one.p99, 3)];
  return { perSecond, p50Ms, p99Ms, residentMiB };
}

function lineOf({ work, connections, rows, spaces, floor, service, ratio }: Figures): string {
  const place = `${work.padEnd(10)} ${String(connections).padStart(11)} ${String(rows).padStart(9)} ${String(spaces).padStart(7)}`;
  const rates = `${String(floor.perSecond).padStart(10)} ${String(service.perSecond).padStart(10)} ${ratio.toFixed(2).padStart(6)}`;
  const times = [service.p50Ms, service.p99Ms, floor.p99Ms].map((time) => time.toFixed(2).padStart(8)).join('');
  return `${place} ${rates} ${times}   ${floor.residentMiB} / ${service.residentMiB} MiB`;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

function machine(): string {
  const free = statfsSync(tmpdir());
  const disk = ((free.bavail * free.bsize) / 2 ** 30).toFixed(0);
  const model = cpus()[0]?.model ?? 'unknown';
  return `Node ${process.version}, ${availableParallelism()} cores (${model}), ${disk} GiB free; the load generator shares the machine.`;
}

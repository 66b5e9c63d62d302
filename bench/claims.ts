/**
 * `npm run bench:claims`: what is promised beside the nearness to the floor. Each line is one claim with what was measured:
 * a page of a large table against one of a small table, gets beside heavy queries, a caller who sees little of a large
 * table, many data spaces written to at once, and very many touched in turn.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { httpRequest, type Measured, run } from './client.ts';
import { fill } from './fill.ts';
import { fillLarge } from './fill-large.ts';
import { openFiles, type Server, startService } from './servers.ts';
import { type countForm, objectIdOf, pageForm, tableName } from './workload.ts';
import { works } from './works.ts';

const { values: flags } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '10000000' },
    spaces: { type: 'string', default: '1000' },
    touched: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
  },
});

if (flags.help) {
  console.log(`npm run bench:claims -- [--small 10000] [--large 10000000] [--spaces 1000] [--touched 10000] [--seconds 4] [--rounds 5]

A large table of 10 000 000 rows needs about 8 GiB in the folder for temporary files, and some minutes to fill.
A number of 0 leaves the claims that need it out.`);
  process.exit(0);
}

const rounds = Number(flags.rounds);
const measureMs = Number(flags.seconds) * 1_000;
const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-claims-'));
let folders = 0;
const newFolder = () => join(scratch, String(++folders));

try {
  if (Number(flags.large) > 0) await largeTable(Number(flags.small), Number(flags.large));
  if (Number(flags.spaces) > 0) await manySpaces(Number(flags.spaces));
  if (Number(flags.touched) > 0) await touchedInTurn(Number(flags.touched));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

type Form = ReturnType<typeof pageForm> | ReturnType<typeof countForm> | object;

function postQuery(server: Server, form: Form, token = server.spaces[0]!.token): string {
  return httpRequest('POST', `${server.spaces[0]!.prefix}/data/query/${tableName}`, token, JSON.stringify(form));
}

async function largeTable(small: number, large: number): Promise<void> {
  const servers = [await serverWith(small), await serverWith(large)] as const;
  const page = (server: Server) => measure(server, 1, (sequence) => postQuery(server, pageForm(sequence * 7)));
  const pages = await inTurns([() => page(servers[0]), () => page(servers[1])]);
  claim(
    `page of 20 with a join, ${large} rows against ${small}`,
    `p50 ${ms(pages[1]!)} against ${ms(pages[0]!)}`,
    pages[1]!.p50 / pages[0]!.p50,
    '≤ 1.3',
  );

  const ordered = { from: { phyName: tableName, alias: 'i' }, range: { offset: 0, limit: 20 } };
  const byCategory = { ...ordered, orderBy: [{ column: '#i.category', type: 'ASC' }] };
  for (const [name, form] of [
    ['in the order of ids', ordered],
    ['in an indexed order', byCategory],
  ] as const) {
    const server = servers[1];
    const { token, tokenOfFew } = server.spaces[0]!;
    const asking = (of: string) => () => measure(server, 1, () => postQuery(server, form, of));
    const [all, few] = await inTurns([asking(token), asking(tokenOfFew)]);
    claim(
      `page of 20 ${name} by a caller who sees 0.1 % of ${large}, against one who sees all`,
      `p50 ${ms(few!)} against ${ms(all!)}`,
      few!.p50 / all!.p50,
      '≤ 3',
    );
  }
  await besideHeavyQueries(servers[1]);
  await Promise.all(servers.map((server) => server.stop()));
}

/** Gets while four queries at a time read the whole large table and sort it; of 10 000 000 rows they run out of time. */
async function besideHeavyQueries(server: Server): Promise<void> {
  const get = () => measure(server, 32, (sequence) => getRequest(server, sequence));
  const heavy = {
    from: { phyName: tableName, alias: 'i' },
    orderBy: [{ column: '#i.note' }, { column: '#i.title' }],
    range: { offset: 0, limit: 20 },
  };
  const beside = async () => {
    let done = false;
    const loads = Array.from({ length: 4 }, async () => {
      while (!done)
        await run({
          port: server.port,
          connections: 1,
          warmUpMs: 0,
          measureMs: 1,
          request: () => postQuery(server, heavy),
        });
    });
    const measured = await get();
    done = true;
    await Promise.all(loads);
    return measured;
  };
  const [alone, besides] = await inTurns([get, beside]);
  claim(
    'single GETs, 32 connections, while four heavy queries are submitted, against without them',
    `p99 ${besides!.p99.toFixed(2)} ms against ${alone!.p99.toFixed(2)} ms`,
    besides!.p99 / alone!.p99,
    '≤ 2',
  );
}

function getRequest(server: Server, sequence: number): string {
  const { prefix, token } = server.spaces[0]!;
  return httpRequest('GET', `${prefix}/data/${tableName}/${objectIdOf((sequence * 7_919) % 10_000)}`, token);
}

/** Adds spread over many data spaces; then one of them has a client that sends large batches as fast as it can. */
async function manySpaces(count: number): Promise<void> {
  const server = await startService(newFolder(), count);
  await fill(server.port, server.spaces, 0);
  const add = works.find(({ name }) => name === 'add')!;
  const addLarge = works.find(({ name }) => name === 'add-100')!;
  const others = { ...server, spaces: server.spaces.slice(1) };
  const session = add.start(others, 0);
  const adds = () => measure(server, 64, session.request);
  const besideLarge = async () => {
    let done = false;
    const large = addLarge.start({ ...server, spaces: server.spaces.slice(0, 1) }, 0);
    const load = Array.from({ length: 4 }, async (_, number) => {
      let sequence = 0;
      while (!done) {
        const request = () => large.request(number * 1_000_000 + sequence++, number);
        await run({ port: server.port, connections: 1, warmUpMs: 0, measureMs: 200, request });
      }
    });
    const measured = await adds();
    done = true;
    await Promise.all(load);
    return measured;
  };
  const [alone, beside] = await inTurns([adds, besideLarge]);
  claim(
    `adds spread over ${count} data spaces, 64 connections`,
    `${alone!.perSecond.toFixed(0)}/s, p50 ${ms(alone!)}, p99 ${alone!.p99.toFixed(1)} ms`,
    null,
    'reported',
  );
  claim(
    'the same while one more tenant adds batches of 100 on 4 connections',
    `p99 of the others ${beside!.p99.toFixed(1)} ms against ${alone!.p99.toFixed(1)} ms`,
    beside!.p99 / alone!.p99,
    'reported',
  );
  await server.stop();
}

/** Touches all data spaces three times over; after the first time nothing may grow beyond the bounds any more. */
async function touchedInTurn(count: number): Promise<void> {
  const server = await startService(newFolder(), count);
  await fill(server.port, server.spaces, 0);
  const session = works.find(({ name }) => name === 'add')!.start(server, 0);
  const seen: { readonly memory: number; readonly files: number }[] = [];
  for (let time = 1; time <= 4; time++) {
    let sequence = 0;
    await run({
      port: server.port,
      connections: 16,
      warmUpMs: 0,
      measureMs: 3_600_000,
      requestsMax: count,
      request: (_, connection) => session.request(sequence++, connection),
    });
    seen.push({ memory: await server.residentMiB(), files: await openFiles(server) });
  }
  const [, second, , last] = seen;
  claim(
    `${count} data spaces, written to in turn, four times over`,
    seen.map(({ memory, files }) => `${memory} MiB, ${files} files`).join(' · '),
    last!.memory / second!.memory,
    '≤ 1.1 from the second to the last time',
  );
  await server.stop();
}

async function serverWith(rows: number): Promise<Server> {
  const folder = newFolder();
  const first = await startService(folder, 1);
  await fill(first.port, first.spaces, 0);
  await first.stop();
  fillLarge(folder, first.spaces[0]!.file!, rows);
  return startService(folder, 0, first.spaces);
}

async function measure(
  server: Server,
  connections: number,
  request: (sequence: number, connection: number) => string,
): Promise<Measured> {
  const measured = await run({ port: server.port, connections, warmUpMs: 500, measureMs, request });
  if (measured.failures > 0) throw new Error(`${measured.failures} failed; the first: ${measured.firstFailure}`);
  return measured;
}

/** Measures each in every round, and gives the round with the median p50 of each. */
async function inTurns(measurements: readonly (() => Promise<Measured>)[]): Promise<Measured[]> {
  const all: Measured[][] = measurements.map(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [index, measurement] of measurements.entries()) all[index]!.push(await measurement());
  }
  return all.map((list) => list.toSorted((a, b) => a.p50 - b.p50)[Math.floor(list.length / 2)]!);
}

function ms(measured: Measured): string {
  return `${measured.p50.toFixed(3)} ms`;
}

function claim(name: string, figures: string, ratio: number | null, wanted: string): void {
  const shown = ratio === null ? wanted : `ratio ${ratio.toFixed(2)} (${wanted})`;
  console.log(`${name}\n  ${figures}; ${shown}`);
}

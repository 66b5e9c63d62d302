/**
 * `npm run bench:large`: how clients that fetch results of 62 MB at once affect another company: the p99 of its single
 * GETs and pages with and without them, and the memory of the service. Exits with 1 when the bound was not met. Another
 * process receives the large answers, so that reading them does not disturb the measurement.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpRequest, postJson } from '../client/messages.ts';
import { type Child, startChild } from '../machine/child.ts';
import { positive, whole, word } from '../machine/command.ts';
import { startPostgres } from '../machine/postgres.ts';
import { inScratch } from '../machine/scratch.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { fill } from './fill.ts';
import type { Load, Taken } from './large-taker.ts';
import { type Measured, type Medians, mediansOf, runRight } from './load.ts';
import { begin } from './quiet.ts';
import { type Server, startService, startServiceOnPostgres } from './servers.ts';
import { objectIdOf, pageForm, tableName } from './workload.ts';

const wide = 'Wide';
const boundRatio = 3;
const recordBytes = 1_000_000;
const rows = 2_000;
const sampleEveryMs = 100;

const usage = `Usage: npm run bench:large -- [flags]
Clients fetch results of so many records of 1 MB, over and over; another company's GETs and pages are measured beside them and
without them. Exits with 1 when a p99 is more than ${boundRatio} times as long.`;

const flags = begin(usage, {
  engine: word('sqlite', 'sqlite or postgres', ['sqlite', 'postgres']),
  clients: whole(32, 'that fetch large results', 1),
  records: whole(62, 'in each of them', 1),
  connections: whole(8, 'of the other company', 1),
  seconds: positive(5, 'how long each measurement takes'),
  rounds: whole(5, 'how often each is measured', 1),
});
console.log(flags.machine);
await inScratch(async (folder) => {
  const postgres = flags.engine === 'postgres' ? await startPostgres() : null;
  try {
    const server =
      postgres === null
        ? await startService(folder, 2)
        : await startServiceOnPostgres((await makeDatabase(postgres.url)).url, 2);
    try {
      await fill(server.port, [server.spaces[1]!], rows);
      await fillWide(server);
      await measureBoth(server);
    } finally {
      await server.stop();
    }
  } finally {
    await postgres?.stop();
  }
});

async function fillWide(server: Server): Promise<void> {
  const post = (path: string, body: object) => postJson(server.port, server.spaces[0]!, path, body);
  const columns = [{ colName: 'body', type: 'text' }];
  await post('/schemas', { tables: [{ name: wide, primary_key: 'objectId', columns }] });
  const body = `ā${'x'.repeat(recordBytes - 2)}`;
  for (let number = 0; number < flags.records; number++) {
    await post('/data/batch/addData', { objectName: wide, data: [{ objectId: `w${number}`, body }] });
  }
}

async function measureBoth(server: Server): Promise<void> {
  const { prefix, token } = server.spaces[1]!;
  const works = new Map<string, (sequence: number) => string>([
    ['GET', (n) => httpRequest('GET', `${prefix}/data/${tableName}/${objectIdOf((n * 7_919) % rows)}`, token)],
    ['page', (n) => httpRequest('POST', `${prefix}/data/query/${tableName}`, token, JSON.stringify(pageForm(n * 7)))],
  ]);
  const rounds = { alone: new Map<string, Measured[]>(), beside: new Map<string, Measured[]>() };
  const memory = { alone: 0, beside: 0 };
  const answers = { whole: 0, busy: 0 };
  for (let round = 1; round <= flags.rounds; round++) {
    for (const [name, request] of works) {
      for (const when of ['alone', 'beside'] as const) {
        const load = when === 'beside' ? await startLoad(server) : null;
        const sampling = sampleMemory(server);
        const measured = await measure(server, request);
        memory[when] = Math.max(memory[when], await sampling.end());
        if (load !== null) {
          const taken = await endLoad(load);
          answers.whole += taken.whole;
          answers.busy += taken.busy;
        }
        rounds[when].set(name, [...(rounds[when].get(name) ?? []), measured]);
      }
    }
  }
  for (const name of works.keys()) {
    const [alone, beside] = [mediansOf(rounds.alone.get(name)!), mediansOf(rounds.beside.get(name)!)];
    tell(name, alone, beside);
  }
  console.log(`memory: ${Math.round(memory.alone)} MiB alone, ${Math.round(memory.beside)} MiB beside large results`);
  console.log(`large results: ${answers.whole} taken as a whole, ${answers.busy} answered 503 with Retry-After`);
}

function measure(server: Server, request: (sequence: number) => string): Promise<Measured> {
  const measureMs = flags.seconds * 1_000;
  return runRight({ port: server.port, connections: flags.connections, warmUpMs: 1_000, measureMs, request });
}

function tell(name: string, alone: Medians, beside: Medians): void {
  const ratio = beside.p99 / alone.p99;
  const isMet = ratio <= boundRatio;
  if (!isMet) process.exitCode = 1;
  const figures = `p50 ${alone.p50.toFixed(2)} → ${beside.p50.toFixed(2)} ms, p99 ${alone.p99.toFixed(2)} → ${beside.p99.toFixed(2)} ms`;
  console.log(`${name}: ${figures}; ratio ${ratio.toFixed(2)} (≤ ${boundRatio}${isMet ? '' : ', NOT MET'})`);
}

function sampleMemory(server: Server): { end(): Promise<number> } {
  let most = 0;
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      most = Math.max(most, await server.residentMiB());
      await sleep(sampleEveryMs);
    }
  })();
  return {
    async end() {
      isDone = true;
      await sampling;
      return most;
    },
  };
}

/** Resolves when its first answer begins. */
async function startLoad(server: Server): Promise<Child> {
  const { prefix, token } = server.spaces[0]!;
  const path = `${prefix}/data/query/${wide}`;
  const body = JSON.stringify({ from: { phyName: wide, alias: 'w' } });
  const taker = await startChild(join(import.meta.dirname, 'large-taker.ts'), []);
  await taker.ask('begin', { port: server.port, path, token, body, clients: flags.clients } satisfies Load);
  return taker;
}

async function endLoad(load: Child): Promise<Taken> {
  const taken = await load.ask<Taken>('taken');
  await load.kill();
  return taken;
}

/**
 * `npm run bench:client`: the client's cost compared with bare `fetch` that sends the same requests and parses the
 * answers: requests per second and processor time of this process. Both run in turns on one service, so that other load
 * affects both alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/client/src/client.ts';
import type { SystemColumns, SystemInsert, SystemRow, SystemUpdate } from '../../packages/client/src/tables.ts';
import { postJson } from '../client/messages.ts';
import { whole } from '../machine/command.ts';
import { median } from '../machine/statistics.ts';
import { newTransactionId, type Space } from '../measure/asks.ts';
import { begin } from '../measure/quiet.ts';
import { startService } from '../measure/servers.ts';

const flags = begin(
  `Usage: npm run bench:client -- [flags]
Sends the same requests by the client and by bare fetch, in turns, and prints the median of the ratios.`,
  {
    rounds: whole(15, 'how often both are measured', 1),
    requests: whole(2_000, 'requests of each in a round', 1),
    concurrent: whole(8, 'requests under way at once', 1),
  },
);

interface Columns extends SystemColumns {
  title: 'text';
  priority: 'integer' | null;
}
interface Tables {
  Task: {
    row: SystemRow & { title: string; priority: number | null };
    insert: SystemInsert & { title: string; priority?: number };
    update: SystemUpdate;
    columns: Columns;
    references: Record<never, never>;
  };
}

const rows = 1_000;
const tables = [
  {
    name: 'Task',
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 200, required: true },
      { colName: 'priority', type: 'integer' },
    ],
    indexes: [{ columns: ['priority'], unique: false }],
  },
];

interface Kind {
  readonly name: string;
  client(number: number): Promise<unknown>;
  bare(number: number): Promise<unknown>;
}

function kindsOf(url: string, { prefix, token }: Space): Kind[] {
  const [, companyId, appId = '', appVersion = ''] = /\/api\/(\d+)\/([^/]+)\/([^/]+)$/.exec(prefix) ?? [];
  const { db } = createClient<Tables>({ url, companyId: Number(companyId), appId, appVersion, session: token });
  const headers = { accept: 'application/json', 'service-token': token };
  const get = async (path: string) => (await fetch(url + prefix + path, { headers })).json();
  const post = async (path: string, body: unknown) => {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await fetch(url + prefix + path, init)).json();
  };
  const page = (value: string) => ({
    from: { phyName: 'Task', alias: 'Task' },
    where: { expression: { source: '#Task.priority = ?', params: [value] } },
    orderBy: [{ column: '#Task.title', type: 'ASC' }],
    range: { limit: 20 },
  });
  const task = (number: number) => ({ title: `Task ${number}`, priority: number % 10, scopeType: 1 as const });
  return [
    {
      name: 'get a record',
      client: (number) => db.Task.get(`t${number % rows}`),
      bare: (number) => get(`/data/Task/t${number % rows}?values=typed`),
    },
    {
      name: 'select 20 records',
      client: (number) =>
        db.Task.select({ where: (t) => t.priority.eq(number % 10), orderBy: (t) => t.title.asc(), limit: 20 }),
      bare: (number) => post('/data/select/Task', page(String(number % 10))),
    },
    {
      name: 'add a record',
      client: (number) => db.Task.add(task(number)),
      bare: (number) => {
        const data = [{ objectId: `Task_${newTransactionId()}`, ...task(number) }];
        const operations = [{ op: 'add', objectName: 'Task', data }];
        return post('/data/batch', { transactionId: newTransactionId(), operations });
      },
    },
  ];
}

/** Sends the number of requests given by the flags. */
async function run(send: (number: number) => Promise<unknown>): Promise<{ perSecond: number; cpuUs: number }> {
  let number = 0;
  const before = process.cpuUsage();
  const begun = performance.now();
  const one = async () => {
    while (number < flags.requests) await send(number++);
  };
  await Promise.all(Array.from({ length: flags.concurrent }, one));
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: flags.requests / seconds, cpuUs: (user + system) / flags.requests };
}

console.log(`${flags.machine} ${flags.rounds} rounds of ${flags.requests} requests, ${flags.concurrent} at once.`);
const folder = mkdtempSync(join(tmpdir(), 'rowhouse-client-'));
const server = await startService(folder, 1);
try {
  const space = server.spaces[0] as Space;
  await postJson(server.port, space, '/schemas', { tables });
  const data = Array.from({ length: rows }, (_, number) => ({
    objectId: `t${number}`,
    title: `Task ${number}`,
    priority: number % 10,
    scopeType: 1,
  }));
  await postJson(server.port, space, '/data/batch/addData', { objectName: 'Task', data });
  for (const { name, client, bare } of kindsOf(`http://127.0.0.1:${server.port}`, space)) {
    const ratios: { readonly time: number; readonly cpu: number; readonly rate: number }[] = [];
    for (let round = -1; round < flags.rounds; round++) {
      // Alternates which of the two runs first.
      const first = await run(round % 2 === 0 ? client : bare);
      const second = await run(round % 2 === 0 ? bare : client);
      const [ofClient, ofBare] = round % 2 === 0 ? [first, second] : [second, first];
      const time = ofBare.perSecond / ofClient.perSecond;
      // The first round is a warm-up.
      if (round >= 0) ratios.push({ time, cpu: ofClient.cpuUs / ofBare.cpuUs, rate: ofClient.perSecond });
    }
    const percent = (of: 'time' | 'cpu') => `${((median(ratios.map((ratio) => ratio[of])) - 1) * 100).toFixed(1)} %`;
    const rate = Math.round(median(ratios.map((ratio) => ratio.rate)));
    console.log(
      `${name}: ${rate} a second, ${percent('time')} more time than bare fetch, ${percent('cpu')} more processor time`,
    );
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

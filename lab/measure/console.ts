/**
 * `npm run bench:console`: how soon the console shows records of a large table in a real browser: the first page, the
 * next one, a sorted and a filtered one, with the service's share of the time; and how long an import takes and blocks
 * the page.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { password } from '../../test/administration/house.ts';
import { openConsole } from '../../test/console/signed-in.ts';
import { postJson } from '../client/messages.ts';
import { openChromium } from '../machine/chromium.ts';
import { path, whole } from '../machine/command.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { secretKey } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import { startServer } from '../service/process.ts';
import { appId, type Space } from '../service/spaces.ts';
import { begin } from './quiet.ts';

const flags = begin(
  `Usage: npm run bench:console -- [flags]
Fills a table, opens the console in Chromium, and prints how long it takes from a click until the records are drawn (median and worst),
how long the service takes of that, and its processor time. Wanted: 300 ms for the first page, 150 ms for the next one.`,
  {
    rows: whole(1_000_000, 'rows of the table', 1_000),
    turns: whole(20, 'how often each is measured', 1),
    imported: whole(10_000, 'rows of the file that is imported', 1),
    storage: path('url', 'an empty PostgreSQL database; SQLite in a temporary folder unless given'),
  },
);

const table = {
  name: 'Task',
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 200 },
    { colName: 'amount', type: 'decimal', precision: 12, scale: 2 },
    { colName: 'isDone', type: 'bool' },
    { colName: 'due', type: 'datetime' },
  ],
  indexes: [{ columns: ['amount'], unique: false }],
};

const rowOf = (number: number) => ({
  title: `The ${number}th of many tasks, with a title of ordinary length`,
  amount: String((number * 7_919) % 100_000),
  isDone: number % 3 === 0,
  due: 1_700_000_000_000 + number * 1_000,
});

async function fill(port: number, space: Space): Promise<void> {
  await postJson(port, space, '/schemas', { tables: [table] });
  for (let from = 0; from < flags.rows; from += 1_000) {
    const data = Array.from({ length: Math.min(1_000, flags.rows - from) }, (_, index) => ({
      objectId: `t${String(from + index).padStart(9, '0')}`,
      scopeType: '3',
      ...rowOf(from + index),
    }));
    await postJson(port, space, '/data/batch/addData', { objectName: table.name, data });
    if (from % 50_000 === 0) showProgress(`filling: ${from} of ${flags.rows} rows`);
  }
  clearProgress();
}

/** Milliseconds from an action until new records are drawn, and the service's share of them. */
interface Taken {
  readonly ms: number;
  readonly serverMs: number;
}

const patienceMs = 60_000;

/** @param act a statement to run in the page */
function taken(page: Page, act: string): Promise<Taken> {
  return page.evaluate<Taken>(`(async () => {
    const drawn = () => document.querySelector('.table:not(.stale) tbody th')?.innerText ?? '';
    const before = drawn();
    performance.clearResourceTimings();
    const begun = performance.now();
    ${act};
    let ms = 0;
    while (drawn() === before || drawn() === '') {
      await new Promise(requestAnimationFrame);
      ms = performance.now() - begun;
      if (ms > ${patienceMs}) throw new Error('Nothing else was drawn.');
    }
    const [select] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/select'));
    return { ms, serverMs: select.responseStart - select.requestStart };
  })()`);
}

const place = `#/company/1/app/${appId}/1.0.0`;
const toRecords = (query = '') => `location.hash = '${place}/records/${table.name}${query}'`;
const filtered = `?where=${encodeURIComponent(`#r.amount = ${rowOf(7).amount}`)}`;

async function measure(page: Page, pid: number): Promise<void> {
  const leave = async () => {
    await page.evaluate(`location.hash = '${place}/transactions'`);
    await page.locator('main form').waitFor();
  };
  const first = async (query?: string) => {
    await leave();
    return taken(page, toRecords(query));
  };
  const next = () => taken(page, `[...document.querySelectorAll('.pager button')].at(-1).click()`);
  console.log(`first page, whose modules are yet to be loaded: ${Math.round((await first()).ms)} ms`);
  const works: readonly (readonly [string, () => Promise<Taken>])[] = [
    ['first page', () => first()],
    ['next page', next],
    ['first page, sorted by an indexed column', () => first('?sort=amount')],
    ['next page of these', next],
    ['first page of what a filter finds', () => first(filtered)],
  ];
  for (const [name, work] of works) {
    const all: Taken[] = [];
    const before = cpuUs(pid);
    for (let turn = 0; turn < flags.turns; turn++) all.push(await work());
    const cpuMs = (cpuUs(pid) - before) / flags.turns / 1_000;
    const times = all.map(({ ms }) => ms);
    const server = median(all.map(({ serverMs }) => serverMs));
    console.log(
      `${name}: ${Math.round(median(times))} ms, at most ${Math.round(Math.max(...times))} ms; the service answers the page in ${server.toFixed(1)} ms, and takes ${cpuMs.toFixed(1)} ms of processor time, the count of all included`,
    );
  }
}

async function importRows(page: Page): Promise<void> {
  const lines = Array.from({ length: flags.imported }, (_, index) => {
    const { title, amount, isDone, due } = rowOf(index);
    return `"${title}",${amount},${isDone},${due}\n`;
  });
  const file = {
    name: 'tasks.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`title,amount,isDone,due\n${lines.join('')}`),
  };
  await page.evaluate(`${toRecords('?import=yes')};
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' })`);
  const judged = performance.now();
  await page.getByLabel('File').setInputFiles(file);
  const start = page.getByRole('button', { name: /^Import [\d,]+ rows?$/ });
  await start.click();
  const begun = performance.now();
  await page.getByText(/^Imported/).waitFor();
  const written = performance.now();
  const longest = await page.evaluate<number>('longest');
  console.log(
    `import of ${flags.imported} rows: judged in ${Math.round(begun - judged)} ms, written in ${Math.round(written - begun)} ms; the longest task of the page's main thread ${Math.round(longest)} ms (0: none over 50 ms)`,
  );
}

console.log(flags.machine);
const folder = mkdtempSync(join(tmpdir(), 'rowhouse-console-'));
const server = await startServer(
  { storage: flags.storage ?? `sqlite:${folder}`, secretKey },
  { spaces: 1 },
  { orders: join(import.meta.dirname, 'console-orders.ts') },
);
const chromium = await openChromium();
try {
  await fill(server.port, server.spaces[0] as Space);
  const link = await server.ask<string>('setUpLink');
  const answer = await fetch(`${server.url}/admin/api/set-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ secret: new URL(link).hash.slice(1), account: 'root', password }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { page } = await openConsole(chromium, { server });
  console.log(`${flags.rows} rows, each measured ${flags.turns} times`);
  await measure(page, server.pid);
  await importRows(page);
} finally {
  await chromium.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}

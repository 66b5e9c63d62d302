/**
 * Apps write through the client's outbox, over a bad network, and are killed at random: processes with outboxes in
 * files, and tabs that share one in IndexedDB. Every batch that an outbox has kept is written exactly once.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Reply } from '../client/connection.ts';
import { startChild } from '../machine/child.ts';
import { openChromium } from '../machine/chromium.ts';
import { seeded } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { accounts, appKey, type MadeSpace } from '../service/spaces.ts';
import { counted, type Reach } from './client/fetching.ts';
import { aside, batchesOfRecord, idOf, turnOf } from './client/lane.ts';
import { writeInTabs, writerOf } from './client/tabs.ts';
import { keptOf, type Work } from './client/worker.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import type { Violation } from './history.ts';
import { look, marksOf, sendersOf } from './installation.ts';
import { openProxy } from './proxy.ts';
import type { Proof, Task } from './report.ts';

export interface ClientTask extends Task {
  readonly batches: number;
  /** How many of the batches are written in tabs. */
  readonly tabBatches: number;
  /** That run at once. */
  readonly processes?: number;
  /** How many are open at once. */
  readonly tabs?: number;
  /** After how many kept batches, on average, a process or a tab is killed. */
  readonly life?: { readonly process: number; readonly tab: number };
  /** The browser for the tabs; it stays open. */
  readonly browser?: Browser;
  readonly session?: Partial<SessionTimes>;
}

interface SessionTimes {
  /** The lifetime of a sign-in, in milliseconds. */
  readonly lifeMs: number;
  /** The age from which its token is replaced, in milliseconds. */
  readonly refreshAfterMs: number;
  /** After how many batches of the first lane of a process the service ends its user's sessions. */
  readonly batches: number;
}

const lanesOfProcess = 24;
const usualTabs = 6;
const tabsOfDatabase = 3;
const usualProcesses = 3;
const usualLife = { process: 1_500, tab: 300 };
const usualSession: SessionTimes = { lifeMs: 30_000, refreshAfterMs: 2_000, batches: 100 };
const password = 'a password of the laboratory';
const stallMs = 2_500;
const tellEveryMs = 5_000;
const lookEveryMs = 25;

export function proveClient(task: ClientTask): Promise<Proof> {
  const { batches, tabBatches, seed, server: address, progress } = task;
  const { processes = usualProcesses, tabs = usualTabs, life = usualLife } = task;
  const session = { ...usualSession, ...task.session };
  return inStorage(address, async ({ settings, folder }) => {
    const [space] = (await prepare(settings, 1, { password })) as [MadeSpace];
    const server = await startServer(settings, { settings: { ...proofSettings, userTokenLifeMaxMs: session.lifeMs } });
    const met = new Map<number, number>();
    const witness = (kind: number, { status }: Reply) => {
      if (status === 200) met.set(kind, (met.get(kind) ?? 0) + 1);
    };
    const proxy = await openProxy({ port: server.port, stallMs, witness });
    const { refreshAfterMs } = session;
    const place = { url: `http://127.0.0.1:${proxy.port}`, prefix: space.prefix, appKey };
    const reach: Reach = { ...place, accounts, password, refreshAfterMs };
    const databases = Math.ceil(tabs / tabsOfDatabase);
    const laneNames = (count: number, of: string) => Array.from({ length: count }, (_, index) => `${of}${index}`);
    const ofProcesses = batches === tabBatches ? [] : laneNames(processes * lanesOfProcess, 'process');
    const ofTabs = tabBatches === 0 ? [] : laneNames(tabs, 'tab');
    const each = Math.ceil((batches - tabBatches) / (ofProcesses.length || 1));
    const eachOfTabs = Math.ceil(tabBatches / (ofTabs.length || 1));
    let [kills, tabKills] = [0, 0];
    try {
      const own = join(folder, 'outboxes');
      mkdirSync(own);
      const work = { reach, folder: own, batches: each, sessionBatches: session.batches, seed };
      if (ofProcesses.length > 0)
        kills = await writeInProcesses(work, ofProcesses, { processes, life: life.process, progress });
      if (ofTabs.length > 0) {
        const tell = (kept: number) => progress(`${kept} of ${tabBatches} batches kept in tabs`);
        const inTabs = {
          reach,
          lanes: ofTabs,
          batches: eachOfTabs,
          databases,
          seed,
          life: life.tab,
          progress: tell,
        };
        tabKills = await withBrowser(task.browser, (browser) => writeInTabs(browser, inTabs));
      }
      await proxy.settled();
    } finally {
      await proxy.close();
      await server.stop();
    }
    const expected: Lane[] = [
      ...ofProcesses.map((name) => ({
        name,
        batches: each,
        writerOf: (number: number) => turnOf(number, accounts.length),
      })),
      ...ofTabs.map((name, index) => {
        return { name, batches: eachOfTabs, writerOf: () => writerOf(index, databases, accounts.length) };
      }),
    ];
    const violations = judge(expected, await marksOf(settings.storage, space));
    violations.push(...judgeSenders(expected, space.userIds, await sendersOf(settings.storage, space)));
    const found = await look(settings.storage, space);
    const carriedOut = expected.reduce((sum, lane) => sum + lane.batches, 0);
    if (found.transactions !== carriedOut) {
      const message = `The history has ${found.transactions} transactions; ${carriedOut} batches were kept.`;
      violations.push({ rule: found.transactions < carriedOut ? 'answered is kept' : 'at most once', message });
    }
    const { drop, twice, reset, late, hold } = proxy.met;
    return {
      violations,
      figures: [
        { name: 'batches kept in files by processes', value: each * ofProcesses.length },
        { name: 'batches kept in IndexedDB by tabs', value: eachOfTabs * ofTabs.length },
        { name: 'processes killed', value: kills },
        { name: 'tabs killed', value: tabKills },
        { name: 'answers dropped after the service answered', value: drop },
        { name: 'delivered twice at once', value: twice },
        { name: 'reset, late, held up', value: `${reset}, ${late}, ${hold}` },
        { name: 'users of each outbox', value: accounts.length },
        { name: 'sign-ins', value: met.get(counted['/auth/login'] as number) ?? 0 },
        { name: 'tokens replaced', value: met.get(counted['/auth/refresh'] as number) ?? 0 },
        { name: 'batches carried out', value: found.transactions },
        { name: 'lost', value: violations.filter(({ rule }) => rule === 'answered is kept').length },
        { name: 'doubled', value: violations.filter(({ rule }) => rule === 'at most once').length },
        { name: 'sent as another user', value: violations.filter(({ rule }) => rule === 'written as its user').length },
        { name: 'integrity errors', value: found.errors.length },
      ],
    };
  });
}

/** Resolves when every lane has sent its batches. @returns how often a process was killed */
async function writeInProcesses(
  work: Omit<Work, 'lanes'>,
  lanes: readonly string[],
  { processes, life, progress }: { processes: number; life: number; progress: (line: string) => void },
): Promise<number> {
  let kills = 0;
  const keptOfAll = (some: readonly string[]) => some.reduce((sum, lane) => sum + keptOf(work.folder, lane), 0);
  const one = async (_: unknown, index: number) => {
    const random = seeded(work.seed, index);
    const own = lanes.slice(index * lanesOfProcess, (index + 1) * lanesOfProcess);
    for (let isDone = false; !isDone; ) {
      const child = await startChild(join(import.meta.dirname, 'client/worker.ts'), []);
      const seed = work.seed + kills;
      const ended = child.ask<boolean>('work', { ...work, lanes: own, seed } satisfies Work).catch((error) => {
        if (child.isAlive()) throw error;
        return false;
      });
      const due = keptOfAll(own) + life * (0.2 + 1.6 * random.fraction());
      let isOver = false;
      void ended.finally(() => {
        isOver = true;
      });
      while (!isOver && keptOfAll(own) < due) await sleep(lookEveryMs);
      if (!isOver) kills++;
      await child.kill();
      isDone = await ended;
    }
  };
  const tell = setInterval(() => {
    progress(`${keptOfAll(lanes)} of ${work.batches * lanes.length} batches kept in files, ${kills} kills`);
  }, tellEveryMs);
  try {
    await Promise.all(Array.from({ length: processes }, one));
  } finally {
    clearInterval(tell);
  }
  return kills;
}

async function withBrowser<Result>(
  given: Browser | undefined,
  work: (browser: Browser) => Promise<Result>,
): Promise<Result> {
  const browser = given ?? (await openChromium());
  try {
    return await work(browser);
  } finally {
    if (given === undefined) await browser.close();
  }
}

/** What a lane has kept. */
interface Lane {
  readonly name: string;
  readonly batches: number;
  /** The user who has written a batch. */
  writerOf(number: number): number;
}

/** Compares the users of all transactions with those who wrote them. */
function judgeSenders(
  lanes: readonly Lane[],
  userIds: readonly number[],
  senders: readonly (readonly [transactionId: string, userId: number])[],
): Violation[] {
  const sent = new Map(senders);
  return lanes.flatMap(({ name, batches, writerOf }) =>
    Array.from({ length: batches }, (_, number): Violation[] => {
      const [found, expected] = [sent.get(idOf(name, number)), userIds[writerOf(number)]];
      if (found === undefined || found === expected) return [];
      const message = `${idOf(name, number)}: user ${expected} wrote it, and it was sent as user ${found}.`;
      return [{ rule: 'written as its user', message }];
    }).flat(),
  );
}

/** Compares the kept batches of the lanes with the stored records: each has its mark and count once. */
function judge(lanes: readonly Lane[], stored: readonly (readonly [mark: string, count: number])[]): Violation[] {
  const violations: Violation[] = [];
  const expected = new Set<string>();
  for (const { name: lane, batches } of lanes) {
    for (let number = 0; number < batches; number++) {
      const step = number % batchesOfRecord;
      const isLast = step === batchesOfRecord - 1;
      if (isLast || number === batches - 1) expected.add(`${idOf(lane, number)} ${step}`);
      if (isLast) expected.add(`${idOf(lane, number)} ${aside}`);
    }
  }
  for (const [mark, count] of stored) {
    if (expected.delete(`${mark} ${count}`)) continue;
    violations.push({
      rule: 'at most once',
      message: `${mark}: a record of it is there more than was kept, count ${count}.`,
    });
  }
  for (const record of expected) {
    violations.push({ rule: 'answered is kept', message: `${record}: what this batch wrote is not there.` });
  }
  return violations;
}

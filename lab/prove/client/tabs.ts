/** Tabs of a real browser as writers of the proof, killed at random; those of a database share its outbox. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { seeded } from '../../machine/random.ts';
import type { Reach, TabWork } from './fetching.ts';

export interface TabsOptions {
  readonly reach: Reach;
  readonly lanes: readonly string[];
  /** Of each lane. */
  readonly batches: number;
  /** The lanes are divided among them; each has lanes of all users. */
  readonly databases: number;
  readonly seed: number;
  /** After how many kept batches, on average, a tab is killed. */
  readonly life: number;
  readonly progress: (kept: number) => void;
}

/** Who writes in a tab. */
export const writerOf = (index: number, databases: number, writers: number): number =>
  Math.floor(index / databases) % writers;

const root = join(import.meta.dirname, '../../..');
const below = '/of-the-proof/';

const tellEveryMs = 5_000;

/** Resolves when every lane has sent its batches. @returns how often a tab was killed */
export async function writeInTabs(browser: Browser, options: TabsOptions): Promise<number> {
  const { reach, lanes, batches, databases, seed, life, progress } = options;
  const context = await browser.newContext();
  const kept = new Map(lanes.map((lane) => [lane, 0]));
  /** By lane, the function to call at the next kept batch. */
  const watches = new Map<string, (kept: number) => void>();
  await context.exposeFunction('kept', (lane: string, number: number) => {
    kept.set(lane, number + 1);
    watches.get(lane)?.(number + 1);
  });
  const tell = setInterval(() => progress([...kept.values()].reduce((sum, count) => sum + count, 0)), tellEveryMs);
  let kills = 0;
  const one = async (lane: string, index: number) => {
    const random = seeded(seed, 1_000_000 + index);
    for (let isDone = false; !isDone; ) {
      const page = await openTab(context, reach.url);
      const work = {
        reach,
        database: `outbox-${index % databases}`,
        lane,
        account: reach.accounts[writerOf(index, databases, reach.accounts.length)] as string,
        from: kept.get(lane) as number,
        batches,
        seed,
      };
      const ended = page.evaluate('work'.concat(`(${JSON.stringify(work satisfies TabWork)})`)).then(
        () => true,
        (error: unknown) => {
          // A killed tab does not answer; any other error is a fault.
          if (page.isClosed() || isKilled.has(page)) return false;
          throw error;
        },
      );
      const due = work.from + life * (0.2 + 1.6 * random.fraction());
      const killed = new Promise<null>((resolve) => watches.set(lane, (count) => count >= due && resolve(null)));
      const outcome = await Promise.race([ended, killed]);
      if (outcome === null) {
        kills++;
        await killTab(context, page);
        await ended;
      } else isDone = outcome;
      await page.close().catch(() => {});
    }
  };
  try {
    await Promise.all(lanes.map(one));
  } finally {
    clearInterval(tell);
    await context.close();
  }
  return kills;
}

const isKilled = new WeakSet<Page>();

/** Ends its process at once, whatever it is doing. */
async function killTab(context: BrowserContext, page: Page): Promise<void> {
  isKilled.add(page);
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

/** An empty page of the service's origin with the modules of the proof, whose types are stripped on the way. */
async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${url}${below}**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice(below.length);
    if (path === '') {
      const script = `<!doctype html><script type="module" src="${below}lab/prove/client/tab.ts"></script>`;
      return await route.fulfill({ contentType: 'text/html', body: script });
    }
    return await route.fulfill({ contentType: 'text/javascript', body: stripped(path) });
  });
  await page.goto(`${url}${below}`);
  await page.waitForFunction('"work" in globalThis');
  await page.unrouteAll();
  return page;
}

const texts = new Map<string, string>();

function stripped(path: string): string {
  const known = texts.get(path) ?? stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
  texts.set(path, known);
  return known;
}

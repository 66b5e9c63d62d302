/**
 * The disk is frozen under load (`fsfreeze`, as for a snapshot): the service reports that it is alive and what hangs,
 * and continues with work that needs no disk. Writes are answered afterwards or refused, always truthfully.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '../client/messages.ts';
import { inScratch } from '../machine/scratch.ts';
import { type Running, startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { Ledger, type Told } from './faults/ledger.ts';
import { tries } from './faults/machine.ts';
import { prepare, proofSettings, sqliteIn } from './folder.ts';
import type { Violation } from './history.ts';
import type { Proof, Task } from './report.ts';
import { tableName } from './service.ts';

export interface FreezeTask extends Pick<Task, 'progress'> {
  readonly freezes: number;
  readonly freezeMs: number;
}

const imageBytes = 512 * 1024 * 1024;
const loadMs = 500;
const liveMsMax = 1_000;
/** Delay after the start of the freeze: the service may reuse a result of the disk check for up to a second. */
const readyAfterMs = 1_200;
const readyMsMax = 2_000;
/** Shorter than a freeze, so that some writes are refused while queued. */
const writeTimeMs = 2_000;
const diskTimeMs = 1_000;
const writersPerSpace = 4;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

export function proveFreeze({ freezes, freezeMs, progress }: FreezeTask): Promise<Proof> {
  if (process.getuid?.() !== 0) throw new Error('freeze: only root may mount and freeze a disk; run it as root.');
  return inScratch(async (scratch) => {
    const disk = mountImage(scratch);
    const thaw = () => void tries('fsfreeze', '-u', disk);
    // Unfreezes the disk even if this process dies, because processes that wait for a frozen disk can't even be killed.
    const guard = spawn('sh', ['-c', 'cat; fsfreeze -u "$0"', disk], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    try {
      return await onDisk(disk, { freezes, freezeMs, progress });
    } finally {
      thaw();
      guard.stdin?.end();
      execFileSync('umount', ['-l', disk]);
    }
  });
}

/** Why no disk can be frozen here, in a sentence; null if one can. */
export async function freezeObstacle(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'Only root may mount and freeze a disk.';
  return inScratch(async (scratch) => {
    try {
      const disk = mountImage(scratch);
      try {
        execFileSync('fsfreeze', ['-f', disk], { stdio: 'ignore' });
        execFileSync('fsfreeze', ['-u', disk], { stdio: 'ignore' });
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
      return null;
    } catch (error) {
      return `This machine does not mount and freeze a disk: ${(error as Error).message}`;
    }
  });
}

function mountImage(scratch: string): string {
  const [image, disk] = [join(scratch, 'image'), join(scratch, 'disk')];
  writeFileSync(image, '');
  truncateSync(image, imageBytes);
  mkdirSync(disk);
  execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'ignore' });
  execFileSync('mount', ['-o', 'loop', image, disk], { stdio: 'ignore' });
  return disk;
}

async function onDisk(disk: string, { freezes, freezeMs, progress }: FreezeTask): Promise<Proof> {
  const violations: Violation[] = [];
  const expect = (condition: boolean, message: string) =>
    void (condition || violations.push({ rule: 'it says what hangs', message }));
  const stored = sqliteIn(join(disk, 'data'));
  const spaces = await prepare(stored, 2 + freezes);
  const settings = { ...proofSettings, writerThreads: 2, writeTimeMs, diskTimeMs };
  const server = await startServer(stored, { settings });
  const load = new Load(server, spaces.slice(0, 2));
  const worst = { live: 0, ready: 0, record: 0 };
  try {
    for (let freeze = 0; freeze < freezes; freeze++) {
      await load.begin();
      await sleep(loadMs);
      execFileSync('fsfreeze', ['-f', disk]);
      const figures = await whileFrozen(server, load, spaces[2 + freeze] as Space, freezeMs, expect);
      execFileSync('fsfreeze', ['-u', disk]);
      for (const told of await load.end()) {
        const isSettled = told.errCode === 0 || (told.errCode === 210 && told.status === 503);
        expect(isSettled, `A write was answered HTTP ${told.status}, ${told.errCode}: ${told.description}`);
      }
      for (const name of ['live', 'ready', 'record'] as const) worst[name] = Math.max(worst[name], figures[name]);
      const ready = await ask(server, '/readyz');
      expect(ready.status === 200, `After the freeze /readyz answered ${ready.status}: ${ready.text}`);
      progress(
        `freeze ${freeze + 1}: /livez within ${figures.live} ms, /readyz within ${figures.ready} ms: ${figures.told}`,
      );
    }
    for (const message of await load.differences()) violations.push({ rule: 'answered is kept', message });
  } finally {
    tries('fsfreeze', '-u', disk);
    load.close();
    await server.kill();
  }
  return {
    figures: [
      { name: 'freezes', value: `${freezes} of ${freezeMs} ms` },
      { name: 'slowest /livez while frozen, ms', value: worst.live },
      { name: 'slowest /readyz while frozen, ms', value: worst.ready },
      { name: 'slowest single record while frozen, ms', value: worst.record },
      { name: 'writes answered', value: load.answered },
      { name: 'writes refused', value: load.refused },
    ],
    violations,
  };
}

/** Sends requests repeatedly. @param cold a data space whose file was not opened since the start */
async function whileFrozen(
  server: Running,
  load: Load,
  cold: Space,
  freezeMs: number,
  expect: (condition: boolean, message: string) => void,
) {
  const worst = { live: 0, ready: 0, record: 0, told: '' };
  const end = performance.now() + freezeMs;
  const coldAnswer = ask(server, `${cold.prefix}/data/${tableName}/none?token=${cold.token}`);
  const asking = (async () => {
    await sleep(readyAfterMs);
    while (performance.now() < end) {
      const ready = await ask(server, '/readyz');
      worst.ready = Math.max(worst.ready, ready.ms);
      worst.told = ready.text;
      expect(ready.status === 503 && /disk/.test(ready.text), `/readyz answered ${ready.status}: ${ready.text}`);
      await sleep(200);
    }
  })();
  while (performance.now() < end) {
    const live = await ask(server, '/livez');
    worst.live = Math.max(worst.live, live.ms);
    expect(live.status === 200, `/livez answered ${live.status}`);
    for (const path of load.recordPaths) {
      const record = await ask(server, path);
      worst.record = Math.max(worst.record, record.ms);
      expect(record.status === 200, `A record of an open file: HTTP ${record.status}: ${record.text}`);
    }
    await sleep(50);
  }
  await asking;
  const { status, text } = await coldAnswer;
  expect(status === 503, `A data space that is not open: HTTP ${status}: ${text}`);
  expect(worst.live <= liveMsMax, `/livez took ${worst.live} ms.`);
  expect(worst.ready <= readyMsMax, `/readyz took ${worst.ready} ms.`);
  return worst;
}

async function ask({ port }: Running, path: string): Promise<Answer> {
  const begin = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  return { status: response.status, text, ms: Math.round(performance.now() - begin) };
}

/** Writers that each send batches one after another, and continuous reads of single records. */
class Load {
  readonly #server: Running;
  readonly #spaces: readonly Space[];
  readonly #ledgers: readonly Ledger[];
  readonly recordPaths: string[] = [];
  #isOver = true;
  #running: Promise<Told[]>[] = [];
  refused = 0;

  constructor(server: Running, spaces: readonly Space[]) {
    this.#server = server;
    this.#spaces = spaces;
    this.#ledgers = spaces.flatMap((space, at) =>
      Array.from({ length: writersPerSpace }, (_, writer) => new Ledger(server.port, space, `writer-${at}-${writer}`)),
    );
  }

  get answered(): number {
    return this.#ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async begin(): Promise<void> {
    if (this.recordPaths.length === 0) for (const space of this.#spaces) await this.#makeRecord(space);
    this.#isOver = false;
    this.#running = [
      ...this.#ledgers.map(async (ledger) => {
        const told: Told[] = [];
        while (!this.#isOver) told.push(await ledger.add());
        return told;
      }),
      ...this.recordPaths.map(async (path) => {
        while (!this.#isOver) await ask(this.#server, path);
        return [];
      }),
    ];
  }

  /** Resolves to the answers when all requests under way are answered. */
  async end(): Promise<Told[]> {
    this.#isOver = true;
    const told = (await Promise.all(this.#running)).flat();
    this.refused += told.filter(({ errCode }) => errCode !== 0).length;
    return told;
  }

  async differences(): Promise<string[]> {
    return (await Promise.all(this.#ledgers.map((ledger) => ledger.differences()))).flat();
  }

  close(): void {
    this.#isOver = true;
    for (const ledger of this.#ledgers) ledger.close();
  }

  async #makeRecord(space: Space): Promise<void> {
    const objectId = 'read-all-the-time';
    const data = [{ objectId, family: 'read', mark: 'read', part: '0', count: '0', scopeType: '3' }];
    const batch = { transactionId: objectId, objectName: tableName, data };
    await postJson(this.#server.port, space, '/data/batch/addData', batch);
    const { prefix, token } = space;
    this.recordPaths.push(`${prefix}/data/${tableName}/${objectId}?token=${token}`);
  }
}

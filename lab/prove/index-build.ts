/**
 * Indexes are built for a table of many records, under load: clients of another data space and readers of the table are
 * not delayed, and a write in the same data space is executed, or refused as busy, always truthfully.
 */
import { Connection } from '../client/connection.ts';
import { startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { Ledger, type Told } from './faults/ledger.ts';
import { replyText } from './faults/scene.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import type { Violation } from './history.ts';
import type { Figure, Proof, Task } from './report.ts';
import { addItem, defineOtherRequest, defineRequest, otherTableName, writeRequest } from './service.ts';

export interface IndexBuildTask extends Pick<Task, 'server' | 'progress'> {
  readonly rows: number;
  /** Limit for a write in another data space, and for a read of the table; null if times are not judged. */
  readonly slowestMsMax: number | null;
}

const batchItems = 1_000;
const fillers = 2;
const writersPerKind = 2;
/** Shorter than a long build, so that writes in its data space are refused as busy. */
const writeTimeMs = 2_000;
const buildTimeMs = 30 * 60_000;
const readFamily = 'read-all-the-time';

/** Indexes to define one after the other, and to build for all existing records. */
const builds = [
  { name: 'an index', more: { indexes: [{ columns: ['mark'] }] } },
  {
    name: 'a column and indexes',
    more: {
      columns: [{ colName: 'due', type: 'datetime' }],
      indexes: [{ columns: ['mark'] }, { columns: ['part', 'mark'] }, { columns: ['due', 'family'] }],
    },
  },
] as const;

export function proveIndexBuild({ rows, slowestMsMax, server, progress }: IndexBuildTask): Promise<Proof> {
  return inStorage(server, async ({ settings }) => {
    const [built, other] = (await prepare(settings, 2)) as [Space, Space];
    // One writer thread on SQLite, which the two data spaces share.
    const running = await startServer(settings, { settings: { ...proofSettings, writeTimeMs } });
    const load = new Load(running.port, built, other);
    const figures: Figure[] = [{ name: 'rows', value: rows }];
    const violations: Violation[] = [];
    try {
      await exchanged(running.port, defineOtherRequest(built));
      await fill(running.port, built, rows);
      await load.warmUp();
      progress(`${rows} rows are there.`);
      for (const { name, more } of builds) {
        const slowest = await load.during(() => exchanged(running.port, defineRequest(built, more)));
        for (const [what, value] of Object.entries(slowest)) figures.push({ name: `${name}: ${what}`, value });
        progress(
          `${name}: ${Object.entries(slowest)
            .map(([what, value]) => `${what} ${value}`)
            .join(', ')}`,
        );
        if (slowestMsMax === null) continue;
        for (const what of [slowestWrite, slowestRead] as const) {
          if (slowest[what] <= slowestMsMax) continue;
          const message = `${name}: ${what}: ${slowest[what]}; at most ${slowestMsMax} were expected.`;
          violations.push({ rule: 'nobody is held up', message });
        }
      }
      violations.push(...load.violations, ...(await load.differences()));
    } finally {
      load.close();
      await running.kill();
    }
    return { figures, violations };
  });
}

async function exchanged(port: number, bytes: Buffer): Promise<void> {
  const connection = new Connection(port);
  try {
    const { status, body } = await connection.exchange(bytes, buildTimeMs);
    if (status !== 200) throw new Error(`HTTP ${status}: ${body}`);
  } finally {
    connection.close();
  }
}

async function fill(port: number, space: Space, rows: number): Promise<void> {
  let sent = 0;
  const filling = Array.from({ length: fillers }, async () => {
    while (sent < rows) {
      const items = Array.from({ length: Math.min(batchItems, rows - sent) }, () => addItem(null));
      const id = `fill-${sent}`;
      sent += items.length;
      await exchanged(port, writeRequest(space, `fill-${sent % 97}`, { id, operation: 'add', items }, 'x'));
    }
  });
  await Promise.all(filling);
  const items = [addItem('read-all-the-time')];
  await exchanged(port, writeRequest(space, readFamily, { id: readFamily, operation: 'add', items }, 'x'));
}

const slowestWrite = 'slowest write of another data space, ms';
const slowestRead = 'slowest read of the table, ms';

class Load {
  readonly violations: Violation[] = [];
  readonly #foreign: readonly Ledger[];
  /** Ledgers on another table of the data space whose table gets an index. */
  readonly #same: readonly Ledger[];
  readonly #reader: Ledger;

  constructor(port: number, built: Space, other: Space) {
    const writers = Array.from({ length: writersPerKind }, (_, writer) => writer);
    this.#foreign = writers.map((writer) => new Ledger(port, other, `other-${writer}`));
    this.#same = writers.map((writer) => new Ledger(port, built, `same-${writer}`, otherTableName));
    this.#reader = new Ledger(port, built, readFamily);
  }

  /** Opens each file and starts each thread before anything is measured. */
  async warmUp(): Promise<void> {
    for (const ledger of this.#foreign) await this.#addForeign(ledger);
    for (const ledger of this.#same) await this.#addSame(ledger);
    await this.#read();
  }

  async during(build: () => Promise<void>) {
    let isOver = false;
    const repeat = async (act: () => Promise<void>) => {
      const times: number[] = [];
      while (!isOver) {
        const begin = performance.now();
        await act();
        times.push(performance.now() - begin);
      }
      return times;
    };
    const refused = () => this.#same.reduce((sum, ledger) => sum + ledger.refused, 0);
    const refusedBefore = refused();
    const loops = Promise.all([
      Promise.all(this.#foreign.map((ledger) => repeat(() => this.#addForeign(ledger)))),
      Promise.all(this.#same.map((ledger) => repeat(() => this.#addSame(ledger)))),
      repeat(() => this.#read()),
    ]);
    const begin = performance.now();
    try {
      await Promise.race([build(), loops]);
    } finally {
      isOver = true;
    }
    const buildMs = performance.now() - begin;
    const [foreign, same, reads] = await loops;
    const most = (times: readonly number[]) => Math.round(times.reduce((max, time) => Math.max(max, time), 0));
    return {
      'build, ms': Math.round(buildMs),
      'writes of another data space': foreign.flat().length,
      [slowestWrite]: most(foreign.flat()),
      'reads of the table': reads.length,
      [slowestRead]: most(reads),
      'writes of another table of the data space': same.flat().length,
      'of these told to try again (503, 210, Retry-After)': refused() - refusedBefore,
      'slowest of these, ms': most(same.flat()),
    };
  }

  async differences(): Promise<Violation[]> {
    const all = await Promise.all([...this.#foreign, ...this.#same].map((ledger) => ledger.differences()));
    return all.flat().map((message) => ({ rule: 'answered is kept', message }));
  }

  close(): void {
    for (const ledger of [...this.#foreign, ...this.#same, this.#reader]) ledger.close();
  }

  async #addForeign(ledger: Ledger): Promise<void> {
    const told = await ledger.add();
    this.#expect(told.errCode === 0, 'A write of another data space', told);
  }

  async #addSame(ledger: Ledger): Promise<void> {
    const told = await ledger.add();
    const isPostponed = told.errCode === 210 && told.status === 503 && told.retryAfter !== undefined;
    this.#expect(told.errCode === 0 || isPostponed, 'A write of another table', told);
  }

  async #read(): Promise<void> {
    const told = await this.#reader.read();
    this.#expect(told.status === 200, 'A read of the table', told);
  }

  #expect(isFine: boolean, what: string, told: Told): void {
    if (isFine) return;
    this.violations.push({ rule: 'no fault is answered', message: `${what} was answered ${replyText(told)}` });
  }
}

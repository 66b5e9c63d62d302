/**
 * Indexes made for a table of many records, under load: clients of another data space and whoever reads the table are not held
 * up, and a write of the same data space is carried out or told to try again, each as it is.
 */
import { Connection, headerOf, type Reply } from '../client/connection.ts';
import { startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { Ledger } from './faults/ledger.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import type { Violation } from './history.ts';
import type { Figure, Proof, Task } from './report.ts';
import {
  addItem,
  defineOtherRequest,
  defineRequest,
  isBusy,
  otherTableName,
  readRequest,
  writeRequest,
} from './service.ts';

export interface IndexBuildTask extends Pick<Task, 'server' | 'progress'> {
  readonly rows: number;
  /** For a write of another data space, and for a read of the table; null when times are not judged. */
  readonly slowestMsMax: number | null;
}

const batchItems = 1_000;
const fillers = 2;
const writersPerKind = 2;
const timeMs = 30_000;
/** Shorter than a long build, so that writes of its data space are told to try again. */
const writeTimeMs = 2_000;
const buildTimeMs = 30 * 60_000;
const readFamily = 'read-all-the-time';

/** What is defined, one after the other, and made for all records that are there. */
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
type Slowest = Record<typeof slowestWrite | typeof slowestRead | (typeof others)[number], number>;
const others = [
  'build, ms',
  'writes of another data space',
  'reads of the table',
  'writes of another table of the data space',
  'of these told to try again (503, 210, Retry-After)',
  'slowest of these, ms',
] as const;

class Load {
  readonly violations: Violation[] = [];
  readonly #port: number;
  readonly #built: Space;
  readonly #ledgers: readonly Ledger[];
  /** Of another table of the data space whose table gets an index. */
  readonly #written: string[] = [];
  readonly #refused: string[] = [];
  #next = 0;

  constructor(port: number, built: Space, other: Space) {
    this.#port = port;
    this.#built = built;
    this.#ledgers = Array.from({ length: writersPerKind }, (_, writer) => new Ledger(port, other, `other-${writer}`));
  }

  /** Each file is open and each thread at work before anything is measured. */
  async warmUp(): Promise<void> {
    const connection = new Connection(this.#port);
    for (const ledger of this.#ledgers) await this.#addForeign(ledger);
    await this.#addSame(connection);
    await this.#read(connection);
    connection.close();
  }

  async during(build: () => Promise<void>): Promise<Slowest> {
    let isOver = false;
    const [foreign, same, reads]: [number[], number[], number[]] = [[], [], []];
    const refusedBefore = this.#refused.length;
    const repeat = async (times: number[], act: () => Promise<void>) => {
      while (!isOver) {
        const begin = performance.now();
        await act();
        times.push(performance.now() - begin);
      }
    };
    const connections = Array.from({ length: writersPerKind + 1 }, () => new Connection(this.#port));
    const [reader, ...writers] = connections as [Connection, ...Connection[]];
    const loops = Promise.all([
      ...this.#ledgers.map((ledger) => repeat(foreign, () => this.#addForeign(ledger))),
      ...writers.map((writer) => repeat(same, () => this.#addSame(writer))),
      repeat(reads, () => this.#read(reader)),
    ]);
    const begin = performance.now();
    let buildMs = 0;
    try {
      await Promise.race([build(), loops]);
      buildMs = performance.now() - begin;
    } finally {
      isOver = true;
      await loops;
      for (const connection of connections) connection.close();
    }
    const most = (times: number[]) => Math.round(times.reduce((max, time) => Math.max(max, time), 0));
    return {
      'build, ms': Math.round(buildMs),
      'writes of another data space': foreign.length,
      [slowestWrite]: most(foreign),
      'reads of the table': reads.length,
      [slowestRead]: most(reads),
      'writes of another table of the data space': same.length,
      'of these told to try again (503, 210, Retry-After)': this.#refused.length - refusedBefore,
      'slowest of these, ms': most(same),
    };
  }

  async differences(): Promise<Violation[]> {
    const told = (await Promise.all(this.#ledgers.map((ledger) => ledger.differences()))).flat();
    const connection = new Connection(this.#port);
    const { body } = await connection.exchange(readRequest(this.#built, 'same', otherTableName), timeMs);
    connection.close();
    const { e } = JSON.parse(body) as { e: readonly { mark: string }[] };
    const found = Map.groupBy(e, ({ mark }) => mark);
    const count = (id: string) => found.get(id)?.length ?? 0;
    for (const id of this.#written) if (count(id) !== 1) told.push(`${id}: answered, and there ${count(id)} times.`);
    for (const id of this.#refused) if (count(id) !== 0) told.push(`${id}: refused, and there.`);
    return told.map((message) => ({ rule: 'answered is kept', message }));
  }

  close(): void {
    for (const ledger of this.#ledgers) ledger.close();
  }

  async #addForeign(ledger: Ledger): Promise<void> {
    const { status, errCode, description } = await ledger.add();
    if (errCode !== 0) this.#fault('A write of another data space', `HTTP ${status}, ${errCode}: ${description}`);
  }

  async #addSame(connection: Connection): Promise<void> {
    const id = `same-${this.#next++}`;
    const batch = { id, operation: 'add', items: [addItem(null)] } as const;
    const reply = await connection.exchange(
      writeRequest(this.#built, 'same', batch, 'x', { objectName: otherTableName }),
      timeMs,
    );
    const { errCode } = JSON.parse(reply.body) as { errCode: number };
    if (errCode === 0) this.#written.push(id);
    else this.#refused.push(id);
    if (errCode !== 0 && !(isBusy(reply) && errCode === 210)) this.#fault('A write of another table', replyText(reply));
  }

  async #read(connection: Connection): Promise<void> {
    const reply = await connection.exchange(readRequest(this.#built, readFamily), timeMs);
    if (reply.status !== 200) this.#fault('A read of the table', replyText(reply));
  }

  #fault(what: string, answer: string): void {
    this.violations.push({ rule: 'no fault is answered', message: `${what} was answered ${answer}` });
  }
}

function replyText(reply: Reply): string {
  return `HTTP ${reply.status}, Retry-After ${headerOf(reply.bytes, 'retry-after')}: ${reply.body}`;
}

/**
 * `kill -9` while tables are changed: after the restart, a change is there as in its dry run, or not at all, and can be
 * made again; no record, value or lock is lost, and everything dropped can be restored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../machine/random.ts';
import { median } from '../machine/statistics.ts';
import { ChangedTable, type Schemas, tableIn } from '../service/changed-table.ts';
import { type Running, standBy } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { type Kind, kinds, nameOf } from '../service/table-changes.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import type { Violation } from './history.ts';
import type { Proof, Task } from './report.ts';

export interface TableChangesTask extends Task {
  readonly cycles: number;
  readonly rows: number;
}

const pageRows = 1_000;
/** The assumed duration of a change before one of its kind was answered. */
const firstMs = 1_000;
/** A kill happens at any moment up to this many times the usual duration. */
const lateFactor = 2;
/** After this many changes, every record is read and compared. */
const comparedEvery = 25;

export function proveTableChanges({ cycles, rows, seed, server, progress }: TableChangesTask): Promise<Proof> {
  return inStorage(server, async ({ settings }) => {
    const [space] = (await prepare(settings, 1)) as [Space];
    const run = new ChangesRun(space, rows, seeded(seed));
    let next = standBy();
    const open = async () => {
      const running = await (await next).open(settings, { settings: proofSettings });
      next = standBy();
      return running;
    };
    let running = await open();
    await run.fill(running);
    progress(`${rows} rows are there.`);
    for (let cycle = 0; cycle < cycles; cycle++) {
      await run.killChange(running);
      running = await open();
      await run.judge(running);
      if ((cycle + 1) % comparedEvery === 0) {
        await run.compare(running);
        progress(`${cycle + 1} of ${cycles} changes, ${run.violations.length} violations`);
      }
    }
    await run.takeBack(running);
    await run.compare(running);
    await running.kill();
    await (await next).kill();
    return { figures: run.figures(), violations: run.violations };
  });
}

/** A change that was sent and may have been made. */
interface Sent {
  readonly kind: Kind;
  readonly isBack: boolean;
  readonly before: Schemas;
  /** The tables after it, according to its dry run. */
  readonly expected: unknown;
}

interface Stored {
  readonly n: string;
  readonly s: string;
  readonly serverUpdateTime: string;
}

class ChangesRun {
  readonly violations: Violation[] = [];
  readonly #table: ChangedTable;
  readonly #rows: number;
  readonly #random: Random;
  readonly #first = new Map<string, Stored>();
  readonly #tookMs = new Map<string, number[]>();
  /** The kind that was made and must be reversed. */
  #made: Kind | null = null;
  #sent: Sent | null = null;
  #kindsDone = 0;
  #counts = { carriedOut: 0, undone: 0, answered: 0 };

  constructor(space: Space, rows: number, random: Random) {
    this.#table = new ChangedTable(space);
    this.#rows = rows;
    this.#random = random;
  }

  async fill(running: Running): Promise<void> {
    await this.#table.fill(running, this.#rows);
    for (const [id, record] of await this.#records(running, 'Changed')) this.#first.set(id, record);
  }

  /** Sends a change and kills the server meanwhile, at a moment up to a little after its usual end. */
  async killChange(running: Running): Promise<void> {
    const isBack = this.#made !== null;
    const kind = this.#made ?? (kinds[this.#kindsDone % kinds.length] as Kind);
    const before = await this.#table.schemas(running);
    const request = await this.#table.request(running, kind, isBack, before);
    const dry = await this.#table.ask(running, 'schemas/changes', { ...request, dryRun: true });
    this.#sent = { kind, isBack, before, expected: (dry.results as { tables: unknown }).tables };
    const begun = performance.now();
    const answered = this.#table.ask(running, 'schemas/changes', request).then(
      () => {
        this.#counts.answered++;
        this.#took(kind, isBack, performance.now() - begun);
        return true;
      },
      () => false,
    );
    const usualMs = median(this.#tookMs.get(nameOf(kind, isBack)) ?? [firstMs]);
    await Promise.race([sleep(this.#random.below(Math.ceil(usualMs * lateFactor))), answered]);
    await running.kill();
    await answered;
  }

  /** Checks that the change is there as in its dry run, or not at all. */
  async judge(running: Running): Promise<void> {
    const { kind, isBack, before, expected } = this.#sent as Sent;
    const after = await this.#table.schemas(running);
    const isThere = after.revision !== before.revision;
    const told = isThere ? expected : before.results;
    if (JSON.stringify(after.results) !== JSON.stringify(told) || after.revision > before.revision + 1) {
      this.#violate(
        'all or nothing',
        `${nameOf(kind, isBack)}: ${JSON.stringify(after)}, expected ${JSON.stringify(told)}`,
      );
    }
    if (isThere) {
      this.#counts.carriedOut++;
      this.#made = isBack ? null : kind;
      if (isBack) this.#kindsDone++;
    } else this.#counts.undone++;
    const name = tableIn(after);
    if (name !== undefined) await this.#judgeCount(running, name);
  }

  /** Reverses the change that was made, without a kill. */
  async takeBack(running: Running): Promise<void> {
    if (this.#made === null) return;
    const before = await this.#table.schemas(running);
    const request = await this.#table.request(running, this.#made, true, before);
    await this.#table.ask(running, 'schemas/changes', request);
    this.#made = null;
  }

  /** Checks that every record has its values and its lock, whatever the names and types are now. */
  async compare(running: Running): Promise<void> {
    const name = tableIn(await this.#table.schemas(running));
    if (name === undefined) return;
    const found = await this.#records(running, name);
    for (const [id, first] of this.#first) {
      const record = found.get(id);
      const isSame = JSON.stringify(record) === JSON.stringify(first);
      if (!isSame) this.#violate('answered is kept', `${id}: ${JSON.stringify(record)}, was ${JSON.stringify(first)}`);
    }
  }

  figures(): Proof['figures'] {
    const { carriedOut, undone, answered } = this.#counts;
    return [
      { name: 'rows', value: this.#rows },
      { name: 'changes killed', value: carriedOut + undone },
      { name: 'kinds made and taken back', value: this.#kindsDone },
      { name: 'answered before the kill', value: answered },
      { name: 'carried out', value: carriedOut },
      { name: 'undone', value: undone },
      { name: 'records compared in the end', value: this.#first.size },
    ];
  }

  async #judgeCount(running: Running, name: string): Promise<void> {
    const { count } = await this.#table.ask(running, `data/query/${name}/count`, {
      from: { phyName: name, alias: 'x' },
    });
    if (count !== this.#rows) this.#violate('answered is kept', `${count} of ${this.#rows} records are there.`);
  }

  async #records(running: Running, name: string): Promise<Map<string, Stored>> {
    const records = new Map<string, Stored>();
    for (let after: string | null = ''; after !== null; ) {
      const page = await this.#table.ask(running, `data/select/${name}`, {
        from: { phyName: name, alias: 'x' },
        range: { limit: pageRows },
        after,
        values: 'text',
      });
      for (const { x } of page.rows as { x: Record<string, string> }[]) {
        const { objectId, n, s, other, serverUpdateTime } = x as Record<string, string> & { objectId: string };
        // A dropped column is checked when it is restored.
        const kept = s ?? other ?? this.#first.get(objectId)?.s;
        records.set(objectId, { n, s: kept, serverUpdateTime } as Stored);
      }
      after = page.next as string | null;
    }
    return records;
  }

  #took(kind: Kind, isBack: boolean, tookMs: number): void {
    const name = nameOf(kind, isBack);
    this.#tookMs.set(name, [...(this.#tookMs.get(name) ?? []), tookMs]);
  }

  #violate(rule: Violation['rule'], message: string): void {
    this.violations.push({ rule, message: message.slice(0, 2_000) });
  }
}

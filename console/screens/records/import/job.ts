/**
 * An import under way: rows written in batches, each all or nothing. No row is written twice: a batch whose answer is lost is
 * sent again as it was, under its transaction id, and a row that an earlier import has written is there already, under the
 * objectId that hangs on its line in the file.
 */
import { signal } from '@preact/signals';
import { Refusal } from '../../../api.ts';
import { randomId } from '../../../random.ts';
import type { IdentifiedRow } from './identify.ts';
import type { CheckedRow } from './rows.ts';
import { rejectedText, type Source } from './source.ts';

export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  readonly written: number;
  /** Rows whose records already existed. */
  readonly before: number;
  readonly rejected: number;
  readonly total: number;
  /** Why it stopped by itself; null if it did not. */
  readonly problem: unknown;
}

interface Task {
  readonly table: string;
  readonly source: Source;
  readonly rows: readonly IdentifiedRow[];
  /** Errors, by the position of the row. */
  readonly rejected: ReadonlyMap<number, string>;
  /** Adds records, all or none of them. @throws Refusal */
  readonly add: (transactionId: string, data: CheckedRow['item'][]) => Promise<unknown>;
}

interface Batch {
  readonly transactionId: string;
  readonly rows: readonly IdentifiedRow[];
}

const batchItems = 500;
const batchBytes = 512 * 1024;
/** The batch was processed before. */
const knownTransaction = 211;
/** The error of a row whose objectId is taken (`duplicateId` in src/data/batch-answer.ts). */
const isThere = /\.objectId: a record with this id already exists\./;
/** The row's position in its batch, which does not help to correct the file. */
const place = /^operations\[0\]\.data\[\d+\]\.?/;

export class ImportJob {
  readonly task: Task;
  readonly progress = signal<Progress>({
    state: 'stopped',
    written: 0,
    before: 0,
    rejected: 0,
    total: 0,
    problem: null,
  });
  readonly #rejected: Map<number, string>;
  /** Rows not yet in a batch. */
  readonly #left: IdentifiedRow[];
  /** On its way, or not answered. */
  #batch: Batch | null = null;
  #itemsMax = batchItems;
  /** The rows' own objectIds that this import has written. */
  readonly #ids = new Set<unknown>();
  /** Number of rows that an earlier import has written. */
  #before: IdentifiedRow[] = [];
  #running: Promise<void> | null = null;
  #isStopping = false;

  constructor(task: Task) {
    this.task = task;
    this.#left = [...task.rows];
    this.#rejected = new Map(task.rejected);
    this.#tell({ rejected: this.#rejected.size, total: task.source.rows.length });
  }

  /** Starts, or continues after a stop. @returns once it is done or has stopped */
  start(): Promise<void> {
    this.#isStopping = false;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Stops after the current batch. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Whether there are rows that can be written once more: those that don't have an objectId of their own. */
  get isRepeatable(): boolean {
    return this.#before.length > 0;
  }

  /** Writes rows again that an earlier import has written. */
  repeat(): Promise<void> {
    const again = this.#before.map((row) => ({ ...row, objectId: null }));
    this.#before = [];
    this.#left.push(...again);
    this.#tell({ before: this.progress.peek().before - again.length });
    return this.start();
  }

  /** The rejected rows with their errors, in the format of the source. */
  rejectedFile(): { readonly name: string; readonly parts: string[] } {
    const inOrder = [...this.#rejected].sort(([one], [other]) => one - other);
    const { source, table } = this.task;
    return { name: `${table}-errors.${source.form}`, parts: rejectedText(source, inOrder) };
  }

  async #run(): Promise<void> {
    this.#tell({ state: 'running', problem: null });
    try {
      while (!this.#isStopping) {
        this.#batch ??= this.#nextBatch();
        if (this.#batch === null) break;
        await this.#send(this.#batch);
        this.#batch = null;
      }
      this.#tell({ state: this.#left.length === 0 ? 'done' : 'stopped' });
    } catch (error) {
      this.#tell({ state: 'stopped', problem: error });
    }
  }

  #nextBatch(): Batch | null {
    let count = 0;
    let bytes = 0;
    while (count < Math.min(this.#left.length, this.#itemsMax) && bytes < batchBytes) {
      bytes += JSON.stringify(this.#left[count]?.item).length;
      count += 1;
    }
    return count === 0 ? null : { transactionId: `import-${randomId()}`, rows: this.#left.splice(0, count) };
  }

  /** Afterwards each row of it is written, was there already, is rejected, or is left for another batch. @throws Refusal of the whole */
  async #send({ transactionId, rows }: Batch): Promise<void> {
    try {
      const data = rows.map(({ item, objectId }) => (objectId === null ? item : { ...item, objectId }));
      await this.task.add(transactionId, data);
      this.#noteWritten(rows);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const results = Array.isArray(error.results) ? (error.results as readonly Outcome[]) : [];
      // It was written, and the answer was lost: no other client has this transaction id.
      if (error.code === knownTransaction) this.#noteWritten(rows);
      else if (results.length === rows.length && results.some(isFault)) this.#sort(rows, results, error);
      else if (![400, 413].includes(error.status)) throw error;
      else if (rows.length === 1) this.#reject(rows[0] as IdentifiedRow, error.message);
      else {
        // The batch exceeds the service's limits.
        this.#itemsMax = Math.ceil(rows.length / 2);
        this.#left.unshift(...rows);
      }
    }
  }

  /** Nothing of the batch was written; rows without a fault are left for the next one. */
  #sort(rows: readonly IdentifiedRow[], results: readonly Outcome[], { message }: Refusal): void {
    const sound: IdentifiedRow[] = [];
    for (const [index, row] of rows.entries()) {
      const outcome = results[index] as Outcome;
      const fault = outcome.description ?? message;
      if (!isFault(outcome)) sound.push(row);
      else if (isThere.test(fault) && !this.#isOwnRepeated(row)) this.#noteThere(row);
      else this.#reject(row, fault);
    }
    this.#left.unshift(...sound);
  }

  /** Whether an earlier row of the file has the same objectId. */
  #isOwnRepeated({ item, objectId }: IdentifiedRow): boolean {
    return objectId === null && this.#ids.has(item.objectId);
  }

  #noteWritten(rows: readonly IdentifiedRow[]): void {
    for (const { item, objectId } of rows) if (objectId === null) this.#ids.add(item.objectId);
    this.#tell({ written: this.progress.peek().written + rows.length });
  }

  #noteThere(row: IdentifiedRow): void {
    if (row.objectId !== null) this.#before.push(row);
    this.#tell({ before: this.progress.peek().before + 1 });
  }

  #reject({ row }: CheckedRow, fault: string): void {
    this.#rejected.set(row, fault.replace(place, '').replace(/^: /, ''));
    this.#tell({ rejected: this.#rejected.size });
  }

  #tell(news: Partial<Progress>): void {
    this.progress.value = { ...this.progress.peek(), ...news };
  }
}

/** The service's result for one row. */
interface Outcome {
  readonly errCode?: number;
  readonly description?: string;
}

function isFault({ errCode }: Outcome): boolean {
  return errCode !== undefined && errCode !== 0;
}

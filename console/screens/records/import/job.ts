/**
 * An import under way: rows written in batches, each all or nothing. The transaction id of a batch is the digest of what it
 * writes, so the same rows are never written twice: not when an answer is lost, nor when a stopped import is continued, nor when
 * the same file is chosen again, as long as the service keeps its history.
 */
import { signal } from '@preact/signals';
import { call, Refusal } from '../../../api.ts';
import { messageOf } from '../../../components/form.ts';
import type { VersionParams } from '../../../records.ts';
import type { Checked, CheckedRow } from './rows.ts';
import { rejectedText, type Source } from './source.ts';

export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  readonly written: number;
  /** Rows that an earlier import has written. */
  readonly before: number;
  readonly rejected: number;
  readonly total: number;
  /** Why it stopped by itself. */
  readonly problem: string | null;
}

interface Task {
  readonly params: VersionParams;
  readonly table: string;
  readonly ownerId: number;
  readonly source: Source;
  readonly checked: Checked;
}

const batchItems = 500;
const batchBytes = 512 * 1024;
/** The batch was processed before. */
const knownTransaction = 211;

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
  /** Ids of batches that were sent, and whether their rows are counted. */
  readonly #sent = new Map<string, boolean>();
  #items: readonly CheckedRow[];
  #next = 0;
  #itemsMax = batchItems;
  #round = '';
  /** Rows that an earlier import has written. */
  #before: CheckedRow[] = [];
  #running: Promise<void> | null = null;
  #isStopping = false;

  constructor(task: Task) {
    this.task = task;
    this.#items = task.checked.items;
    this.#rejected = new Map(task.checked.rejected);
    this.#tell({ rejected: this.#rejected.size, total: task.source.rows.length });
  }

  /** Begins, or goes on after a stop. */
  start(): void {
    this.#isStopping = false;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** After the batch that is on its way. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Writes the rows that an earlier import has written a second time. */
  repeat(): void {
    this.#items = this.#before;
    this.#before = [];
    this.#next = 0;
    this.#round = crypto.randomUUID();
    this.#tell({ before: 0 });
    this.start();
  }

  /** The rows that were not imported, with their errors, in the form that they came in. */
  rejectedFile(): { readonly name: string; readonly parts: string[] } {
    const inOrder = [...this.#rejected].sort(([one], [other]) => one - other);
    const { source, table } = this.task;
    return { name: `${table}-errors.${source.form}`, parts: rejectedText(source, inOrder) };
  }

  async #run(): Promise<void> {
    this.#tell({ state: 'running', problem: null });
    try {
      while (this.#next < this.#items.length && !this.#isStopping) {
        const batch = this.#batch();
        await this.#send(batch);
        this.#next += batch.length;
      }
      this.#tell({ state: this.#next < this.#items.length ? 'stopped' : 'done' });
    } catch (error) {
      this.#tell({ state: 'stopped', problem: messageOf(error) });
    }
  }

  #batch(): readonly CheckedRow[] {
    let end = this.#next;
    let bytes = 0;
    while (end < this.#items.length && end - this.#next < this.#itemsMax && bytes < batchBytes) {
      bytes += JSON.stringify(this.#items[end]?.item).length;
      end += 1;
    }
    return this.#items.slice(this.#next, end);
  }

  /** Leaves out the rows that the service refuses. @throws Refusal of the whole, which says nothing of its rows */
  async #send(batch: readonly CheckedRow[]): Promise<void> {
    if (batch.length === 0) return;
    const { params, table, ownerId } = this.task;
    const data = batch.map(({ item }) => item);
    const place = [params.companyId, params.appId, table, ownerId, this.#round, batch[0]?.row];
    const transactionId = await idOf(JSON.stringify([place, data]));
    const isRepeated = this.#sent.has(transactionId);
    if (!isRepeated) this.#sent.set(transactionId, false);
    try {
      const path = 'POST /companies/:companyId/applications/:appId/versions/:version/records/batch';
      const operations = [{ op: 'add' as const, objectName: table, data }];
      await call(path, { params, body: { transactionId, ownerId, operations } });
      this.#count(transactionId, batch, 'written');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const results = Array.isArray(error.results) ? (error.results as readonly Outcome[]) : [];
      const isTold = results.length === batch.length;
      if (error.code === knownTransaction && isTold) {
        this.#count(transactionId, batch, isRepeated ? 'written' : 'before');
      } else if (isTold && results.some(isFault)) {
        for (const [index, outcome] of results.entries()) {
          if (isFault(outcome)) this.#reject(batch[index] as CheckedRow, outcome.description ?? error.message);
        }
        await this.#send(batch.filter((_, index) => !isFault(results[index] as Outcome)));
      } else if (![400, 413].includes(error.status)) throw error;
      else if (batch.length === 1) this.#reject(batch[0] as CheckedRow, error.message);
      else {
        // Too much for one batch, by the service's settings.
        this.#itemsMax = Math.ceil(batch.length / 2);
        await this.#send(batch.slice(0, this.#itemsMax));
        await this.#send(batch.slice(this.#itemsMax));
      }
    }
  }

  #count(transactionId: string, batch: readonly CheckedRow[], as: 'written' | 'before'): void {
    if (this.#sent.get(transactionId)) return;
    this.#sent.set(transactionId, true);
    if (as === 'before') this.#before.push(...batch);
    this.#tell({ [as]: this.progress.peek()[as] + batch.length });
  }

  #reject({ row }: CheckedRow, fault: string): void {
    // Its place in the batch says nothing to whoever corrects the file.
    this.#rejected.set(row, fault.replace(/^operations\[0\]\.data\[\d+\]\.?/, '').replace(/^: /, ''));
    this.#tell({ rejected: this.#rejected.size });
  }

  #tell(news: Partial<Progress>): void {
    this.progress.value = { ...this.progress.peek(), ...news };
  }
}

/** What the service answers of one row. */
interface Outcome {
  readonly errCode?: number;
  readonly description?: string;
}

function isFault({ errCode }: Outcome): boolean {
  return errCode !== undefined && errCode !== 0;
}

async function idOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return `import-${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The latest import, which goes on while other screens are looked at. */
export const importing = signal<ImportJob | null>(null);

addEventListener('beforeunload', (event) => {
  const state = importing.peek()?.progress.peek().state;
  if (state === 'running' || state === 'stopped') event.preventDefault();
});

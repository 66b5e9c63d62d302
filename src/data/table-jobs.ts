/**
 * Changes of tables that take longer than a request waits (docs/reference/changing-tables.md#long-changes), in the process
 * that carries them out. Other processes know them by `RunningJobs`, and completed ones from the data space.
 */
import { ServiceError } from '../errors.ts';

/** What the work of a job receives. */
export interface JobControl {
  readonly id: string;
  /** `DefinitionChange.cancelled`. */
  readonly cancelled: SharedArrayBuffer;
}

export type JobState = 'running' | 'done' | 'failed';

export interface JobReport<Progress> {
  readonly state: JobState;
  readonly progress: Progress;
  /** Why it failed. */
  readonly error: string | null;
}

/** Finished jobs that a process remembers. */
const rememberedMax = 1_000;

class TableJob<Result> {
  readonly spaceId: number;
  readonly control: JobControl;
  state: JobState = 'running';
  error: string | null = null;
  /** Resolves, whatever the outcome. */
  readonly ended: Promise<void>;
  /** Estimated total duration, milliseconds; null while unknown. */
  estimateMs: number | null = null;
  readonly #begun = performance.now();
  readonly #result: Promise<Result>;

  constructor(spaceId: number, id: string, work: (control: JobControl) => Promise<Result>) {
    this.spaceId = spaceId;
    this.control = { id, cancelled: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) };
    this.#result = work(this.control);
    this.ended = this.#result.then(
      () => {
        this.state = 'done';
      },
      (error: unknown) => {
        this.state = 'failed';
        this.error = error instanceof ServiceError ? error.message : 'The database failed.';
      },
    );
  }

  /** The result, or null when it takes longer. @throws the work's error until then */
  async within(timeMs: number): Promise<Result | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const late = setTimeout(() => resolve(null), timeMs);
    try {
      return await Promise.race([this.#result, promise]);
    } finally {
      clearTimeout(late);
    }
  }

  /** Percent, estimated from the elapsed time; 100 only when it has ended. */
  get progress(): number {
    if (this.state !== 'running') return 100;
    if (this.estimateMs === null) return 0;
    return Math.min(99, Math.floor((100 * (performance.now() - this.#begun)) / this.estimateMs));
  }

  cancel(): void {
    Atomics.store(new Int32Array(this.control.cancelled), 0, 1);
  }
}

export class TableJobs {
  readonly #jobs = new Map<string, TableJob<unknown>>();

  /** @param id an unguessable id */
  begin<Result>(spaceId: number, id: string, work: (control: JobControl) => Promise<Result>): TableJob<Result> {
    const job = new TableJob(spaceId, id, work);
    this.#jobs.set(id, job);
    for (const [other, { state }] of this.#jobs) {
      if (this.#jobs.size <= rememberedMax) break;
      if (state !== 'running') this.#jobs.delete(other);
    }
    return job;
  }

  /** Null for one of another data space or process. */
  find(spaceId: number, id: string): TableJob<unknown> | null {
    const job = this.#jobs.get(id);
    return job?.spaceId === spaceId ? job : null;
  }
}

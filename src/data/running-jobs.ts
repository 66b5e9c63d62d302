/**
 * Long jobs, as every instance sees them (docs/reference/changing-tables.md#long-changes): the process that carries one out keeps
 * a row for it in the directory.
 */
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import { dayMs, secondMs } from '../setting.ts';
import type { Storage, WriteStatement } from '../storage/contract.ts';
import type { JobReport } from './table-jobs.ts';

/** How often a process updates the rows of its jobs, and looks whether they are to be cancelled. */
const everyMs = 2 * secondMs;

/** A running job whose row is older was interrupted: the process that carried it out has ended. */
const silentMsMax = 30 * secondMs;

/** Moves of data spaces that are kept. */
const movesMax = 20;

/** A job of this process. */
export interface OwnJob {
  readonly id: string;
  readonly kind: 'tables' | 'move';
  /** Null for a rebalancing. */
  readonly spaceId: number | null;
  /** Where a data space is moved; null for any other job. */
  readonly target: string | null;
  /** Resolves, whatever the outcome. */
  readonly ended: Promise<unknown>;
  /** Its `progress` is kept as JSON. */
  report(): JobReport<unknown>;
  cancel(): void;
}

/** A job of any process. */
export interface KnownJob extends JobReport<unknown> {
  readonly spaceId: number | null;
  readonly target: string | null;
  /** Milliseconds since 1970. */
  readonly begun: number;
  /** It ran until its process ended, or lost the directory. */
  readonly isInterrupted: boolean;
}

export interface RunningJobs {
  /**
   * From now on every instance knows the job, and once it has ended, for a day. A change of tables that is done is
   * forgotten here, because its data space knows it. Resolves when the row is stored; a failure is logged, and tried again.
   */
  share(job: OwnJob): Promise<void>;
  /** A change of tables that is running or has failed. @throws ServiceError `busy`, `internal` */
  find(spaceId: number, id: string): Promise<KnownJob | null>;
  /** Has the process that carries out a change of tables cancel it. @throws ServiceError `busy`, `internal` */
  cancel(spaceId: number, id: string): Promise<void>;
  /** The last moves of data spaces, the latest first. @throws ServiceError `busy`, `internal` */
  moves(): Promise<readonly KnownJob[]>;
  /** Stores the state of all jobs of this process, and cancels those that are to be cancelled. */
  update(): Promise<void>;
  /** Resolves when the changes of tables have ended, which the storage waits for as well. */
  close(): Promise<void>;
}

export interface RunningJobsDeps {
  readonly storage: Pick<Storage, 'directory'>;
  readonly environment: Pick<Environment, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
}

export function openRunningJobs({ storage: { directory }, environment, log }: RunningJobsDeps): RunningJobs {
  const { build } = directory;
  const own = new Map<string, OwnJob & { readonly begun: number }>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function statementOf({ id, kind, spaceId, target, begun, report }: OwnJob & { readonly begun: number }) {
    const { state, progress, error } = report();
    const isOver = state !== 'running';
    if (kind === 'tables' && state === 'done') {
      return { id, isOver, statement: build.deleteFrom('running_job').where('id', '=', id) };
    }
    const values = { state, error, progress: JSON.stringify(progress), seen: environment.now() };
    const statement = build
      .insertInto('running_job')
      .values({ id, kind, space_id: spaceId, target, begun, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .returning('cancel');
    return { id, isOver, statement };
  }

  async function writeDown(before: readonly WriteStatement[]): Promise<void> {
    const rows = [...own.values()].map(statementOf);
    if (rows.length === 0) return;
    try {
      const written = await directory.write([...before, ...rows.map(({ statement }) => statement)]);
      for (const [index, { id, isOver }] of rows.entries()) {
        if (Number(written[before.length + index]?.rows[0]?.cancel ?? 0) === 1) own.get(id)?.cancel();
        if (isOver) own.delete(id);
      }
    } catch (error) {
      log.warn({ err: error }, 'The state of long jobs could not be stored; the service will try again.');
    }
    if (own.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function write(before: readonly WriteStatement[] = []): Promise<void> {
    writing = writing.then(() => writeDown(before));
    return writing;
  }

  /** Deletes what is too old, and all but the last moves. */
  function forgetting(): readonly WriteStatement[] {
    const moves = build.selectFrom('running_job as other').select('other.id').where('other.kind', '=', 'move');
    const last = moves.orderBy('other.begun', 'desc').orderBy('other.id').limit(movesMax);
    return [
      build.deleteFrom('running_job').where('seen', '<', environment.now() - dayMs),
      build
        .deleteFrom('running_job')
        .where('kind', '=', 'move')
        .where('state', '<>', 'running')
        .where('id', 'not in', last),
    ];
  }

  const known = build.selectFrom('running_job').selectAll();

  async function read(rows: typeof known): Promise<readonly KnownJob[]> {
    const oldest = environment.now() - silentMsMax;
    return (await directory.read(rows)).map(({ space_id, target, begun, progress, state, error, seen }) => ({
      ...{ target, error, state: state as KnownJob['state'] },
      spaceId: space_id === null ? null : Number(space_id),
      begun: Number(begun),
      progress: JSON.parse(progress),
      isInterrupted: state === 'running' && Number(seen) < oldest,
    }));
  }

  return {
    async share(job) {
      own.set(job.id, { ...job, begun: environment.now() });
      timer ??= setInterval(() => void write(), everyMs).unref();
      void job.ended.then(() => write());
      await write(forgetting());
    },
    async find(spaceId, id) {
      const [job = null] = await read(known.where('id', '=', id).where('space_id', '=', spaceId));
      return job;
    },
    async cancel(spaceId, id) {
      const update = build.updateTable('running_job').set({ cancel: 1 });
      await directory.write([update.where('id', '=', id).where('space_id', '=', spaceId).where('kind', '=', 'tables')]);
    },
    moves: () => read(known.where('kind', '=', 'move').orderBy('begun', 'desc').orderBy('id').limit(movesMax)),
    update: () => write(),
    async close() {
      await Promise.all([...own.values()].filter(({ kind }) => kind === 'tables').map(({ ended }) => ended));
      clearInterval(timer);
      await writing;
      // Moves of data spaces end with the storage.
      own.clear();
    },
  };
}

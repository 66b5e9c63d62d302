/**
 * Prevents the reuse of directory ids after the restore of an older directory: before the first id is handed out, its
 * counters are compared with the existing data spaces, and with the highest ids seen by these and by the logs.
 */
import type { Logger } from 'pino';
import { type HighestIds, higher, noIds, olderDirectory, seenIds } from './identity.ts';

/** An engine's access to the stores and to the counters of the directory. */
export interface CounterSource {
  /** The numbers of the existing data spaces. */
  spaces(): Promise<readonly number[]>;
  /** Null for a store of another installation, or one that can't be read, which is reported when it is used. */
  seen(store: 'logs' | number): Promise<HighestIds | null>;
  /** Raises counters that are lower. @param ids by table. @returns the former values of raised counters */
  raise(ids: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}

export class Counters {
  readonly #source: CounterSource;
  readonly #log: Pick<Logger, 'warn'>;
  #settled: Promise<void> | undefined;
  #isClosing = false;

  constructor(source: CounterSource, log: Pick<Logger, 'warn'>) {
    this.#source = source;
    this.#log = log;
  }

  /** Resolves when the next id handed out is sure to be new. Compares once; retries after a failure. */
  settled(): Promise<void> {
    this.#settled ??= this.#settle().catch((error) => {
      this.#settled = undefined;
      throw error;
    });
    return this.#settled;
  }

  /** Stops the comparison under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#settled?.catch(() => {});
  }

  /** Reads one store at a time, so that other work runs in between. */
  async #settle(): Promise<void> {
    const spaces = await this.#source.spaces();
    let seen = noIds;
    for (const store of ['logs', ...spaces] as const) {
      if (this.#isClosing) return;
      seen = higher(seen, (await this.#source.seen(store)) ?? noIds);
    }
    const ids = new Map(seenIds.map(({ name, table }) => [table, seen[name]]));
    ids.set(
      'data_space',
      spaces.reduce((last, id) => Math.max(last, id), 0),
    );
    const raised = await this.#source.raise(ids);
    if (raised.size > 0) this.#log.warn({ raised: Object.fromEntries(raised) }, olderDirectory);
  }
}

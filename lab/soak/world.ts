/** State shared by all clients: the service's present address, whether it is restarting, and counts. */

import { newTally } from '../prove/workload.ts';
import type { MadeSpace } from '../service/spaces.ts';
import { Tally } from './tally.ts';

export class World {
  readonly tally = new Tally();
  /** Of all clients' batches. */
  readonly writes = newTally();
  readonly places: readonly MadeSpace[];
  /** How many columns were added to the tables of a version, by its prefix. */
  readonly extraColumns = new Map<string, number>();
  /** Counts the starts of the service. */
  life = 0;
  url = '';
  isOver = false;
  #restarting: PromiseWithResolvers<void> | null = null;

  constructor(places: readonly MadeSpace[]) {
    this.places = places;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get isRestarting(): boolean {
    return this.#restarting !== null;
  }

  /** Resolves when the service is running, possibly at once. */
  async up(): Promise<void> {
    await this.#restarting?.promise;
  }

  /** To be called before the service is stopped. */
  goesDown(): void {
    this.#restarting ??= Promise.withResolvers();
  }

  comesUp(url: string): void {
    this.url = url;
    this.life++;
    this.#restarting?.resolve();
    this.#restarting = null;
  }
}

/** The request was interrupted by a restart, or its failure was recorded; it may or may not have been executed. */
export class Interrupted extends Error {}

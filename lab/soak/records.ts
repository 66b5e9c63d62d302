/** The records of one client as it knows them, so that every read can be checked and nothing acknowledged gets lost unseen. */

export interface Known {
  readonly count: number;
  readonly serverUpdateTime: string;
}

/** What a batch makes of each record; null deletes it. */
export type Effect = ReadonlyMap<string, number | null>;

export interface Stored extends Known {
  readonly objectId: string;
}

export class Records {
  readonly #known = new Map<string, Known>();
  /** By record, the counts that it may have after a batch whose answer was lost; null for not being there. */
  readonly #unsure = new Map<string, readonly (number | null)[]>();
  #made = 0;

  get size(): number {
    return this.#known.size;
  }

  get all(): readonly (readonly [string, Known])[] {
    return [...this.#known];
  }

  nextId(client: number): string {
    return `client-${client}-${this.#made++}`;
  }

  known(objectId: string): Known | undefined {
    return this.#known.get(objectId);
  }

  answered(effect: Effect, times: readonly string[]): void {
    for (const [index, [objectId, count]] of [...effect].entries()) {
      if (count === null) this.#known.delete(objectId);
      else this.#known.set(objectId, { count, serverUpdateTime: times[index] as string });
    }
  }

  lost(effect: Effect): void {
    for (const [objectId, count] of effect) {
      this.#unsure.set(objectId, [this.#known.get(objectId)?.count ?? null, count]);
      this.#known.delete(objectId);
    }
  }

  /** Compares with all records that the service has of this client, and takes over what was not sure. */
  compare(stored: readonly Stored[]): string[] {
    const present = new Map(stored.map((record) => [record.objectId, record]));
    const wrong: string[] = [];
    for (const [objectId, { count }] of this.#known) {
      const found = present.get(objectId);
      if (found?.count !== count)
        wrong.push(`${objectId}: ${count} was acknowledged, ${found?.count ?? 'nothing'} is there.`);
      present.delete(objectId);
    }
    for (const [objectId, counts] of this.#unsure) {
      const found = present.get(objectId);
      present.delete(objectId);
      if (!counts.includes(found?.count ?? null)) wrong.push(`${objectId}: ${found?.count ?? 'nothing'} is there.`);
      if (found !== undefined) this.#known.set(objectId, found);
    }
    this.#unsure.clear();
    return [...wrong, ...[...present.keys()].map((objectId) => `${objectId} is there, and was deleted or never sent.`)];
  }
}

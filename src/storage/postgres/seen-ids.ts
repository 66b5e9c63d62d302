/**
 * The highest ids that each data space has seen. That is a fact, whatever becomes of the batch that they come with, so it
 * is noted in a statement of its own before the batch, and only when one of them is higher than any before.
 */
import { type HighestIds, higher, noIds, seenIds, valuesOf, type Writer, withWriter } from '../identity.ts';
import { Lru } from '../lru.ts';
import type { Connection } from './connections.ts';
import { inStore } from './schemas.ts';

const placed = seenIds.map(({ column }, index) => ({ column, value: `$${index + 1}::bigint` }));
const raise = `UPDATE "~"._identity SET ${placed.map(({ column, value }) => `${column} = greatest(${column}, ${value})`).join(', ')}
  WHERE ${placed.map(({ column, value }) => `${column} < ${value}`).join(' OR ')}`;

export class SeenIds {
  /** By data space: at most what is stored. */
  readonly #known: Lru<number, HighestIds>;

  constructor(spacesMax: number) {
    this.#known = new Lru(spacesMax);
  }

  /** What was read from the data space. */
  know(spaceId: number, ids: HighestIds): void {
    this.#known.set(spaceId, higher(ids, this.#known.get(spaceId) ?? noIds));
  }

  async note(connection: Connection, spaceId: number, writers: readonly Writer[]): Promise<void> {
    const known = this.#known.get(spaceId) ?? noIds;
    const ids = writers.reduce(withWriter, known);
    if (ids === known) return;
    await connection.query({ text: inStore(raise, spaceId), values: valuesOf(ids).map(String) });
    this.know(spaceId, ids);
  }
}

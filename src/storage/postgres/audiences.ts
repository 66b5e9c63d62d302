/**
 * Facts of a batch that remain valid whatever its outcome: the members of audiences of several groups, and the highest
 * ids that a data space has seen. New ones are stored by separate statements before the batch.
 */
import { membersOfShared } from '../../schema/audience.ts';
import { type HighestIds, higher, noIds, seenIds, valuesOf, type Writer, withWriter } from '../identity.ts';
import { Lru } from '../lru.ts';
import type { PostgresSpace } from './compiled-space.ts';
import type { Connection } from './connections.ts';
import { arrayText } from './dialect.ts';
import { inStore } from './schemas.ts';
import { besideSpace } from './write-inputs.ts';

/** How many audiences are remembered per data space; past this limit, all are forgotten and noted again. */
const audiencesMax = 10_000;

/** Stores each audience once during the life of a definition. */
export async function noteAudiences(
  connection: Connection,
  { id, notedAudiences: noted }: PostgresSpace,
  audiences: Iterable<string>,
): Promise<void> {
  const fresh = new Set<string>();
  for (const audience of audiences) if (audience.includes(',') && !noted.has(audience)) fresh.add(audience);
  if (fresh.size === 0) return;
  await noteMembers(connection, id, [...fresh]);
  if (noted.size > audiencesMax) noted.clear();
  for (const audience of fresh) noted.add(audience);
}

/** In a fixed order, so that two writers storing the same audiences do not deadlock. */
export async function noteMembers(
  connection: Connection,
  spaceId: number,
  audiences: readonly string[],
): Promise<void> {
  const pairs = audiences
    .toSorted()
    .flatMap((audience) => membersOfShared(audience).map((member) => [member, audience]));
  if (pairs.length === 0) return;
  await connection.query({
    text: inStore(
      `INSERT INTO "~"._audience_member (member, audience)
       SELECT member, audience FROM ${besideSpace}unnest($1::text[], $2::text[]) AS pair(member, audience)
       ON CONFLICT DO NOTHING`,
      spaceId,
    ),
    values: [
      arrayText(pairs.map(([member]) => member as string)),
      arrayText(pairs.map(([, audience]) => audience as string)),
    ],
  });
}

const placed = seenIds.map(({ column }, index) => ({ column, value: `$${index + 1}::bigint` }));
const raise = `UPDATE "~"._identity SET ${placed.map(({ column, value }) => `${column} = greatest(${column}, ${value})`).join(', ')}
  WHERE ${placed.map(({ column, value }) => `${column} < ${value}`).join(' OR ')}`;

/** Stores ids only when one of them is higher than any before. */
export class SeenIds {
  /** By data space; never above the stored ids. */
  readonly #known: Lru<number, HighestIds>;

  constructor(spacesMax: number) {
    this.#known = new Lru(spacesMax);
  }

  /** Remembers ids read from the data space. */
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

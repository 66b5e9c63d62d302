/**
 * Which audiences of several groups have which members. That is a fact, whatever becomes of the batch that an audience
 * comes with, so it is noted in a statement of its own, before the batch, and once for as long as a definition lasts.
 */
import { membersOfShared } from '../../schema/audience.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import { arrayText } from './array-text.ts';
import type { Connection } from './connections.ts';
import { inStore } from './schemas.ts';

/** How many audiences are remembered per data space; past it, they are forgotten and noted again. */
const audiencesMax = 10_000;

export class Audiences {
  /** Noted and committed. A reset forgets the members of all audiences; then the definition is another one. */
  readonly #noted = new WeakMap<SpaceDefinition, Set<string>>();

  async note(
    connection: Connection,
    spaceId: number,
    definition: SpaceDefinition,
    audiences: Iterable<string>,
  ): Promise<void> {
    let noted = this.#noted.get(definition);
    if (noted === undefined || noted.size > audiencesMax) {
      noted = new Set();
      this.#noted.set(definition, noted);
    }
    const fresh = new Set<string>();
    for (const audience of audiences) if (audience.includes(',') && !noted.has(audience)) fresh.add(audience);
    if (fresh.size === 0) return;
    await noteMembers(connection, spaceId, [...fresh]);
    for (const audience of fresh) noted.add(audience);
  }
}

/** In a fixed order, so that two that note the same audiences do not wait for each other. */
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
       SELECT member, audience FROM unnest($1::text[], $2::text[]) AS pair(member, audience) ON CONFLICT DO NOTHING`,
      spaceId,
    ),
    values: [
      arrayText(pairs.map(([member]) => member as string)),
      arrayText(pairs.map(([, audience]) => audience as string)),
    ],
  });
}

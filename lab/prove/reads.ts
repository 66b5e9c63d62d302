/**
 * Checks what readers saw: only complete batches, nothing that was not written, and never less than what was answered
 * or seen before the read began. Pure.
 */
import type { Chains, Positions, Version } from './chains.ts';
import type { Carried, Read, Rule, Seen, Violation } from './history.ts';

/** The versions of a record that a reader may have seen: positions in its chain, -1 before it was added. */
interface Sight {
  readonly least: number;
  readonly most: number;
}

export function judgeReads(
  reads: readonly Read[],
  carried: readonly Carried[],
  chains: Chains,
  positions: Positions,
): Violation[] {
  const violations: Violation[] = [];
  const say = (rule: Rule, message: string) => violations.push({ rule, message });
  const batches = carried.filter(({ results }) => results.length > 1).map(({ transaction }) => transaction.id);
  const sights = reads.map((read) => ({ read, sight: sightOf(read, chains, say) }));
  for (const { sight } of sights) {
    for (const id of batches) judgeBatch(id, positions.get(id) ?? new Map(), sight, say);
  }
  judgeOrder(sights, carried, positions, say);
  return violations;
}

type Say = (rule: Rule, message: string) => void;

function sightOf(read: Read, chains: Chains, say: Say): Map<string, Sight> {
  const seen = new Map(read.records.map((record) => [record.objectId, record]));
  const sight = new Map<string, Sight>();
  for (const [objectId, chain] of chains) {
    const record = seen.get(objectId);
    seen.delete(objectId);
    sight.set(objectId, record === undefined ? absent(chain, read.endedAt) : present(record, chain, say));
  }
  for (const { objectId, mark } of seen.values()) {
    say('no part of a batch is seen', `${objectId}: a reader saw it with the mark of ${mark}; no answer tells of it.`);
  }
  return sight;
}

/** Not added yet, or deleted by a request that was under way before the read ended. */
function absent(chain: readonly Version[], endedAt: number): Sight {
  return { least: -1, most: chain.findLastIndex(({ count, sentAt }) => count === null && sentAt < endedAt) };
}

function present(record: Seen, chain: readonly Version[], say: Say): Sight {
  const place = chain.findIndex(({ mark, time, count }) => {
    return time === record.updated && mark === record.mark && count === record.count;
  });
  if (place >= 0) return { least: place, most: place };
  const what = `${record.objectId} as ${record.mark} at ${record.updated}, count ${record.count}`;
  say('no part of a batch is seen', `A reader saw ${what}; no answer tells of that version.`);
  return { least: -1, most: chain.length - 1 };
}

function judgeBatch(id: string, positions: ReadonlyMap<string, number>, sight: Map<string, Sight>, say: Say): void {
  let done: string | undefined;
  let rolledBack: string | undefined;
  for (const [objectId, place] of positions) {
    const { least, most } = sight.get(objectId) as Sight;
    if (least >= place) done = objectId;
    else if (most < place) rolledBack = objectId;
  }
  if (done === undefined || rolledBack === undefined) return;
  say('no part of a batch is seen', `${id}: a reader saw what it wrote of ${done}, and ${rolledBack} as before it.`);
}

/** In the order of the clients' clock: a read must see at least what was known when it began. */
function judgeOrder(
  sights: readonly { readonly read: Read; readonly sight: ReadonlyMap<string, Sight> }[],
  carried: readonly Carried[],
  positions: Positions,
  say: Say,
): void {
  interface Known {
    readonly at: number;
    readonly source: string;
    readonly positions: Iterable<readonly [string, number]>;
  }
  const answered = carried.flatMap(({ transaction: { id }, knownAt }): Known[] =>
    knownAt === null ? [] : [{ at: knownAt, source: `the answer to ${id}`, positions: positions.get(id) ?? [] }],
  );
  const read = sights.map(
    ({ read: { endedAt }, sight }): Known => ({
      at: endedAt,
      source: 'an earlier read',
      positions: [...sight].map(([objectId, { least }]) => [objectId, least] as const),
    }),
  );
  const known = [...answered, ...read].sort((left, right) => left.at - right.at);
  const least = new Map<string, { place: number; source: string }>();
  let next = 0;
  for (const { read, sight } of [...sights].sort((left, right) => left.read.startedAt - right.read.startedAt)) {
    for (; next < known.length && (known[next] as Known).at < read.startedAt; next++) {
      const { source, positions: told } = known[next] as Known;
      for (const [objectId, place] of told) {
        if (place > (least.get(objectId)?.place ?? -1)) least.set(objectId, { place, source });
      }
    }
    for (const [objectId, { most }] of sight) {
      const expected = least.get(objectId);
      if (expected === undefined || most >= expected.place) continue;
      say(
        'reads go forward',
        `${objectId}: a read saw version ${most}, after ${expected.source} told of ${expected.place}.`,
      );
    }
  }
}

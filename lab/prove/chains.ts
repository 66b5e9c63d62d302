/**
 * The versions of each record in order, derived from the bases of accepted writes and their answers: one unbroken chain
 * per record, otherwise an update was lost. Pure.
 */
import type { Carried, Rule, Violation, Written } from './history.ts';

/** One version of a record. */
export interface Version {
  /** Id of the transaction that made it. */
  readonly mark: string;
  /** serverUpdateTime, milliseconds; for a deletion, that of the deleted version. */
  readonly time: number;
  /** Null when the record was deleted. */
  readonly count: number | null;
  /** When its request was first sent, by the clients' clock. */
  readonly sentAt: number;
}

/** By objectId, oldest first. */
export type Chains = ReadonlyMap<string, readonly Version[]>;

/** The position of every version in its record's chain, by transaction and record. */
export type Positions = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface Step extends Version {
  readonly created: number;
  readonly base: number | null;
}

export function chainsOf(carried: readonly Carried[]): { chains: Chains; violations: Violation[] } {
  const violations: Violation[] = [];
  const steps = Map.groupBy(carried.flatMap(stepsOf), ({ objectId }) => objectId);
  const chains = new Map<string, Version[]>();
  for (const [objectId, ofRecord] of steps) {
    chains.set(
      objectId,
      chainOf(ofRecord, (rule, message) => violations.push({ rule, message: `${objectId}: ${message}` })),
    );
  }
  return { chains, violations };
}

function stepsOf({ transaction, results }: Carried): (Step & Pick<Written, 'objectId'>)[] {
  const sentAt = Math.min(...transaction.attempts.map((attempt) => attempt.sentAt));
  return results.flatMap(({ objectId, created, updated }, index) => {
    const item = transaction.items[index];
    return item === undefined
      ? []
      : [{ objectId, mark: transaction.id, time: updated, created, base: item.base, count: item.count, sentAt }];
  });
}

/** A record may be added, deleted and added again: one life after another, each with its own creation time. */
function chainOf(steps: readonly Step[], say: (rule: Rule, message: string) => void): Version[] {
  const lives = [...Map.groupBy(steps, ({ created }) => created)].sort(([left], [right]) => left - right);
  const chain: Version[] = [];
  for (const [created, life] of lives) {
    const before = chain.at(-1);
    if (before !== undefined && before.count !== null) {
      say('no lost update', `it was added at ${created}, and ${before.mark} had not deleted it.`);
    }
    if (before !== undefined && created <= before.time) {
      say('time goes forward', `it was added again at ${created}; its time was ${before.time} already.`);
    }
    chain.push(...lifeOf(life, say));
  }
  return chain;
}

function lifeOf(life: readonly Step[], say: (rule: Rule, message: string) => void): Version[] {
  const adds = life.filter(({ base }) => base === null);
  const first = adds[0];
  if (first === undefined) {
    say('answered is kept', `${life[0]?.mark} changed it, and no answer tells that it was added.`);
    return [];
  }
  for (const add of adds.slice(1)) say('at most once', `${add.mark} added it, as ${first.mark} did.`);
  const byBase = new Map<number, Step>();
  for (const step of life) {
    if (step.base === null) continue;
    const rival = byBase.get(step.base);
    if (rival === undefined) byBase.set(step.base, step);
    else say('no lost update', `${rival.mark} and ${step.mark} were both accepted on the version of ${step.base}.`);
  }
  const chain: Version[] = [first];
  for (let step = byBase.get(first.time); step !== undefined; step = byBase.get(step.time)) {
    byBase.delete(step.base as number);
    const before = chain.at(-1) as Version;
    if (step.count !== null && step.time <= before.time) {
      say('time goes forward', `${step.mark} has the time ${step.time}, after ${before.mark} at ${before.time}.`);
    }
    if (step.count !== null && step.count !== (before.count ?? 0) + 1) {
      say('no lost update', `${step.mark} counts ${step.count}, after ${before.mark} that counts ${before.count}.`);
    }
    chain.push(step);
    if (step.count === null) break;
  }
  for (const { mark, base } of byBase.values()) {
    say('no lost update', `${mark} was accepted on a version of ${base}, which is not the one before it.`);
  }
  return chain;
}

export function positionsOf(chains: Chains): Positions {
  const positions = new Map<string, Map<string, number>>();
  for (const [objectId, chain] of chains) {
    for (const [position, { mark }] of chain.entries()) {
      const ofTransaction = positions.get(mark) ?? new Map<string, number>();
      ofTransaction.set(objectId, position);
      positions.set(mark, ofTransaction);
    }
  }
  return positions;
}

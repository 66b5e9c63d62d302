/**
 * What is known of sessions that were ended, and whether an answer may be: times are those of one clock, the parent's, so
 * that what was sent after something was heard, came after it.
 */
import type { Violation } from '../history.ts';
import type { Act, Seat, SignedIn } from './orders.ts';

/** Decisions.md §3: within so many milliseconds on all other processes. */
export const elsewhereMs = 5_000;

export interface Ending {
  readonly act: Act;
  /** Number of the instance that carried it out. */
  readonly by: number;
  /** When the parent heard that it is done. */
  doneAt: number;
  /** From when it may be void again: what was disabled is enabled. */
  voidAt: number;
}

export class Held {
  readonly seat: SignedIn;
  /** The session's own and those of renewals, which may end before it. */
  readonly tokens: string[];
  readonly endings: Ending[] = [];

  constructor(seat: SignedIn) {
    this.seat = seat;
    this.tokens = [seat.token];
  }

  get isUntouched(): boolean {
    return this.endings.length === 0;
  }

  /** Ended for good: by a revocation, or because the user is no more. */
  get isOver(): boolean {
    return this.endings.some(({ act, doneAt }) => act.kind !== 'switch' && doneAt < Number.POSITIVE_INFINITY);
  }

  /** Which ending forbids that a request of this time was accepted by the instance, or null. */
  forbids(instance: number, sentAt: number, heardAt: number): Ending | null {
    const forbidding = ({ act, by, doneAt, voidAt }: Ending) => {
      // Only a revocation promises to be noticed at once by the process that did it.
      const from = act.kind === 'revoke' && by === instance ? doneAt : doneAt + elsewhereMs;
      return sentAt >= from && heardAt < voidAt;
    };
    return this.endings.find(forbidding) ?? null;
  }
}

/** One request with a session's token, and what it was answered. */
export interface Asked {
  readonly path: string;
  /** Number of the instance that answered. */
  readonly instance: number;
  readonly sentAt: number;
  readonly heardAt: number;
  readonly errCode: number;
}

/** A token ends ten seconds after it was renewed, and answers so. */
const tokenEnded = 120;

/** Nothing is accepted after its end, and nobody is refused without one. */
export function judgeAnswer(session: Held, { path, instance, sentAt, heardAt, errCode }: Asked): Violation[] {
  if (errCode !== 0) {
    if (!session.isUntouched || errCode === tokenEnded) return [];
    return [{ rule: 'nobody else is thrown out', message: `${path} was answered ${errCode}.` }];
  }
  const ending = session.forbids(instance, sentAt, heardAt);
  if (ending === null) return [];
  const late = Math.round(sentAt - ending.doneAt);
  const where = ending.by === instance ? 'the same instance' : 'another instance';
  const message = `${path} was accepted by ${where} ${late} ms after ${JSON.stringify(ending.act)}.`;
  return [{ rule: 'no later accept', message }];
}

export function isMeant(act: Act, seat: SignedIn): boolean {
  switch (act.kind) {
    case 'remove':
      return act.companyId === seat.companyId && act.userId === seat.userId;
    case 'switch':
      return fits(act.of, seat);
    case 'revoke': {
      const { sessionId, ...rest } = act.selection;
      return fits(rest, seat) && (sessionId === undefined || sessionId === seat.id);
    }
  }
}

function fits(wanted: Partial<Seat>, seat: Seat): boolean {
  const given = Object.entries(wanted) as [keyof Seat, unknown][];
  return given.every(([name, value]) => value === undefined || seat[name] === value);
}

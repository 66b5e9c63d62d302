/**
 * What is known of sessions that were ended, and whether an answer may be: times are those of one clock, the parent's, so
 * that what was sent after something was heard, came after it.
 */
import type { Act, Seat, SignedIn } from './server.ts';

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

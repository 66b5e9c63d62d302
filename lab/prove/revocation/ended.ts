/**
 * Tracks ended sessions, and judges answers. All times are from the parent's clock, so that a request sent after an
 * answer was received is certainly later.
 */
import type { Violation } from '../history.ts';
import type { Act, Seat, SignedIn } from './orders.ts';

/** Decisions.md §3: within this many milliseconds on all other processes. */
export const elsewhereMs = 5_000;

export interface Ending {
  readonly act: Act;
  /** Number of the instance that executed it. */
  readonly by: number;
  /** When the parent received its completion. */
  doneAt: number;
  /** From when the ending may be void, because what was disabled is enabled again. */
  voidAt: number;
}

export class Held {
  readonly seat: SignedIn;
  /** The session's tokens, including renewed ones, which may end before it. */
  readonly tokens: string[];
  readonly endings: Ending[] = [];

  constructor(seat: SignedIn) {
    this.seat = seat;
    this.tokens = [seat.token];
  }

  get isUntouched(): boolean {
    return this.endings.length === 0;
  }

  /** Permanently ended: by a revocation, or because the user was removed. */
  get isOver(): boolean {
    return this.endings.some(({ act, doneAt }) => act.kind !== 'switch' && doneAt < Number.POSITIVE_INFINITY);
  }

  /** The ending because of which the instance must not have accepted a request of this time, or null. */
  forbids(instance: number, sentAt: number, heardAt: number): Ending | null {
    const forbidding = ({ act, by, doneAt, voidAt }: Ending) => {
      // Only a revocation takes effect at once in the process that executed it.
      const from = act.kind === 'revoke' && by === instance ? doneAt : doneAt + elsewhereMs;
      return sentAt >= from && heardAt < voidAt;
    };
    return this.endings.find(forbidding) ?? null;
  }
}

/** One request with a session's token, and its answer. */
export interface Asked {
  readonly path: string;
  /** Number of the instance that answered. */
  readonly instance: number;
  readonly sentAt: number;
  readonly heardAt: number;
  readonly errCode: number;
}

/** A token ends ten seconds after its renewal, and is then refused with this code. */
const tokenEnded = 120;

/** No session is accepted after its end, or refused without one. */
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

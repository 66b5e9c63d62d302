/**
 * Limits failures at one account: after some free ones, each further failure from an address doubles its wait. After
 * ten times as many from all addresses together, every address without an earlier sign-in waits a little.
 */
import type { Compilable } from 'kysely';
import type { Settings } from '../../config.ts';
import { Lru } from '../../storage/lru.ts';
import type { AttemptDeps } from '../attempts.ts';
import type { AccountKeys, Keys } from './keys.ts';
import {
  failuresKeptMs,
  forgetAttempts,
  knownForMs,
  put,
  putUnlessChanged,
  type StoredAttempt,
  storedAttempts,
} from './store.ts';

/** Free failures from all addresses together, as a multiple of those of one address. */
const anywhereTimes = 10;

export interface AccountLimits {
  /** Milliseconds to wait, if this process knows of a wait. */
  knownWait(keys: Keys): number | null;
  /** Counts an attempt as failed and returns null, or the milliseconds to wait. */
  count(keys: Keys): Promise<number | null>;
  succeeded(keys: Keys): Promise<void>;
}

export function openAccountLimits({ db, settings, environment }: AttemptDeps): AccountLimits {
  /** When the wait of a pair ends. */
  const blocked = new Lru<string, number>(settings.attemptKeysMax);
  /** By account: attempts in one process take turns, so that each sees the earlier ones. */
  const turns = new Map<string, Promise<unknown>>();

  function waitOf(pair: string): number | null {
    const until = blocked.get(pair);
    const wait = until === undefined ? 0 : until - environment.now();
    if (wait > 0) return wait;
    blocked.delete(pair);
    return null;
  }

  /** Writes the failure to both rows, or to neither if another instance wrote in between. */
  async function attempt(keys: AccountKeys): Promise<number | null> {
    for (;;) {
      const known = waitOf(keys.pair);
      if (known !== null) return known;
      const now = environment.now();
      const rows = await storedAttempts(db, [keys.pair, keys.account, keys.known]);
      const pair = active(rows.get(keys.pair), now - failuresKeptMs(settings));
      const account = active(rows.get(keys.account), now - failuresKeptMs(settings));
      const isKnown = active(rows.get(keys.known), now - knownForMs) !== undefined;
      const until = Math.max(pair?.blocked_until ?? 0, isKnown ? 0 : (account?.blocked_until ?? 0));
      if (until > now) {
        blocked.set(keys.pair, until);
        return until - now;
      }
      const failed = (before: StoredAttempt | undefined, delay: (failures: number) => number): StoredAttempt => {
        const count = (before?.count ?? 0) + 1;
        return { window_start: now, count, blocked_until: now + delay(count) };
      };
      const ofPair = failed(pair, (failures) => delayOf(failures, settings));
      const ofAccount = failed(account, (failures) => delayAnywhere(failures, settings));
      const written = await db.write([
        putUnlessChanged(db, keys.account, rows.get(keys.account), ofAccount),
        putUnlessChanged(db, keys.pair, rows.get(keys.pair), ofPair),
      ]);
      if (!written.every(({ changed }) => changed === 1)) continue;
      if (ofPair.blocked_until > now) blocked.set(keys.pair, ofPair.blocked_until);
      return null;
    }
  }

  /** Undoes the failure that `attempt` counted, and marks the address as known. */
  function success(keys: AccountKeys, now: number): Compilable<unknown>[] {
    const ofAccount = db.build.updateTable('attempt').where('key', '=', keys.account);
    return [
      ofAccount.set((row) => ({ count: row('count', '-', 1) })).where('count', '>', 0),
      ofAccount.set({ blocked_until: 0 }).where('count', '<', freeAnywhere(settings)),
      forgetAttempts(db, [keys.pair]),
      put(db, keys.known, { window_start: now, count: 1, blocked_until: 0 }),
    ];
  }

  /** Runs the work of an account one item at a time. */
  async function inTurn<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (turns.get(account) ?? Promise.resolve()).then(work, work);
    turns.set(account, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(account) === turn) turns.delete(account);
    }
  }

  return {
    knownWait: ({ account }) => (account === null ? null : waitOf(account.pair)),
    async count({ account }) {
      return account === null ? null : inTurn(account.account, () => attempt(account));
    },
    async succeeded({ account }) {
      if (account === null) return;
      await inTurn(account.account, () => db.write(success(account, environment.now())));
      blocked.delete(account.pair);
    },
  };
}

function active(row: StoredAttempt | undefined, after: number): StoredAttempt | undefined {
  return row !== undefined && row.window_start > after ? row : undefined;
}

type Delays = Pick<Settings, 'accountAttemptsFree' | 'attemptDelayMs' | 'attemptDelayMaxMs' | 'accountDelayMaxMs'>;

/** How long the address waits after this many failures. */
function delayOf(failures: number, settings: Delays): number {
  return doubled(failures - settings.accountAttemptsFree, settings.attemptDelayMs, settings.attemptDelayMaxMs);
}

/** How long all other addresses wait after this many failures from anywhere. */
function delayAnywhere(failures: number, settings: Delays): number {
  return doubled(failures - freeAnywhere(settings), settings.attemptDelayMs, settings.accountDelayMaxMs);
}

function freeAnywhere({ accountAttemptsFree }: Delays): number {
  return accountAttemptsFree * anywhereTimes;
}

function doubled(times: number, firstMs: number, maxMs: number): number {
  return times < 0 ? 0 : Math.min(maxMs, firstMs * 2 ** times);
}

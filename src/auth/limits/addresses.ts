/**
 * Counts the attempts of one address in a minute: in memory, added once a second to the counts of other instances.
 * Within that second, an address may make as many attempts at each instance.
 */
import { Lru } from '../../storage/lru.ts';
import type { AttemptDeps } from '../attempts.ts';
import type { Keys } from './keys.ts';
import { addToWindow, storedAttempts } from './store.ts';

const windowMs = 60_000;
const gatherMs = 1_000;
const keysPerWriteMax = 200;

export interface AddressLimits {
  /** Milliseconds to wait, if this process knows of a wait. */
  knownWait(keys: Keys): number | null;
  /** Counts one attempt and returns null, or the milliseconds to wait. */
  count(keys: Keys): Promise<number | null>;
  /** Writes what was counted. */
  flush(): Promise<void>;
}

interface Window {
  readonly start: number;
  /** Of all instances, as far as this one knows. */
  count: number;
}

export function openAddressLimits({ db, settings, environment, log }: AttemptDeps): AddressLimits {
  const windows = new Lru<string, Window>(settings.attemptKeysMax);
  /** Counted here, not yet written. */
  let unwritten = new Map<string, Window>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  const present = () => Math.floor(environment.now() / windowMs) * windowMs;

  /** What this process knows of the current minute. */
  function windowOf(key: string): Window | undefined {
    const window = windows.get(key);
    return window?.start === present() ? window : undefined;
  }

  /** The window, with the earlier counts of other instances. */
  async function read(key: string): Promise<Window> {
    const row = (await storedAttempts(db, [key])).get(key);
    const start = present();
    const known = windowOf(key);
    if (known !== undefined) return known;
    const window = { start, count: row !== undefined && row.window_start >= start ? row.count : 0 };
    windows.set(key, window);
    return window;
  }

  function waitOf(key: string): number | null {
    const window = windowOf(key);
    if (window === undefined || window.count < settings.addressAttemptsMax) return null;
    return window.start + windowMs - environment.now();
  }

  function note(key: string, start: number): void {
    const counted = unwritten.get(key);
    if (counted?.start === start) counted.count++;
    else unwritten.set(key, { start, count: 1 });
    timer ??= setTimeout(() => void flush(), gatherMs).unref();
  }

  async function write(batch: readonly (readonly [string, Window])[]): Promise<void> {
    // In a fixed order, so that two instances do not deadlock.
    const sorted = batch.toSorted(([a], [b]) => (a < b ? -1 : 1));
    try {
      const written = await db.write(sorted.map(([key, { start, count }]) => addToWindow(db, key, start, count)));
      for (const { rows } of written) {
        for (const row of rows) learn(String(row.key), Number(row.window_start), Number(row.count));
      }
    } catch (error) {
      log.warn(
        { err: error, addresses: batch.length },
        'Sign-in attempts could not be stored for the other instances.',
      );
    }
  }

  /** Keeps the count of all instances, plus what was counted here since. */
  function learn(key: string, start: number, count: number): void {
    const window = windows.get(key);
    if (window?.start !== start) return;
    const since = unwritten.get(key);
    window.count = Math.max(window.count, count + (since?.start === start ? since.count : 0));
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writing.then(async () => {
      const counted = [...unwritten];
      unwritten = new Map();
      for (let at = 0; at < counted.length; at += keysPerWriteMax) {
        await write(counted.slice(at, at + keysPerWriteMax));
      }
    });
    return writing;
  }

  return {
    flush,
    knownWait: ({ address }) => (address === null ? null : waitOf(address)),
    async count({ address: key }) {
      if (key === null) return null;
      const window = windowOf(key) ?? (await read(key));
      const wait = waitOf(key);
      if (wait !== null) return wait;
      window.count++;
      note(key, window.start);
      return null;
    },
  };
}

/** On platforms other than Node: the part of `mock.timers` of `node:test` that the client's tests use. */

/** Also what `setTimeout` returns; the fetch of Node 20 uses the same global timers, and calls `unref`. */
interface Timer {
  readonly dueMs: number;
  readonly number: number;
  readonly work: () => void;
  unref(): void;
}

export interface FakeTimers {
  /** @param now milliseconds since 1970, for `Date` */
  enable(options: { readonly apis: readonly ('Date' | 'setTimeout')[]; readonly now?: number }): void;
  /** Advances the clock, and runs the timers that are due, in order. */
  tick(ms: number): void;
  /** Restores the platform's own clock. */
  reset(): void;
}

/** @param ended called with a function that restores the platform's own clock */
export function fakeTimers(ended: (reset: () => void) => void): FakeTimers {
  const { Date: RealDate, setTimeout, clearTimeout } = globalThis;
  const timers = new Set<Timer>();
  let nowMs = 0;
  let numbers = 0;

  class FakeDate extends RealDate {
    constructor(...input: []) {
      super(...(input.length === 0 ? ([nowMs] as unknown as []) : input));
    }
    static override now(): number {
      return nowMs;
    }
  }

  function next(untilMs: number): Timer | undefined {
    const due = [...timers].filter(({ dueMs }) => dueMs <= untilMs);
    return due.sort((one, other) => one.dueMs - other.dueMs || one.number - other.number)[0];
  }

  const fakes = {
    Date: { Date: FakeDate },
    setTimeout: {
      setTimeout(work: (...input: unknown[]) => void, ms = 0, ...input: unknown[]) {
        const own = { dueMs: nowMs + Math.max(ms, 1), number: ++numbers, work: () => work(...input), unref() {} };
        timers.add(own);
        return own;
      },
      clearTimeout(timer: Timer) {
        if (!timers.delete(timer)) clearTimeout(timer as unknown as number);
      },
    },
  };

  const reset = () => void Object.assign(globalThis, { Date: RealDate, setTimeout, clearTimeout });

  return {
    reset,
    enable({ apis, now = 0 }) {
      nowMs = now;
      for (const api of apis) Object.assign(globalThis, fakes[api]);
      ended(reset);
    },
    tick(ms) {
      const untilMs = nowMs + ms;
      for (let timer = next(untilMs); timer !== undefined; timer = next(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.work();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

/**
 * Long work on the main thread, done in portions, so that it holds nobody up. Only one portion runs in each turn of the
 * event loop, however many works are under way: otherwise a hundred of them would hold everybody up a hundred times.
 */

/** Long enough that a turn of the event loop costs little, short enough to delay no other request noticeably. */
const sliceMs = 1;

const waiting: (() => void)[] = [];

/** Resolves when this work may go on, after the others that wait. */
function nextTurn(): Promise<void> {
  return new Promise((resume) => {
    if (waiting.push(resume) === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/** The time that a work has taken since it last gave way. */
export class TimeSlice {
  #begun = performance.now();

  /** Whether it is time to give way. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= sliceMs;
  }

  /** Gives way. */
  async next(): Promise<void> {
    await nextTurn();
    this.#begun = performance.now();
  }
}

/** Long work that yields where others may come in between. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does the work, giving way at those of its steps where that took long. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Result;
    if (slice.isOver) await slice.next();
  }
}

/**
 * Calls `step` for 0, 1 … `count - 1`, giving way where that takes long: then a promise of the end, else undefined, so
 * that short work waits for nothing.
 */
export function inTimeSlices(count: number, step: (index: number) => void): Promise<void> | undefined {
  const slice = new TimeSlice();
  for (let index = 0; index < count; index++) {
    step(index);
    if (index + 1 < count && slice.isOver) return rest(index + 1);
  }
  return undefined;

  async function rest(from: number): Promise<void> {
    await slice.next();
    for (let index = from; index < count; index++) {
      if (slice.isOver) await slice.next();
      step(index);
    }
  }
}

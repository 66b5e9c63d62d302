/**
 * Splits long work on the main thread into portions, so that it does not block requests. Only one portion runs in each
 * turn of the event loop, however many tasks are under way: otherwise a hundred tasks would delay every request a
 * hundred times as long.
 */

/** A queue of tasks: in each turn of the event loop the next ones continue, in the order of arrival. */
export class TurnQueue {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];

  constructor(perTurn = 1) {
    this.#perTurn = perTurn;
  }

  wait(goOn: () => void): void {
    if (this.#waiting.push(goOn) === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const now = this.#waiting.splice(0, this.#perTurn);
    if (this.#waiting.length > 0) setImmediate(this.#next);
    for (const goOn of now) goOn();
  };
}

/** Long enough that a turn of the event loop costs little, short enough to delay no other request noticeably. */
const sliceMs = 1;

const tasks = new TurnQueue();

/** The time since the task last yielded. */
export class TimeSlice {
  #begun = performance.now();

  /** Whether it is time to yield. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= sliceMs;
  }

  /** Yields, also to tasks that are already waiting. */
  async next(): Promise<void> {
    await new Promise<void>((resume) => tasks.wait(resume));
    this.#begun = performance.now();
  }
}

/** Long work that yields at certain steps. */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs the work, and yields at a step when it has run long enough. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Result;
    if (slice.isOver) await slice.next();
  }
}

/**
 * Calls `step` for 0, 1 … `count - 1`. Yields if that takes long, and then returns a promise; otherwise returns
 * undefined, so that short work never waits.
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

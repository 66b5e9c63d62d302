/**
 * The rows of one statement on their way to the main thread, which makes JSON of them. After a slice of work their connection
 * pauses until all other events had their turn, and one connection at a time goes on. Rows can also be held, until it is
 * the turn of a large result.
 */

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Work on the rows of one connection in one turn of the event loop, milliseconds; the row or packet under way is finished. */
const sliceMs = 2;

/** In the order in which they go on. */
const paused: RowFlow[] = [];

export class RowFlow {
  readonly #stream: Pausable;
  readonly #stop: (error: unknown) => void;
  #sliceBegan: number | null = null;
  #isPaused = false;
  #isHeld = false;
  #isEnded = false;

  /**
   * @param stream of the connection that the rows come on
   * @param stop ends the statement with an error
   */
  constructor(stream: Pausable, stop: (error: unknown) => void) {
    this.#stream = stream;
    this.#stop = stop;
  }

  /** Runs the work on one row. */
  row(work: () => void): void {
    this.#sliceBegan ??= performance.now();
    work();
    if (this.#isPaused || this.#isEnded || performance.now() - this.#sliceBegan < sliceMs) return;
    this.#isPaused = true;
    this.#stream.pause();
    if (paused.push(this) === 1) setImmediate(goOnWithFirst);
  }

  /** No further packet is read until `release`; rows of the one under way still come. */
  hold(): void {
    if (this.#isEnded) return;
    this.#isHeld = true;
    this.#stream.pause();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#resume();
  }

  /** Ends the statement, whose promise rejects with the error; the connection is destroyed. Nothing when it has ended. */
  stop(error: unknown): void {
    if (!this.#isEnded) this.#stop(error);
  }

  /** To be called when the statement has ended: its connection is for others now. */
  end(): void {
    this.release();
    this.#isEnded = true;
  }

  /** After its turn. */
  goOn(): void {
    this.#isPaused = false;
    this.#sliceBegan = null;
    this.#resume();
  }

  #resume(): void {
    if (!this.#isPaused && !this.#isHeld) this.#stream.resume();
  }
}

function goOnWithFirst(): void {
  paused.shift()?.goOn();
  if (paused.length > 0) setImmediate(goOnWithFirst);
}

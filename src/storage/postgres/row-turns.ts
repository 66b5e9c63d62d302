/**
 * Large results take turns on the main thread, which makes JSON of their rows: a connection that brought many characters stops
 * reading until all other events had their turn, and one connection at a time goes on.
 */

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Characters after which a connection stops for a turn: a few milliseconds of work. */
const turnCharacters = 256 * 1024;

const paused: Pausable[] = [];

/** What one statement brought since its last pause. */
export class RowTurns {
  #characters = 0;

  /** @param stream of the connection that the row came on */
  took(row: readonly (string | null)[], stream: Pausable | null): void {
    for (const text of row) this.#characters += text?.length ?? 0;
    if (this.#characters < turnCharacters || stream === null) return;
    this.#characters = 0;
    stream.pause();
    if (paused.push(stream) === 1) setImmediate(goOn);
  }
}

function goOn(): void {
  paused.shift()?.resume();
  if (paused.length > 0) setImmediate(goOn);
}

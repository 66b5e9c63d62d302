/** What both engines do alike before an id of the directory is handed out: its counters are compared once, in the background. */

export abstract class InitializedOnce {
  #settled: Promise<void> | undefined;
  #isClosing = false;

  /** Resolves when the next id that is handed out is a new one. Compares once; again after a failure. */
  settled(): Promise<void> {
    this.#settled ??= this.settle().catch((error) => {
      this.#settled = undefined;
      throw error;
    });
    return this.#settled;
  }

  /** Gives up what is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#settled?.catch(() => {});
  }

  /** Whether `settle` is to give up. */
  protected get isClosing(): boolean {
    return this.#isClosing;
  }

  protected abstract settle(): Promise<void>;
}

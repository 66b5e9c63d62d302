/** Listeners to changes, and calls of an app's callbacks. */

/**
 * Calls the listener at once. An error that it throws becomes an unhandled rejection, which platforms report. The caller is
 * not affected: a write that succeeded is not reported as failed.
 */
export async function notify<Message>(
  listener: ((message: Message) => void) | undefined,
  message: Message,
): Promise<void> {
  listener?.(message);
}

/** A set of listeners. */
export interface Listeners<Message> {
  tell(message: Message): void;
  /** @returns a function that ends the calls */
  listen(listener: (message: Message) => void): () => void;
}

export function createListeners<Message = void>(): Listeners<Message> {
  const listeners = new Set<(message: Message) => void>();
  return {
    tell(message) {
      for (const listener of [...listeners]) void notify(listener, message);
    },
    listen(listener) {
      // Each call adds a new entry, even for a function that already listens.
      const own = (message: Message) => listener(message);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}

/** Listeners to changes, and the calls of functions that an app gave. */

/**
 * Calls the listener at once. What it throws is an unhandled rejection, which platforms report, and changes nothing for the
 * caller: a write that was made counts as made.
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

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
      for (const listener of [...listeners]) listener(message);
    },
    listen(listener) {
      // Each call adds a new entry, even for a function that already listens.
      const own = (message: Message) => listener(message);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}

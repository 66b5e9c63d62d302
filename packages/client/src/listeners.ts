/** Who is told of something. */
export interface Listeners<Message> {
  tell(message: Message): void;
  /** @returns what ends the calls */
  listen(listener: (message: Message) => void): () => void;
}

export function createListeners<Message = void>(): Listeners<Message> {
  const listeners = new Set<(message: Message) => void>();
  return {
    tell(message) {
      for (const listener of [...listeners]) listener(message);
    },
    listen(listener) {
      // Each call has a place of its own, also for a function that listens twice.
      const own = (message: Message) => listener(message);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}

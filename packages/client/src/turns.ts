/** Mutual exclusion and messages among all tabs of an origin. */

const last = new Map<string, Promise<unknown>>();

/**
 * Runs the work after all earlier work has ended, including that of other tabs if the browser has Web Locks; a killed
 * tab loses its turn at once. Elsewhere, one at a time within this program.
 */
export function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (locks) return locks.request(name, work) as Promise<Result>;
  const turn = Promise.resolve(last.get(name)).then(work);
  last.set(
    name,
    turn.catch(() => {}),
  );
  return turn;
}

/**
 * Sends messages to other tabs and to this tab's other listeners; does nothing if the platform has no
 * `BroadcastChannel`.
 */
export interface Bulletin<Message> {
  tell(message: Message): void;
  close(): void;
}

/** @param hear called with the messages of others */
export function openBulletin<Message>(name: string, hear: (message: Message) => void): Bulletin<Message> {
  if (typeof BroadcastChannel === 'undefined') return { tell() {}, close() {} };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => hear(data as Message);
  // On Node an open channel would keep the process alive.
  (channel as { unref?: () => void }).unref?.();
  return {
    tell: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
}

/** What only one at a time may do, in all tabs of an origin. */

const last = new Map<string, Promise<unknown>>();

/**
 * Runs the work when everybody before has ended, in other tabs too where the browser has Web Locks; a tab that is killed loses its
 * turn at once. Elsewhere it is one at a time in this program.
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

/** Tells other tabs, and this one's other listeners; nothing where the platform has no `BroadcastChannel`. */
export interface Bulletin<Message> {
  tell(message: Message): void;
  close(): void;
}

/** @param hear is called with what others tell */
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

/** The client of one application version: what an app begins with. */
import { type Changed, type Changes, createChanges } from './changes.ts';
import { type Session, tokenSession } from './session.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import { type Commit, sendBatch } from './writes.ts';

/** What sessions and outboxes are made of. */
export interface Parts {
  readonly transport: Transport;
  readonly changes: Changes;
}

/** Where the application is, and who is calling. */
export interface ClientOptions extends TransportOptions {
  /** Who signs in; or a token that somebody else looks after. */
  readonly session: string | ((parts: Parts) => Session);
  /** What takes batches in place of sending them at once: an outbox. */
  readonly commit?: ((parts: Parts) => Commit) | undefined;
}

export interface Client extends Parts {
  readonly session: Session;
  readonly commit: Commit;
  /** Calls the listener when records may have changed. @returns what ends the calls */
  onChange(listener: (changed: Changed) => void): () => void;
}

export function createClient(options: ClientOptions): Client {
  const changes = createChanges();
  const transport = createTransport(options, () => session);
  const parts: Parts = { transport, changes };
  const session = typeof options.session === 'string' ? tokenSession(options.session) : options.session(parts);
  const commit = options.commit?.(parts) ?? ((batch) => sendBatch(transport, batch));
  return { ...parts, session, commit, onChange: changes.listen };
}

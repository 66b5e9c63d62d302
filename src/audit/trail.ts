/**
 * The audit trail: who did what, when and from where. An act's entry is written in the act's own transaction, so it
 * exists exactly when the act happened; the database refuses to change or delete an entry.
 */
import type { Compilable } from 'kysely';
import type { Actor, UnknownActor } from '../actor.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';

export interface AuditEntry {
  /** Milliseconds. */
  readonly time: number;
  readonly actor: Actor | UnknownActor;
  /** `<what>.<act>`: `user.create`, `session.start`. */
  readonly action: string;
  /** The object of the act, as a person would name it: `group 7 "Sales"`. */
  readonly target: string;
  readonly companyId: number | null;
  readonly appId: string | null;
  readonly outcome: 'done' | 'refused';
  /** Further facts, without any secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The statement that writes the entry, for the transaction of the act. */
export function auditInsert(db: Relational<DirectoryTables>, entry: AuditEntry): Compilable<unknown> {
  const { actor } = entry;
  return db.build.insertInto('audit').values({
    time: entry.time,
    actor_kind: actor.kind,
    actor_id: actor.kind === 'administrator' ? actor.administratorId : actor.kind === 'user' ? actor.userId : null,
    actor_name: actorNameOf(actor),
    company_id: entry.companyId,
    app_id: entry.appId,
    address: actor.kind === 'operator' ? null : actor.address,
    action: entry.action,
    target: entry.target,
    outcome: entry.outcome,
    detail: JSON.stringify(entry.detail ?? {}),
  });
}

/** Who it was, as entries name them. */
export function actorNameOf(actor: Actor | UnknownActor): string {
  return actor.kind === 'operator' ? 'command line' : actor.account;
}

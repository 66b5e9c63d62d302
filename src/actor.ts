/**
 * The actor of an administrative act: the first argument of every feature in `administration/`, and named in the audit
 * trail.
 */
import type { From, Membership } from './caller.ts';

/** The user of the command line on the service's machine; may do everything. */
export interface Operator {
  readonly kind: 'operator';
}

export const operator: Operator = { kind: 'operator' };

/** An administrator of the installation: may do everything, in every company. */
export interface Administrator {
  readonly kind: 'administrator';
  readonly administratorId: number;
  readonly account: string;
  readonly address: string | null;
}

/** A user of a company: may do what the roles held in groups permit, in this company. */
export interface ActingUser {
  readonly kind: 'user';
  readonly companyId: number;
  readonly userId: number;
  readonly account: string;
  readonly memberships: readonly Membership[];
  readonly address: string | null;
}

export type Actor = Operator | Administrator | ActingUser;

/** Identifies an actor. */
export function actorKey(actor: Actor): string {
  const { kind } = actor;
  return kind === 'operator' ? kind : `${kind} ${kind === 'user' ? actor.userId : actor.administratorId}`;
}

/** The user of a client token, as an actor. */
export function actingUser(user: Omit<ActingUser, 'kind' | 'address'>, { address }: From): ActingUser {
  const { companyId, userId, account, memberships } = user;
  return { kind: 'user', companyId, userId, account, memberships, address };
}

/** A person whose sign-in was refused, under the name that was given. */
export interface UnknownActor {
  readonly kind: 'nobody';
  readonly account: string;
  readonly address: string | null;
}

/** Whether an operation is permitted: asked once for each request, with the permission that the operation's descriptor names. */
import type { ActingUser, Actor } from '../actor.ts';
import type { AdministrationDeps } from './audited-action.ts';
import { forbidden, type PermittedOperation, permitted, reachesOf, requirePermission } from './permissions.ts';

declare const grant: unique symbol;

/**
 * An actor who may do the operation. Of a user, only `authorize` makes one, so that the compiler refuses a feature whose
 * permission nobody asked for; who administers the installation may do everything.
 */
export type Permitted<Operation extends PermittedOperation> =
  | Exclude<Actor, ActingUser>
  | (ActingUser & { readonly [grant]: Operation });

/** What the path names. */
export interface Named {
  /** The actor's own one where the path names none. */
  readonly companyId?: number;
  readonly appId?: string;
}

/**
 * Judges all that depends on the company and the application. A role that reaches no further than a group or a user is
 * judged by the feature, on the row that it reads and changes; so is which part of a list may be seen.
 * @throws ServiceError `forbidden`, also for an application that is not there · 130 another company than the user's own
 */
export async function authorize<Operation extends PermittedOperation>(
  { directory }: Pick<AdministrationDeps, 'directory'>,
  actor: Actor,
  operation: Operation,
  named: Named,
): Promise<Permitted<Operation>> {
  if (actor.kind !== 'user') return actor;
  const { companyId = actor.companyId, appId } = named;
  const granted = actor as ActingUser & { readonly [grant]: Operation };
  if (permitted(actor, operation, { companyId })) return granted;
  if (companyId !== actor.companyId) requirePermission(actor, operation, { companyId });
  const reaches = reachesOf(actor, operation);
  if (reaches.length === 0) throw forbidden(operation);
  if (appId === undefined || reaches.some((reach) => reach !== 'application')) return granted;
  const application = await directory.applications.find(companyId, appId);
  if (application === null) throw forbidden(operation);
  requirePermission(actor, operation, { companyId, application });
  return granted;
}

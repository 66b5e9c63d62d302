/**
 * Decides whether an operation is permitted: once per request, by the permission that the operation's descriptor names.
 */
import type { ActingUser, Actor } from '../actor.ts';
import type { AdministrationDeps } from './audited-action.ts';
import {
  forbidden,
  type PermittedOperation,
  permissionsOf,
  permitted,
  reachesOf,
  requirePermission,
} from './permissions.ts';

declare const grant: unique symbol;

/**
 * An actor who may do the operation. Only `authorize` makes one from a user, so that the compiler rejects a feature
 * whose permission was not checked; administrators of the installation may do everything.
 */
export type Permitted<Operation extends PermittedOperation> =
  | Exclude<Actor, ActingUser>
  | (ActingUser & { readonly [grant]: Operation });

/** What the path names. */
export interface Named {
  /** The actor's own company where the path names none. */
  readonly companyId?: number;
  readonly appId?: string;
}

/**
 * Checks all that depends on the company and the application. A role that reaches only a group or a user is checked by
 * the feature, on the row that it reads and changes; so is which part of a list is visible.
 * @throws ServiceError `forbidden`, also for an application that does not exist · 130 another company than the user's
 * own
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
  if (appId === undefined || reaches.some((reach) => reach !== 'application' && reach !== 'granted')) return granted;
  const application = await directory.applications.find(companyId, appId);
  if (application === null) throw forbidden(operation);
  requirePermission(actor, operation, { companyId, application });
  return granted;
}

/**
 * The operations that are permitted on something that is there: as `permissionsOf`, without what no application grants.
 */
export async function permittedSomewhere(
  { directory }: Pick<AdministrationDeps, 'directory'>,
  actor: Actor,
): Promise<PermittedOperation[]> {
  const names = permissionsOf(actor);
  if (actor.kind !== 'user') return names;
  const { companyId } = actor;
  const isGranted = (name: PermittedOperation) => reachesOf(actor, name).every((reach) => reach === 'granted');
  if (!names.some(isGranted)) return names;
  const applications = await directory.applications.list(companyId);
  return names.filter(
    (name) =>
      !isGranted(name) || applications.some((application) => permitted(actor, name, { companyId, application })),
  );
}

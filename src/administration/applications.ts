/** Administrative acts on the applications of a company. */
import type { Actor } from '../actor.ts';
import type { Application, ApplicationChanges, NewApplication } from '../directory/applications.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { quoted } from '../errors.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { reachIn } from './groups.ts';
import { requirePermission } from './permissions.ts';

/** Without the hash of the key. */
export type ApplicationResponse = Omit<Application, 'appKeyHash'>;

export interface ApplicationWithKey {
  readonly application: ApplicationResponse;
  /** Shown this once. */
  readonly appKey: string;
}

/** The applications the actor may see. @throws ServiceError `forbidden` if none · `malformed` as `page` · 130 */
export async function listApplications(
  { directory, settings }: Deps<'directory' | 'settings'>,
  actor: Actor,
  companyId: number,
  request: PageRequest,
): Promise<Page<ApplicationResponse>> {
  const usableBy = reachIn(actor, 'application.read', companyId);
  const { results, count } = await directory.applications.page(companyId, request, settings, usableBy);
  return { results: results.map(applicationResponse), count };
}

/** @throws ServiceError `forbidden` · 105 unknown, 130 also its company */
export async function getApplication(
  deps: Deps<'directory'>,
  _actor: Permitted<'application.read'>,
  companyId: number,
  appId: string,
): Promise<ApplicationResponse> {
  return applicationResponse(await deps.directory.applications.get(companyId, appId));
}

/**
 * Returns the key, which is shown only once. @throws ServiceError `forbidden` · 130, `malformed` as
 * `Applications.create`
 */
export async function createApplication(
  deps: ChangeDeps,
  actor: Permitted<'application.create'>,
  companyId: number,
  input: Omit<NewApplication, 'companyId'>,
): Promise<ApplicationWithKey> {
  const { appKey: _, ...detail } = input;
  const audited = auditedAction('create', companyId, input.appId, detail);
  const entry = auditEntry(deps, actor, audited);
  const { application, appKey } = await deps.directory.applications.create({ ...input, companyId }, [entry]);
  return { application: applicationResponse(application), appKey };
}

/** @throws ServiceError `forbidden` · 105, 130 unknown, or with 409 another revision · `missing`, `malformed` */
export async function updateApplication(
  deps: ChangeDeps,
  actor: Permitted<'application.update'>,
  companyId: number,
  appId: string,
  input: ApplicationChanges,
): Promise<ApplicationResponse> {
  const present = await deps.directory.applications.get(companyId, appId);
  const { accountPolicy, defaultGroupId, defaultRoleId, localAccounts, recordAccess } = input;
  const ofAccounts = [accountPolicy, defaultGroupId, defaultRoleId, localAccounts, recordAccess];
  if (ofAccounts.some((value) => value !== undefined)) {
    requirePermission(actor, 'application.accounts', { companyId, application: present });
  }
  const { revision: _, ...detail } = input;
  const updated = await deps.directory.applications.update(companyId, appId, input, () => [
    auditEntry(deps, actor, auditedAction('update', companyId, appId, detail)),
  ]);
  return applicationResponse(updated);
}

/** The old key stops working at once. @throws ServiceError as `updateApplication` */
export async function replaceAppKey(
  deps: ChangeDeps,
  actor: Permitted<'application.update'>,
  companyId: number,
  appId: string,
  { appKey, revision }: { readonly appKey?: string; readonly revision?: number },
): Promise<ApplicationWithKey> {
  const replaced = await deps.directory.applications.replaceKey(companyId, appId, appKey, revision, () => [
    auditEntry(deps, actor, auditedAction('key', companyId, appId, {})),
  ]);
  const application = applicationResponse(await deps.directory.applications.get(companyId, appId));
  return { application, appKey: replaced };
}

function applicationResponse({ appKeyHash: _, ...application }: Application): ApplicationResponse {
  return application;
}

function auditedAction(
  what: 'create' | 'update' | 'key',
  companyId: number,
  appId: string,
  detail: Readonly<Record<string, unknown>>,
): AuditedAction {
  return { action: `application.${what}`, target: `application ${quoted(appId)}`, companyId, appId, detail };
}

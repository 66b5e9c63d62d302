/** Administrative acts on the versions of an application. */
import { requireApplication } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { type NewVersion, normalVersion, type Version, type VersionChanges } from '../directory/versions.ts';
import { quoted } from '../errors.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function listVersions(
  deps: Deps<'storage' | 'directory' | 'settings'>,
  _actor: Permitted<'application.read'>,
  companyId: number,
  appId: string,
  request: PageRequest,
): Promise<Page<Version>> {
  await requireApplication(deps.storage.directory, companyId, appId);
  return deps.directory.versions.page(companyId, appId, request, deps.settings);
}

/** @throws ServiceError `forbidden` · 105, 106 unknown, 130 */
export function getVersion(
  deps: Deps<'directory'>,
  _actor: Permitted<'application.read'>,
  companyId: number,
  appId: string,
  version: string,
): Promise<Version> {
  return deps.directory.versions.get(companyId, appId, version);
}

/**
 * @throws ServiceError `forbidden` · 105, 106 for an unknown version to share or copy, 130 · `malformed` bad or taken
 */
export async function createVersion(
  deps: ChangeDeps,
  actor: Permitted<'application.update'>,
  input: NewVersion,
): Promise<Version> {
  const { companyId, appId, version, tables } = input;
  await requireApplication(deps.storage.directory, companyId, appId);
  // Made before the act: files are not part of its transaction, and are unreachable without a version.
  const prepared = await deps.directory.versions.prepare(input);
  const { logLevel, development, strictHandling } = input;
  const audited = auditedAction('create', companyId, appId, version, {
    ...tables,
    logLevel,
    development,
    strictHandling,
  });
  return deps.directory.versions.create({ ...input, tables: prepared }, [auditEntry(deps, actor, audited)]);
}

/** @throws ServiceError `forbidden` · 105, 106, 130 unknown, or with 409 another revision */
export async function updateVersion(
  deps: ChangeDeps,
  actor: Permitted<'application.update'>,
  companyId: number,
  appId: string,
  version: string,
  changes: VersionChanges,
): Promise<Version> {
  const { revision: _, ...detail } = changes;
  return deps.directory.versions.update(companyId, appId, version, changes, () => [
    auditEntry(deps, actor, auditedAction('update', companyId, appId, version, detail)),
  ]);
}

/** Identifies the version. */
export interface VersionRef {
  readonly companyId: number;
  readonly appId: string;
  /** With dots, or as in paths. */
  readonly version: string;
}

/** @throws ServiceError 105, 106, 130 unknown */
export function requireVersion(
  { directory }: Deps<'directory'>,
  { companyId, appId, version }: VersionRef,
): Promise<Version> {
  return directory.versions.get(companyId, appId, version);
}

/** The version as the target in an audit entry. */
export function auditTarget({ appId, version }: VersionRef): string {
  return `version ${quoted(normalVersion(version))} of application ${quoted(appId)}`;
}

/** The audit entry of an act on a part of a version. @param what the part, such as `tables` */
export function actionOn(
  versionRef: VersionRef,
  action: string,
  what: string,
  detail: Readonly<Record<string, unknown>>,
): AuditedAction {
  const { companyId, appId } = versionRef;
  return { action, target: `${what} of ${auditTarget(versionRef)}`, companyId, appId, detail };
}

function auditedAction(
  what: 'create' | 'update',
  companyId: number,
  appId: string,
  version: string,
  detail: Readonly<Record<string, unknown>>,
): AuditedAction {
  const target = auditTarget({ companyId, appId, version });
  return { action: `version.${what}`, target, companyId, appId, detail };
}

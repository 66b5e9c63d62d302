/** Versions of an application: every administrative act on them. */
import type { Actor } from '../actor.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { type NewVersion, normalVersion, type Version, type VersionChanges } from '../directory/versions.ts';
import { ServiceError, shown } from '../errors.ts';
import { type ApplicationRooms, applicationFor } from './applications.ts';
import { act, type Deed } from './rooms.ts';

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function listVersions(
  rooms: ApplicationRooms,
  actor: Actor,
  companyId: number,
  appId: string,
  request: PageRequest,
): Promise<Page<Version>> {
  await applicationFor(rooms, actor, 'application.read', companyId, appId);
  return rooms.directory.versions.page(companyId, appId, request, rooms.settings);
}

/** @throws ServiceError `forbidden` · 105, 106 unknown, 130 */
export async function getVersion(
  rooms: Pick<ApplicationRooms, 'storage' | 'directory'>,
  actor: Actor,
  companyId: number,
  appId: string,
  version: string,
): Promise<Version> {
  await applicationFor(rooms, actor, 'application.read', companyId, appId);
  return versionFound(rooms, companyId, appId, version);
}

/** @throws ServiceError `forbidden` · 105, 106 for an unknown one to share or copy, 130 · `malformed` bad or taken */
export async function createVersion(rooms: ApplicationRooms, actor: Actor, input: NewVersion): Promise<Version> {
  const { companyId, appId, version, tables } = input;
  await applicationFor(rooms, actor, 'application.update', companyId, appId);
  // Made before the act: files are no part of its transaction, and without a version nobody reaches them.
  const prepared = await rooms.directory.versions.prepare(input);
  const { logLevel, development, strictHandling } = input;
  const deed = deedOn('create', companyId, appId, version, { ...tables, logLevel, development, strictHandling });
  return act(rooms, actor, deed, ({ versions }) => versions.create({ ...input, tables: prepared }));
}

/** @throws ServiceError `forbidden` · 105, 106, 130 unknown, or with 409 another revision */
export async function updateVersion(
  rooms: ApplicationRooms,
  actor: Actor,
  companyId: number,
  appId: string,
  version: string,
  changes: VersionChanges,
): Promise<Version> {
  await applicationFor(rooms, actor, 'application.update', companyId, appId);
  const { revision: _, ...detail } = changes;
  const deed = deedOn('update', companyId, appId, version, detail);
  return act(rooms, actor, deed, ({ versions }) => versions.update(companyId, appId, version, changes));
}

/** @throws ServiceError 106 */
export async function versionFound(
  { directory }: Pick<ApplicationRooms, 'directory'>,
  companyId: number,
  appId: string,
  version: string,
): Promise<Version> {
  const found = await directory.versions.find(companyId, appId, version);
  if (found !== null) return found;
  throw new ServiceError(106, `There is no version ${shown(version)} of application ${shown(appId)}.`);
}

function deedOn(
  what: 'create' | 'update',
  companyId: number,
  appId: string,
  version: string,
  detail: Readonly<Record<string, unknown>>,
): Deed {
  const target = `version ${shown(normalVersion(version))} of application ${shown(appId)}`;
  return { action: `version.${what}`, target, companyId, appId, detail };
}

/** Lists and forgets the registered devices of an application. */
import { type Device, findDevice, listDevices } from '../auth/devices.ts';
import type { Auth } from '../auth/open.ts';
import { revokeTokens } from '../auth/token-rows.ts';
import { notThere, requireApplication, writeOrExplain } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import { expectOne } from '../directory/revisions.ts';
import { quoted } from '../errors.ts';
import { auditEntry, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function listApplicationDevices(
  deps: Deps<'storage' | 'settings'>,
  _actor: Permitted<'device.read'>,
  companyId: number,
  appId: string,
  request: PageRequest,
): Promise<Page<Device>> {
  await requireApplication(deps.storage.directory, companyId, appId);
  return listDevices({ db: deps.storage.directory, settings: deps.settings }, companyId, appId, request);
}

/**
 * Forgets the device and its push token. Its tokens end at once here, in other processes within `sessionCacheMs`;
 * sign-in requires a new registration.
 * @throws ServiceError `forbidden` · 105, 130 unknown
 */
export async function forgetDevice(
  deps: Deps<'storage' | 'environment'> & { readonly auth: Pick<Auth, 'forget'> },
  actor: Permitted<'device.delete'>,
  companyId: number,
  appId: string,
  id: number,
): Promise<void> {
  await requireApplication(deps.storage.directory, companyId, appId);
  const none = () => notThere('device', id, `application ${quoted(appId)}`);
  const device = await findDevice(deps.storage.directory, companyId, appId, id);
  if (device === null) throw none();
  const { deviceUDID } = device;
  const audited = {
    action: 'device.delete',
    target: `device ${id} ${quoted(deviceUDID)} of application ${quoted(appId)}`,
    companyId,
    appId,
    detail: {},
  };
  const db = deps.storage.directory;
  const revoke = revokeTokens(db, { companyId, appId, deviceUdid: deviceUDID });
  const remove = db.build.deleteFrom('device').where('id', '=', id);
  await writeOrExplain(db, [revoke, expectOne(remove), auditEntry(deps, actor, audited)], async () => {
    throw none();
  });
  deps.auth.forget({ companyId, appId, deviceUdid: deviceUDID });
}

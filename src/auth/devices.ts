/**
 * Devices of an application: registered before the login (docs/reference/sign-in.md#the-way-to-a-user-token), and what
 * administrators see of them.
 */
import type { AnyCaller } from '../caller.ts';
import type { Settings } from '../config.ts';
import { type Page, type PageFields, type PageRequest, page } from '../directory/paging.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { deviceTextMax, optionalField, pushTokenMax, requiredField } from './fields.ts';
import { saved } from './saving.ts';
import type { Seal } from './seal.ts';

type Database = Relational<DirectoryTables>;

export interface DeviceInput {
  readonly deviceUDID?: string | undefined;
  /** Push token; a browser has none. */
  readonly deviceToken?: string | undefined;
  readonly deviceName?: string | undefined;
  readonly osType?: string | undefined;
}

export interface DeviceDeps {
  readonly db: Database;
  readonly environment: Environment;
  readonly seal: Seal;
  readonly settings: Pick<Settings, 'deviceAgainIsError'>;
}

/**
 * Registers the device for the caller's application. A device that is already registered is refused with 161. If it is
 * the device of the caller's token, it takes over the push token and the name that are sent, and succeeds when the
 * setting `deviceAgainIsError` is off.
 * @throws ServiceError `missing`, `malformed` · 160 a new device that is not the one of the caller's token: a caller
 * registers only its own · 161 registered already · 206 not saved.
 */
export async function registerDevice(deps: DeviceDeps, caller: AnyCaller, input: DeviceInput): Promise<void> {
  const { db, environment, seal, settings } = deps;
  const udid = requiredField('deviceUDID', input.deviceUDID, deviceTextMax);
  const pushToken = optionalField('deviceToken', input.deviceToken, pushTokenMax);
  const name = optionalField('deviceName', input.deviceName, deviceTextMax);
  const osType = optionalField('osType', input.osType, deviceTextMax);
  if (udid !== caller.deviceUdid) {
    if (await deviceExists(db, caller.companyId, caller.appId, udid)) throw registered();
    throw new ServiceError(160, 'deviceUDID: the token was given to another device.');
  }

  const now = environment.now();
  const sealed = pushToken === null ? null : seal.seal(pushToken);
  const insert = db.build
    .insertInto('device')
    .values({
      company_id: caller.companyId,
      app_id: caller.appId,
      udid,
      push_token_sealed: sealed,
      name,
      os_type: osType,
      created: now,
      updated: now,
    })
    .onConflict((conflict) => conflict.doNothing());
  const update = db.build
    .updateTable('device')
    .set({
      updated: now,
      ...(sealed === null ? {} : { push_token_sealed: sealed }),
      ...(name === null ? {} : { name }),
    })
    .where('company_id', '=', caller.companyId)
    .where('app_id', '=', caller.appId)
    .where('udid', '=', udid);
  const [inserted] = await saved(206, 'The device could not be saved.', db.write([insert, update]));
  if (inserted?.changed === 0 && settings.deviceAgainIsError) throw registered();
}

export async function deviceExists(db: Database, companyId: number, appId: string, udid: string): Promise<boolean> {
  const rows = await db.read(
    db.build
      .selectFrom('device')
      .select('id')
      .where('company_id', '=', companyId)
      .where('app_id', '=', appId)
      .where('udid', '=', udid),
  );
  return rows.length > 0;
}

function registered(): ServiceError {
  return new ServiceError(161, 'The device is already registered for this application. Continue with the login.');
}

export interface Device {
  readonly id: number;
  readonly deviceUDID: string;
  readonly name: string | null;
  readonly osType: string | null;
  /** The push token itself is never shown. */
  readonly hasPushToken: boolean;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds; the last registration. */
  readonly updated: number;
}

const fields: PageFields = {
  id: { column: 'id', kind: 'whole', key: true, sortable: true, filterable: true },
  deviceUDID: { column: 'udid', kind: 'text', sortable: true, filterable: true, searchable: true },
  name: { column: 'name', kind: 'text', nullable: true, sortable: true, filterable: true, searchable: true },
  osType: { column: 'os_type', kind: 'text', nullable: true, sortable: true, filterable: true },
  created: { column: 'created', kind: 'whole', sortable: true },
  updated: { column: 'updated', kind: 'whole', sortable: true },
};

/** @throws ServiceError `malformed` as `page` */
export async function listDevices(
  { db, settings }: { readonly db: Database; readonly settings: Pick<Settings, 'listLimitMax'> },
  companyId: number,
  appId: string,
  request: PageRequest,
): Promise<Page<Device>> {
  const { results, count } = await page(db, selectDevices(db, companyId, appId), fields, request, settings);
  return { results: results.map(deviceOf), count };
}

export async function findDevice(db: Database, companyId: number, appId: string, id: number): Promise<Device | null> {
  const [row] = await db.read(selectDevices(db, companyId, appId).where('id', '=', id));
  return row === undefined ? null : deviceOf(row);
}

function selectDevices(db: Database, companyId: number, appId: string) {
  return db.build
    .selectFrom('device')
    .select(['id', 'udid', 'name', 'os_type', 'push_token_sealed', 'created', 'updated'])
    .where('company_id', '=', companyId)
    .where('app_id', '=', appId);
}

function deviceOf(row: {
  id: number;
  udid: string;
  name: string | null;
  os_type: string | null;
  push_token_sealed: string | null;
  created: number;
  updated: number;
}): Device {
  const { id, udid, name, os_type, push_token_sealed, created, updated } = row;
  return { id, deviceUDID: udid, name, osType: os_type, hasPushToken: push_token_sealed !== null, created, updated };
}

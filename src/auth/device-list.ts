/** The registered devices of an application: what administrators see of them, and how one is forgotten. */
import type { Settings } from '../config.ts';
import { type Page, type PageFields, type PageRequest, page } from '../directory/paging.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';

export interface Device {
  readonly id: number;
  readonly deviceUDID: string;
  readonly name: string | null;
  readonly osType: string | null;
  /** The push token itself is never shown. */
  readonly hasPushToken: boolean;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds; when it was last registered. */
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
  { db, settings }: { readonly db: Relational<DirectoryTables>; readonly settings: Pick<Settings, 'listLimitMax'> },
  companyId: number,
  appId: string,
  request: PageRequest,
): Promise<Page<Device>> {
  const { results, count } = await page(db, selectDevices(db, companyId, appId), fields, request, settings);
  return { results: results.map(deviceOf), count };
}

export async function findDevice(
  db: Relational<DirectoryTables>,
  companyId: number,
  appId: string,
  id: number,
): Promise<Device | null> {
  const [row] = await db.read(selectDevices(db, companyId, appId).where('id', '=', id));
  return row === undefined ? null : deviceOf(row);
}

function selectDevices(db: Relational<DirectoryTables>, companyId: number, appId: string) {
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

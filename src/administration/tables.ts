/** Tables of an application version: seen and defined, by clients and through the administration interface alike. */
import type { Actor } from '../actor.ts';
import { auditInsert } from '../audit/trail.ts';
import { defineTables } from '../data/define.ts';
import { normalVersion } from '../directory/versions.ts';
import { shown } from '../errors.ts';
import { describeTable } from '../schema/definition.ts';
import type { Table } from '../schema/model.ts';
import { type ApplicationRooms, applicationFor } from './applications.ts';
import type { AdministrationRooms } from './rooms.ts';
import { versionFound } from './versions.ts';

export type TableRooms = ApplicationRooms & Pick<AdministrationRooms, 'data'>;

/** Which version is meant. */
export interface VersionPlace {
  readonly companyId: number;
  readonly appId: string;
  /** Dotted, or as in paths. */
  readonly version: string;
}

export interface TableDefinitions {
  readonly tables: readonly unknown[];
  /** Drops every table first; only in a version in development whose data space no other version shares. */
  readonly reset: boolean;
}

/** @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function tablesOf(rooms: TableRooms, actor: Actor, place: VersionPlace): Promise<object[]> {
  return (await definedTables(rooms, actor, place)).map(describeTable);
}

/** @throws ServiceError `forbidden` · 105, 106, 130 unknown */
export async function definedTables(rooms: TableRooms, actor: Actor, place: VersionPlace): Promise<Table[]> {
  const { companyId, appId, version } = place;
  await applicationFor(rooms, actor, 'table.read', companyId, appId);
  const { spaceId } = await versionFound(rooms, companyId, appId, version);
  return [...(await rooms.data.storage.spaces.definition(spaceId)).tables.values()];
}

/**
 * Adds what is new; resolves to the definitions after it.
 * @throws ServiceError `forbidden`, also for a reset where there may be none · 105, 106, 130 unknown · as `defineTables`
 */
export async function defineTablesOf(
  rooms: TableRooms,
  actor: Actor,
  place: VersionPlace,
  { tables, reset }: TableDefinitions,
): Promise<object[]> {
  const { companyId, appId, version } = place;
  await applicationFor(rooms, actor, 'table.define', companyId, appId);
  const { spaceId, development, sharedSpace } = await versionFound(rooms, companyId, appId, version);
  const resettable = development && !sharedSpace;
  const { definitions, changed } = await defineTables(rooms.data, spaceId, { tables, reset, resettable });
  // Its tables are in a database of their own, so that the entry follows the act; sending them again is none.
  if (changed) {
    const { storage, environment } = rooms;
    const entry = auditInsert(storage.directory, {
      time: environment.now(),
      actor,
      action: 'table.define',
      target: `tables of version ${shown(normalVersion(version))} of application ${shown(appId)}`,
      companyId,
      appId,
      outcome: 'done',
      detail: { reset, tables: tables.map(nameOf) },
    });
    await storage.directory.write([entry]);
  }
  return definitions;
}

function nameOf(table: unknown): unknown {
  return typeof table === 'object' && table !== null && 'name' in table ? table.name : null;
}

/** What a move includes: everything, or what belongs to some companies, to an application, or to a version. */
import { quoted } from '../errors.ts';
import type { TransferReader } from '../storage/transfer.ts';
import {
  applicationTable,
  companyTable,
  filterOf,
  type Selection,
  type TransferTable,
  versionTable,
} from '../storage/transfer-tables.ts';

/** In words; equal for equal selections. */
export function describeSelection({ companyIds, appId, version }: Selection): string {
  if (companyIds.length === 0) return 'everything';
  const company = `${companyIds.length === 1 ? 'company' : 'companies'} ${companyIds.toSorted((a, b) => a - b).join(', ')}`;
  if (appId === undefined) return company;
  return version === undefined ? `${company}, application ${appId}` : `${company}, application ${appId} ${version}`;
}

/**
 * The data spaces that the selected versions use, ascending.
 * @throws Error when a named company, application or version does not exist
 */
export async function selectedSpaces(reader: TransferReader, selection: Selection): Promise<number[]> {
  await refuseUnknown(reader, selection);
  const column = versionTable.columns.findIndex(({ name }) => name === 'space_id');
  const spaceIds = new Set<number>();
  const filter = filterOf(selection, versionTable);
  for await (const rows of reader.rows({ store: 'directory', table: versionTable, filter })) {
    for (const row of rows) spaceIds.add(Number(row[column]));
  }
  return [...spaceIds].sort((a, b) => a - b);
}

async function refuseUnknown(reader: TransferReader, { companyIds, appId, version }: Selection): Promise<void> {
  const count = (table: TransferTable, selection: Selection) =>
    reader.count({ store: 'directory', table, filter: filterOf(selection, table) });
  for (const id of companyIds) {
    if ((await count(companyTable, { companyIds: [id] })) === 0) throw new Error(`The source has no company ${id}.`);
  }
  if (appId === undefined) return;
  if ((await count(applicationTable, { companyIds, appId })) === 0) {
    throw new Error(`Company ${companyIds[0]} of the source has no application ${quoted(appId)}.`);
  }
  if (version === undefined) return;
  if ((await count(versionTable, { companyIds, appId, version })) === 0) {
    throw new Error(`Application ${quoted(appId)} of the source has no version ${quoted(version)}.`);
  }
}

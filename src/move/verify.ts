/**
 * Compares two storages table by table: the number of rows, and a SHA-256 over all rows in the order of their key, as
 * wire text, which is the same on both engines. So the checksum of a table is the same in any storage, before and after
 * any number of moves.
 */
import { createHash } from 'node:crypto';
import type { RowsRequest, Sequences, SpaceState, Store, TransferReader } from '../storage/transfer.ts';
import {
  directoryTables,
  filterOf,
  logTable,
  recordsTable,
  type Selection,
  spaceTables,
  type TransferTable,
} from '../storage/transfer-tables.ts';
import type { Progress } from './move.ts';
import { selectedSpaces } from './selection.ts';

export interface Compared {
  readonly store: Store;
  readonly table: string;
  readonly rows: number;
  /** Hexadecimal. */
  readonly checksum: string;
}

export interface VerifyOptions {
  readonly source: TransferReader;
  readonly target: TransferReader;
  readonly selection: Selection;
  readonly progress: (progress: Progress) => void;
}

/** @throws Error that names every table in which the two differ */
export async function verify(options: VerifyOptions): Promise<Compared[]> {
  const { source, target, selection } = options;
  const compared: Compared[] = [];
  const different: string[] = [];
  const note = (told: string, ours: Digest, theirs: Digest) => {
    if (ours.checksum !== theirs.checksum || ours.rows !== theirs.rows) {
      different.push(`${told} (${ours.rows} and ${theirs.rows} rows)`);
    }
  };
  const spaceIds = await selectedSpaces(source, selection);
  const spaceProgress = { space: 0, spaces: spaceIds.length };
  const compare = async (store: Store, table: TransferTable) => {
    const filter = typeof store === 'number' ? [] : filterOf(selection, table);
    const of = await source.count({ store, table, filter });
    const done = { ours: 0, theirs: 0 };
    const told = (side: keyof typeof done) => (rows: number) => {
      done[side] = rows;
      const both = Math.min(done.ours, done.theirs);
      options.progress({ step: 'comparing', store, table: table.name, rows: both, of, ...spaceProgress });
    };
    const [ours, theirs] = await Promise.all([
      digest(source, { store, table, filter }, told('ours')),
      // All of the target is read, because it must hold nothing else.
      digest(target, { store, table }, told('theirs')),
    ]);
    note(`${storeName(store)} ${table.name}`, ours, theirs);
    compared.push({ store, table: table.name, rows: ours.rows, checksum: ours.checksum });
  };

  for (const table of directoryTables) await compare('directory', table);
  await compare('logs', logTable);
  for (const store of ['directory', 'logs'] as const) {
    const [ours, theirs] = [await source.sequences(store), await target.sequences(store)];
    note(`${storeName(store)} next ids`, digestOf(ours), digestOf(theirs));
  }
  for (const spaceId of spaceIds) {
    spaceProgress.space++;
    const [ours, theirs] = [await source.space(spaceId), await target.space(spaceId)];
    note(`${storeName(spaceId)} definition`, digestOf(ours), digestOf(theirs));
    for (const table of ours.definition.catalogue.tables) await compare(spaceId, recordsTable(table));
    for (const table of spaceTables) await compare(spaceId, table);
  }
  if (different.length > 0) {
    throw new Error(
      `The two storage locations differ in ${different.join(', ')}. The source may have been changed during the move: empty the target and start again, with the source at rest.`,
    );
  }
  return compared;
}

export function storeName(store: Store): string {
  return typeof store === 'number' ? `data space ${store}` : store;
}

interface Digest {
  readonly rows: number;
  readonly checksum: string;
}

async function digest(reader: TransferReader, request: RowsRequest, told: (rows: number) => void): Promise<Digest> {
  const checksum = createHash('sha256');
  let rows = 0;
  for await (const batch of reader.rows(request)) {
    checksum.update(batch.map((row) => `${JSON.stringify(row)}\n`).join(''));
    rows += batch.length;
    told(rows);
  }
  return { rows, checksum: checksum.digest('hex') };
}

function digestOf(content: Sequences | SpaceState): Digest {
  const plain = JSON.stringify(content instanceof Map ? [...content] : content, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  return { rows: 1, checksum: createHash('sha256').update(plain).digest('hex') };
}

/** How many secrets are sealed with which key, by key id. */
export type KeyIds = ReadonlyMap<string, number>;

/** `v1.<key id>.…`, see `auth/seal.ts`. */
export async function keyIdsIn(reader: TransferReader): Promise<KeyIds> {
  const keyIds = new Map<string, number>();
  for (const table of directoryTables) {
    const sealed = table.columns.flatMap(({ isSealed }, index) => (isSealed ? [index] : []));
    if (sealed.length === 0) continue;
    for await (const rows of reader.rows({ store: 'directory', table })) {
      for (const text of rows.flatMap((row) => sealed.map((index) => row[index]))) {
        const keyId = text?.split('.')[1];
        if (keyId !== undefined) keyIds.set(keyId, (keyIds.get(keyId) ?? 0) + 1);
      }
    }
  }
  return keyIds;
}

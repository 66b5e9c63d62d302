/** Reads the content of a data space directly, on the engine of the run. */
import { DatabaseSync } from 'node:sqlite';
import { withClient } from '../../lab/machine/client.ts';
import type { Scratch } from '../../lab/machine/scratch.ts';
import { parseLocation } from '../../src/storage/location.ts';
import { spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { pathOf } from '../../src/storage/sqlite/folder.ts';

/** @param sql with names for both engines, those of clients in quotes; whole numbers are returned as numbers */
export async function storedRows(
  { settings }: Pick<Scratch, 'settings'>,
  sql: string,
  spaceId = 1,
): Promise<Record<string, unknown>[]> {
  const place = parseLocation(settings.storage);
  if (place.engine === 'sqlite') {
    const db = new DatabaseSync(pathOf(place.folder, spaceId), { readOnly: true });
    try {
      return db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      db.close();
    }
  }
  return withClient(place.url, async (client) => {
    await client.query(`SET search_path = "${spaceSchema(spaceId)}"`);
    const { rows } = await client.query(sql);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numeric(value)])));
  });
}

/** The driver returns 64-bit numbers as text. */
function numeric(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

/** The data folder, on SQLite. */
export function dataFolder({ settings }: Pick<Scratch, 'settings'>): string {
  const place = parseLocation(settings.storage);
  if (place.engine !== 'sqlite') throw new Error('Only SQLite has a folder of data.');
  return place.folder;
}

/** The files of an installation, for the comparison with its counters (`storage/counters.ts`). */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { CounterSource } from '../counters.ts';
import type { HighestIds } from '../identity.ts';
import { identityOf, seenIn } from './database.ts';
import { pathOf, spaceFiles } from './folder.ts';
import { lastOf } from './installation.ts';
import type { Writers } from './writers.ts';

export interface CountersOptions {
  readonly folder: string;
  readonly installation: string;
  readonly writers: Writers;
}

export function counterSource({ folder, installation, writers }: CountersOptions): CounterSource {
  return {
    spaces: async () => spaceFiles(folder),
    async seen(store) {
      await turn();
      return seenAt(pathOf(folder, store), installation);
    },
    async raise(ids) {
      const lower = reading(
        pathOf(folder, 'directory'),
        (db) => new Map([...ids].filter(([table, id]) => id > lastOf(db, table))),
      );
      if (lower.size > 0) await writers.write('directory', { kind: 'sql', queries: [...lower].flatMap(raising) });
      return lower;
    },
  };
}

function raising([table, id]: readonly [string, number]) {
  return [
    {
      sql: 'INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)',
      parameters: [table],
    },
    { sql: 'UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1', parameters: [table, id] },
  ];
}

/** Null for a file that cannot be read or belongs to another installation. */
function seenAt(path: string, installation: string): HighestIds | null {
  try {
    return reading(path, (db) => (identityOf(db)?.installation === installation ? seenIn(db) : null));
  } catch {
    return null;
  }
}

/** A file without a write-ahead log is not open anywhere, so it is read as immutable, in a fifth of the time. */
function reading<Result>(path: string, read: (db: DatabaseSync) => Result): Result {
  const location = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) location.searchParams.set('immutable', '1');
  const db = new DatabaseSync(location, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

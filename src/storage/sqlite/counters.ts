/**
 * That no id of the directory comes again after an older `directory.db` was put back: before the first id is handed out,
 * its counters are compared with the data spaces that there are, and with the highest ids that these have seen.
 */

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { InitializedOnce } from '../counters.ts';
import { type HighestIds, higher, noIds, olderDirectory, seenIds } from '../identity.ts';
import { identityOf, seenIn } from './database.ts';
import { type FileName, pathOf, spaceFiles } from './folder.ts';
import { handedOut, lastOf } from './installation.ts';
import type { Writers } from './writers.ts';

export interface CountersOptions {
  readonly folder: string;
  readonly installation: string;
  readonly writers: Writers;
  readonly log: Pick<Logger, 'warn'>;
}

export class Counters extends InitializedOnce {
  readonly #options: CountersOptions;

  constructor(options: CountersOptions) {
    super();
    this.#options = options;
  }

  protected override async settle(): Promise<void> {
    const { folder, writers, log } = this.#options;
    const files = spaceFiles(folder);
    const seen = await this.#seen(files);
    if (this.isClosing) return;
    const lastSpace = files.reduce((last, id) => Math.max(last, id), 0);
    const known = reading(pathOf(folder, 'directory'), (db) => ({
      ...handedOut(db),
      spaceId: lastOf(db, 'data_space'),
    }));
    const wanted: (readonly [table: string, id: number])[] = seenIds
      .filter(({ name }) => seen[name] > known[name])
      .map(({ name, table }) => [table, seen[name]]);
    if (lastSpace > known.spaceId) wanted.push(['data_space', lastSpace]);
    if (wanted.length === 0) return;
    const queries = wanted.flatMap(([table, id]) => [
      {
        sql: 'INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)',
        parameters: [table],
      },
      { sql: 'UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1', parameters: [table, id] },
    ]);
    await writers.write('directory', { kind: 'sql', queries });
    log.warn({ raised: Object.fromEntries(wanted) }, olderDirectory);
  }

  /** One file at a time, others having their turn in between. What can't be read is refused when it is used. */
  async #seen(spaces: readonly number[]): Promise<HighestIds> {
    const { folder, installation } = this.#options;
    let seen = noIds;
    for (const file of ['logs', ...spaces] satisfies FileName[]) {
      if (this.isClosing) break;
      await turn();
      const found = seenAt(pathOf(folder, file), installation);
      if (found !== null) seen = higher(seen, found);
    }
    return seen;
  }
}

/** Null for a file that can't be read, or is another installation's. */
function seenAt(path: string, installation: string): HighestIds | null {
  try {
    return reading(path, (db) => (identityOf(db)?.installation === installation ? seenIn(db) : null));
  } catch {
    return null;
  }
}

/** A file without a write-ahead log, which nobody has open, is read as it lies there, in a fifth of the time. */
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

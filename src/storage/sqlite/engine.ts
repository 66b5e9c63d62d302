/** The SQLite engine as a whole: one folder, its files, and the threads that work on them. */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { zoneOf } from '../../schema/time.ts';
import type { Storage } from '../contract.ts';
import type { DirectoryTables, LogTables } from '../tables.ts';
import { sqliteDialect } from './dialect.ts';
import { makeFolder } from './folder.ts';
import type { Share } from './open-files.ts';
import { lanesMax, Readers } from './readers.ts';
import { openRecords } from './records.ts';
import { openRelational } from './relational.ts';
import { openRetention } from './retention.ts';
import { ServerLock } from './server-lock.ts';
import { openSpaces } from './spaces.ts';
import { Writers } from './writers.ts';

/** @throws Error when a file of the folder can't be opened, or is of a newer program */
export async function openSqlite(
  path: string,
  settings: Settings,
  environment: Environment,
  log: Logger,
): Promise<Storage> {
  const folder = makeFolder(path);
  const shares = sharesOf(settings);
  const lock = new ServerLock(folder);
  const writers = new Writers({ folder, share: shares.writer, settings, log });
  const directory = openRelational<DirectoryTables>(folder, 'directory', shares.relationalBytes, writers);
  const logs = openRelational<LogTables>(folder, 'logs', shares.relationalBytes, writers);
  const readers = new Readers({ folder, share: shares.reader, settings, log });
  const records = openRecords(folder, shares.main, zoneOf(settings.zone));
  const retention = openRetention({ writers, logs, settings, environment, log });
  const definitionsMax = settings.openFilesMax;
  const spaces = openSpaces({ folder, writers, readers, records, retention, lock, definitionsMax });
  return {
    dialect: sqliteDialect,
    directory,
    logs,
    spaces,
    async check() {
      lock.take();
      for (const database of [directory, logs]) {
        await database.read({ compile: () => ({ sql: 'SELECT 1', parameters: [] }) } as never);
        await database.write([]);
      }
    },
    async close() {
      await retention.close();
      await readers.close();
      await writers.close();
      records.close();
      directory.close();
      logs.close();
      lock.release();
    },
  };
}

interface Shares {
  readonly main: Share;
  readonly writer: Share;
  readonly reader: Share;
  /** For each of the two connections to directory and logs that the main thread has. */
  readonly relationalBytes: number;
}

/** Divides what all threads may have open and in memory: half for queries, a quarter for writers and main thread each. */
function sharesOf({ openFilesMax, pageCacheBytes, writerThreads, readerThreads }: Settings): Shares {
  // One more than there are shards: the thread of directory and logs.
  const writerShare = 4 * (writerThreads + 1);
  const readerShare = 2 * lanesMax(readerThreads);
  const share = (parts: number): Share => ({
    filesMax: Math.max(2, Math.floor(openFilesMax / parts)),
    pageCacheBytes: pageCacheBytes / parts,
  });
  const main = share(4);
  return {
    main: { ...main, pageCacheBytes: main.pageCacheBytes * 0.75 },
    writer: share(writerShare),
    reader: share(readerShare),
    relationalBytes: main.pageCacheBytes / 8,
  };
}

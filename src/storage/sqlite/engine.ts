/** The SQLite engine as a whole: one folder, its files, and the threads that work on them. */
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { zoneOf } from '../../schema/time.ts';
import { emptyBin } from '../bin.ts';
import type { Relational, Storage } from '../contract.ts';
import { Counters } from '../counters.ts';
import { assertAnswering } from '../health.ts';
import { putBackDirectory } from '../identity.ts';
import { openRetention } from '../retention.ts';
import type { DirectoryTables, LogTables } from '../tables.ts';
import { counterSource } from './counters.ts';
import { drawFactor } from './deadline.ts';
import { sqliteDialect } from './dialect.ts';
import { Disk } from './disk.ts';
import { bytesOf, makeFolder, pathOf, spaceFiles } from './folder.ts';
import { highestIdsIn, settleInstallation } from './installation.ts';
import type { Share } from './open-files.ts';
import { filesWithin } from './open-files.ts';
import { lanesMax, Readers } from './readers.ts';
import { openRecords } from './records.ts';
import { openRelational } from './relational.ts';
import { ServerLock } from './server-lock.ts';
import { ShortQueries } from './short-queries.ts';
import { openSpaces } from './spaces.ts';
import { refuseUnfinishedMove } from './transfer.ts';
import { Writers } from './writers.ts';

/** @throws Error when a file of the folder cannot be opened, or was written by a newer program */
export async function openSqlite(
  path: string,
  settings: Settings,
  environment: Environment,
  log: Logger,
): Promise<Storage> {
  const folder = makeFolder(path);
  refuseUnfinishedMove(folder);
  refuseSpacesWithoutDirectory(folder);
  const shares = sharesOf(settings);
  const lock = new ServerLock(folder, log);
  const installation = settleInstallation(folder, log);
  const source = { folder, installation };
  const writers = new Writers({ ...source, share: shares.writer, maintenanceShare: shares.maintenance, settings, log });
  const counters = new Counters(counterSource({ ...source, writers }), log);
  const own = { installation, writers };
  const directory = openRelational<DirectoryTables>(folder, 'directory', shares.relationalBytes, { ...own, counters });
  const logs = openRelational<LogTables>(folder, 'logs', shares.relationalBytes, own);
  const deadlineFactor = drawFactor(environment);
  const readers = new Readers({ ...source, share: shares.reader, settings, deadlineFactor, log });
  const disk = new Disk({ ...source, settings });
  const records = openRecords({
    source,
    share: shares.main,
    settings,
    zone: zoneOf(settings.zone),
    deadlineFactor,
    disk,
  });
  const queries = new ShortQueries(records, readers, settings);
  const retention = openRetention({
    prune: (spaceId, before, rowsMax) => writers.write(spaceId, { kind: 'prune', before, rowsMax }),
    emptyBin: (spaceId, now) => emptyBin(spaces, spaceId, now),
    logs,
    settings,
    environment,
    log,
  });
  const highestIds = () => highestIdsIn(folder);
  const { openFilesMax: definitionsMax, shapesMax } = settings;
  const spaces = openSpaces({
    ...source,
    highestIds,
    writers,
    queries,
    records,
    retention,
    lock,
    definitionsMax,
    shapesMax,
  });
  return {
    dialect: sqliteDialect,
    directory,
    logs,
    spaces,
    cluster: null,
    async check(timeMs = Number.POSITIVE_INFINITY) {
      await lock.take();
      const answering = async (database: Relational<unknown>) => {
        await database.read({ compile: () => ({ sql: 'SELECT 1', parameters: [] }) } as never);
        await database.write([]);
      };
      const parts = [
        { name: 'The disk of the data folder', answer: () => disk.probe() },
        { name: 'The database of the directory', answer: () => answering(directory as never) },
        { name: 'The database of the logs', answer: () => answering(logs as never) },
      ];
      await assertAnswering(parts, timeMs);
      // Started here, so that a failure is logged early; only the handing out of ids waits for it.
      counters
        .settled()
        .catch((error) => log.error({ err: error }, 'The counters of the directory were not compared.'));
      return [];
    },
    takeActivity: () => ({ ...writers.takeActivity(), queriesWaiting: readers.takeMostWaiting() }),
    bytes: () => bytesOf(folder),
    async close() {
      await counters.close();
      await retention.close();
      queries.close();
      await readers.close();
      await disk.close();
      await writers.close();
      records.close();
      directory.close();
      logs.close();
      lock.release();
    },
  };
}

/**
 * Without the directory, the owner of a data space is unknown; a new directory would number data spaces from 1 again,
 * and so give one company's records to another.
 */
function refuseSpacesWithoutDirectory(folder: string): void {
  const directory = statSync(pathOf(folder, 'directory'), { throwIfNoEntry: false });
  if (directory !== undefined && directory.size > 0) return;
  if (spaceFiles(folder).length === 0) return;
  throw new Error(`The data folder has data spaces, but its directory.db is missing or empty. ${putBackDirectory}`);
}

interface Shares {
  readonly main: Share;
  /** Share of each writer thread for data spaces. */
  readonly writer: Share;
  /** Share of the writer thread for directory and logs. */
  readonly maintenance: Share;
  /** Share of each reader thread, including replacements. */
  readonly reader: Share;
  /** Share of each of the main thread's two connections to directory and logs. */
  readonly relationalBytes: number;
}

/**
 * Divides the limits on open files and memory: three eighths for writing, three for queries, two for the main thread.
 * An eighth of the open files is for those that the disk thread has opened (`disk-thread.ts`).
 */
function sharesOf({ openFilesMax, pageCacheBytes, writerThreads, readerThreads }: Settings): Shares {
  const filesMax = filesWithin(openFilesMax);
  const share = (sixteenths: number, threads = 1): Share => ({
    filesMax: Math.max(2, Math.floor((filesMax * sixteenths) / 16 / threads)),
    pageCacheBytes: (pageCacheBytes * sixteenths) / 16 / threads,
  });
  return {
    main: { ...share(3), filesMax: share(2).filesMax },
    writer: { ...share(5, writerThreads), filesMax: share(4, writerThreads).filesMax },
    maintenance: share(1),
    reader: { ...share(6, lanesMax(readerThreads)), filesMax: share(5, lanesMax(readerThreads)).filesMax },
    relationalBytes: share(1, 2).pageCacheBytes,
  };
}

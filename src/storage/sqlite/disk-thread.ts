/**
 * The thread that accesses the disk first, so that the main thread never waits for a disk that hangs. It opens a data
 * space's file before the main thread does, which creates the files beside it, and tests whether the disk accepts
 * writes.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import { failureOf } from './failure.ts';
import { pathOf } from './folder.ts';
import type { Answer, EndMessage } from './messages.ts';
import { stepsOf } from './migrations.ts';
import { OpenFiles } from './open-files.ts';
import type { ReadFolder } from './select.ts';

export type DiskRequest = { readonly open: number } | { readonly probe: true };

// Threads started later load the compiled code, because stripping types costs a thread some 20 MiB for its whole life.
flushCompileCache();

const port = parentPort as NonNullable<typeof parentPort>;
const source = workerData as ReadFolder;

/**
 * The file opened last stays open: the last connection to close a file deletes the files beside it. SQLite keeps the
 * descriptor of a closed connection while others have the file open, so one more descriptor is counted for each file of
 * the main thread.
 */
const share = { filesMax: 2, pageCacheBytes: 1024 * 1024 };
const files = new OpenFiles<number, { readonly db: DatabaseSync }>(share, (spaceId, pageCacheBytes) => {
  const identity = { installation: source.installation, spaceId };
  const options = { create: false, use: 'read', pageCacheBytes, identity } as const;
  return { db: openDatabase(pathOf(source.folder, spaceId), stepsOf(spaceId), options) };
});

/** More than a commit of one record needs. */
const probeBytes = 64 * 1024;

function probe(): void {
  const path = join(source.folder, 'disk.probe');
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, Buffer.alloc(probeBytes));
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

function answer(request: DiskRequest): Answer<null> {
  try {
    if ('probe' in request) probe();
    else files.use(request.open);
    return { value: null };
  } catch (error) {
    const doing = 'probe' in request ? `writing to ${source.folder}` : `reading ${pathOf(source.folder, request.open)}`;
    return { failure: failureOf(error, doing) };
  }
}

port.on('message', (message: DiskRequest | EndMessage) => {
  if ('end' in message) {
    files.close();
    port.close();
  } else {
    port.postMessage(answer(message));
  }
});

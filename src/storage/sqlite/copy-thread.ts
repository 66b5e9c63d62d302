/** The thread that copies data spaces, so that a long copy stalls neither the main thread nor any commit. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { HighestIds } from '../identity.ts';
import { openDatabase, raiseSeen } from './database.ts';
import { failureOf } from './failure.ts';
import { identityAt, pathOf, syncFile, syncFolder } from './folder.ts';
import type { Answer, EndMessage } from './messages.ts';
import { spaceSteps } from './migrations.ts';

export interface CopyRequest {
  readonly source: number;
  readonly target: number;
  /** The highest ids ever handed out, recorded in the target. */
  readonly highestIds: HighestIds;
}

export interface CopyData {
  readonly folder: string;
  readonly installation: string;
}

const port = parentPort as NonNullable<typeof parentPort>;
const { folder, installation } = workerData as CopyData;
const options = { create: false, use: 'write', pageCacheBytes: 4 * 1024 * 1024 } as const;

/** The target is created completely or not at all. */
function copy({ source: sourceId, target: targetId, highestIds }: CopyRequest, from: string, to: string): void {
  const unfinished = `${to}.copying`;
  const clear = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(unfinished + end, { force: true });
  };
  if (existsSync(to)) throw new Error('The target of the copy already exists.');
  clear();
  try {
    const source = openDatabase(from, spaceSteps, { ...options, ...identityAt(installation, sourceId) });
    try {
      // Reads one state of the source, and does not block writes to it.
      source.prepare('VACUUM INTO ?').run(unfinished);
    } finally {
      source.close();
    }
    const target = openDatabase(unfinished, spaceSteps, options);
    try {
      target.exec('DELETE FROM _history');
      target.prepare('UPDATE _identity SET space_id = ?').run(targetId);
      raiseSeen(target, highestIds);
      target.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      target.close();
    }
    syncFile(unfinished);
    renameSync(unfinished, to);
    syncFolder(dirname(to));
  } catch (error) {
    clear();
    throw error;
  }
}

function answer(request: CopyRequest): Answer<null> {
  const { source, target } = request;
  const from = pathOf(folder, source);
  const to = pathOf(folder, target);
  try {
    copy(request, from, to);
    return { value: null };
  } catch (error) {
    return { failure: failureOf(error, `copying ${from} to ${to}`) };
  }
}

port.on('message', (message: CopyRequest | EndMessage) => {
  if ('end' in message) port.close();
  else port.postMessage(answer(message));
});

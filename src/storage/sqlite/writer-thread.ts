/** A writer thread: commits its groups in order to the files of its shard, or makes one change of tables. */
import { statSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import { failureOf } from './failure.ts';
import { type FileName, identityAt, pathOf } from './folder.ts';
import { WriteFile } from './group.ts';
import { ItemsWaiting } from './items-ahead.ts';
import type { EndMessage, ItemsAhead, WriteGroup, WriteGroupAnswer } from './messages.ts';
import { stepsOf } from './migrations.ts';
import { OpenFiles, type Share } from './open-files.ts';
import { setLowestPriority } from './priority.ts';

export interface WriterData {
  readonly folder: string;
  /** Id of the installation to which the files belong. */
  readonly installation: string;
  readonly share: Share;
  /** `build`: for one change of tables, which may take long. */
  readonly use: 'write' | 'build';
}

// Threads started later load the compiled code, because stripping types costs a thread some 20 MiB for its whole life.
flushCompileCache();

const port = parentPort as NonNullable<typeof parentPort>;
const { folder, installation, share, use } = workerData as WriterData;
if (use === 'build') setLowestPriority();

/** An open file; its inode shows whether it is still the one at its path. */
interface LocatedFile {
  readonly db: DatabaseSync;
  readonly file: WriteFile;
  readonly inode: bigint | undefined;
}

const files = new OpenFiles<FileName, LocatedFile>(share, (name, pageCacheBytes, create) => {
  const path = pathOf(folder, name);
  const options = { create, use, pageCacheBytes, ...identityAt(installation, name) } as const;
  const db = openDatabase(path, stepsOf(name), options);
  return { db, file: new WriteFile(db, typeof name === 'number'), inode: inodeAt(path) };
});

function inodeAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** A file that was removed or replaced still accepts commits, which would be missing after a restart. */
function assertSameFile({ inode }: LocatedFile, path: string): void {
  if (inodeAt(path) !== inode) throw new Error('The file was removed or replaced while it was open.');
}

const itemsWaiting = new ItemsWaiting();

function answer(group: WriteGroup): WriteGroupAnswer {
  const { file } = group;
  try {
    const { requests } = itemsWaiting.complete(group);
    const create = requests.some((request) => request.kind === 'create');
    const open = files.use(file, create);
    const answers = open.file.commit(requests);
    assertSameFile(open, pathOf(folder, file));
    return { file, answers, commitMs: open.file.commitMs };
  } catch (error) {
    files.drop(file);
    const failure = failureOf(error, `committing to ${pathOf(folder, file)}`);
    return { file, answers: group.requests.map(() => ({ failure })), commitMs: null };
  }
}

port.on('message', (message: WriteGroup | ItemsAhead | EndMessage) => {
  if ('items' in message) itemsWaiting.add(message);
  else if ('end' in message) {
    files.close();
    port.close();
  } else {
    port.postMessage(answer(message));
  }
});

/** A writer thread: commits the groups that it is sent, in their order, on the files of its shard. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, stepsOf } from './database.ts';
import { failureOf } from './failure.ts';
import { type FileName, pathOf } from './folder.ts';
import { WriteFile } from './group.ts';
import type { EndMessage, WriteGroup, WriteGroupAnswer } from './messages.ts';
import { OpenFiles, type Share } from './open-files.ts';

export interface WriterData {
  readonly folder: string;
  readonly share: Share;
}

const port = parentPort as NonNullable<typeof parentPort>;
const { folder, share } = workerData as WriterData;

const files = new OpenFiles<FileName, WriteFile>(share, (name, pageCacheBytes, create) => {
  const db = openDatabase(pathOf(folder, name), stepsOf(name), { create, use: 'write', pageCacheBytes });
  return new WriteFile(db, typeof name === 'number');
});

function answer({ file, requests }: WriteGroup): WriteGroupAnswer {
  try {
    const create = requests.some((request) => request.kind === 'create');
    return { file, answers: files.use(file, create).commit(requests) };
  } catch (error) {
    files.drop(file);
    const failure = failureOf(error, `committing to ${pathOf(folder, file)}`);
    return { file, answers: requests.map(() => ({ failure })) };
  }
}

port.on('message', (message: WriteGroup | EndMessage) => {
  if ('end' in message) {
    files.close();
    port.close();
  } else {
    port.postMessage(answer(message));
  }
});

/** A program with an outbox in a file, controlled by `file-lock.test.ts`. */
import { carryOut } from '../../../lab/machine/child.ts';
import { fileStore } from '../../../packages/client/src/node/file-store.ts';
import type { NewEntry, OutboxStore } from '../../../packages/client/src/outbox/store.ts';

let store: OutboxStore | undefined;

carryOut({
  async open(path: string) {
    store = await fileStore(path, { silentMs: 1e9 });
  },
  append: (entry: NewEntry) => store?.append(entry),
  send: () => store?.exclusive(async () => {}),
  close: () => store?.close(),
});

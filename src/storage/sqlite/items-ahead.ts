/**
 * Sends large batches to a writer thread. A message is copied without a pause, which takes 8 ms for 7 MB, so the items
 * of a large batch are sent ahead in portions, and its group follows.
 */
import type { Change, TableChange } from '../contract.ts';
import type { FileName } from './folder.ts';
import type { ItemsAhead, WriteGroup, WriteRequest } from './messages.ts';

/** Estimated memory from which a batch is large. */
export const largeFromBytes = 512 * 1024;

/** Approximate size of the values of one portion; a single item may be larger. */
const portionBytes = 256 * 1024;
/** Size of a value without its text. */
const valueBytes = 32;

let lastNumber = 0;

/** The group's messages, in the order in which they must be sent. */
export function* messagesOf({ file, requests }: WriteGroup): Generator<ItemsAhead | WriteGroup, void> {
  const number = ++lastNumber;
  const without: WriteRequest[] = [];
  let count = 0;
  for (const [index, request] of requests.entries()) {
    if (request.kind !== 'batch' || (request.batch.weightBytes ?? 0) < largeFromBytes) {
      without.push(request);
      continue;
    }
    const { batch } = request;
    for (const [change, { items: all }] of batch.changes.entries()) {
      for (const items of portionsOf(all)) {
        count += items.length;
        yield { file, number, request: index, change, items };
      }
    }
    const changes = batch.changes.map((change) => ({ ...change, items: [] }));
    without.push({ kind: 'batch', batch: { ...batch, changes } });
  }
  yield { file, requests: without, ahead: { number, count } };
}

type Item = Change['items'][number];

function* portionsOf(items: readonly Item[]): Generator<Item[], void> {
  let portion: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    portion.push(item);
    bytes += bytesOf(item);
    if (bytes < portionBytes) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

function bytesOf(item: Item): number {
  let bytes = valueBytes;
  if (!('values' in item)) return bytes;
  for (const value of item.values) bytes += valueBytes + (typeof value === 'string' ? value.length : 0);
  return bytes;
}

/** In the thread: the items received for groups that are not complete yet; a file has at most one such group. */
export class ItemsWaiting {
  readonly #byFile = new Map<FileName, ItemsAhead[]>();

  add(ahead: ItemsAhead): void {
    const before = this.#byFile.get(ahead.file);
    if (before?.[0]?.number === ahead.number) before.push(ahead);
    // Items of a group that was never completed are dropped.
    else this.#byFile.set(ahead.file, [ahead]);
  }

  /** The group with the items that were sent ahead. @throws Error when some are missing */
  complete(group: WriteGroup): WriteGroup {
    const waiting = this.#byFile.get(group.file) ?? [];
    this.#byFile.delete(group.file);
    const { ahead } = group;
    if (ahead === undefined) return group;
    const own = waiting.filter(({ number }) => number === ahead.number);
    const count = own.reduce((sum, { items }) => sum + items.length, 0);
    if (count !== ahead.count) throw new Error(`Of a group, ${count} items came ahead instead of ${ahead.count}.`);
    const byRequest = Map.groupBy(own, ({ request }) => request);
    return {
      file: group.file,
      requests: group.requests.map((request, index) => {
        const parts = byRequest.get(index);
        if (parts === undefined || request.kind !== 'batch') return request;
        const { batch } = request;
        const changes = batch.changes.map((change, position) => {
          const items = parts.filter((part) => part.change === position).flatMap((part) => part.items);
          return { ...change, items } as TableChange;
        });
        return { kind: 'batch', batch: { ...batch, changes } };
      }),
    };
  }
}

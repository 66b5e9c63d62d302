/** Which batch a transaction id stands for: two with equal hashes are the same request of the same user. */
import { createHash, type Hash, hash } from 'node:crypto';
import { canonicalJson } from '../schema/canonical-json.ts';
import { inTimeSlices } from '../time-slices.ts';
import type { BatchRequest, OperationRequest } from './batch.ts';
import type { Requester } from './visibility.ts';

/** A long request is hashed in portions of this many characters. */
const hashedCharacters = 64 * 1024;

/**
 * SHA-256 of the canonical JSON of `[operation, user, table, items]`, with the key before the items where a put has
 * one; for several operations, of `["batch", user, operations]`, each without the user.
 */
export async function hashOf(
  { userId }: Pick<Requester, 'userId'>,
  { form, operations }: BatchRequest,
): Promise<string> {
  const text = new HashedText();
  if (form === 'one') {
    for (const operation of operations) await addOperation(text, operation, [userId]);
    return text.digest();
  }
  text.add(`["batch",${userId},[`);
  for (const [index, operation] of operations.entries()) {
    if (index > 0) text.add(',');
    await addOperation(text, operation, []);
  }
  text.add(']]');
  return text.digest();
}

async function addOperation(text: HashedText, request: OperationRequest, user: readonly number[]): Promise<void> {
  const { operation, objectName, by, items } = request;
  const head = [operation.name, ...user, objectName, ...(by === undefined ? [] : [by])];
  text.add(`${canonicalJson(head).slice(0, -1)},[`);
  await inTimeSlices(items.length, (index) => {
    text.add(`${index === 0 ? '' : ','}${canonicalJson(items[index])}`);
  });
  text.add(']]');
}

class HashedText {
  #text = '';
  #hash: Hash | undefined;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length < hashedCharacters) return;
    this.#hash ??= createHash('sha256');
    this.#hash.update(this.#text);
    this.#text = '';
  }

  digest(): string {
    return this.#hash === undefined ? hash('sha256', this.#text) : this.#hash.update(this.#text).digest('hex');
  }
}

/** Copying data spaces, seen from the main thread: one thread, begun for the copy and ended after it. */
import type { CopyData, CopyRequest } from './copy-thread.ts';
import { errorOf } from './failure.ts';
import type { Answer } from './messages.ts';
import { Thread } from './thread.ts';

/**
 * Makes the target's file from one consistent state of the source's, without its history of transactions.
 * @throws ServiceError `internal`, also when the target is there already
 */
export async function copySpace(data: CopyData, request: CopyRequest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<null>>();
  const thread = new Thread<CopyRequest, Answer<null>>(new URL('./copy-thread.ts', import.meta.url), data, {
    answered: resolve,
    crashed: reject,
  });
  thread.post(request);
  const answer = await promise;
  await thread.end();
  if ('failure' in answer) throw errorOf(answer.failure);
}

/** Prepares the items of a batch and reports every faulty one, not just the first. */
import type { Change } from '../storage/contract.ts';
import { inTimeSlices } from '../time-slices.ts';
import type { Prepared, PrepareRequest } from './batch.ts';
import type { ItemError } from './batch-answer.ts';
import { ItemFault } from './item.ts';

/** @param changeOf gets the valid items, in order. @returns a promise where it takes long */
export function prepareItems<Ready>(
  { items, field: array, invalid }: Pick<PrepareRequest, 'items' | 'field' | 'invalid'>,
  prepare: (item: unknown) => Ready,
  changeOf: (ready: readonly Ready[]) => Change,
): Prepared | Promise<Prepared> {
  const ready: Ready[] = [];
  const errors: (ItemError | null)[] = [];
  const prepared = { change: changeOf(ready), errors };
  const rest = inTimeSlices(items.length, (index) => {
    try {
      ready.push(prepare(items[index]));
      errors.push(null);
    } catch (error) {
      if (!(error instanceof ItemFault)) throw error;
      const field = `${array}[${index}]${error.field === '' ? '' : `.${error.field}`}`;
      errors.push({ code: invalid, description: `${field}: ${error.message}` });
    }
  });
  return rest === undefined ? prepared : rest.then(() => prepared);
}

/** Going through the items of a batch: every faulty one is told, not just the first. */
import type { ItemError, Operation } from './batch.ts';
import { ItemFault } from './item.ts';

/** `ready` holds the items without fault, in order; `errors` one entry per item, null for those. */
export function prepareItems<Ready>(
  operation: Pick<Operation, 'field' | 'invalid'>,
  items: readonly unknown[],
  prepare: (item: unknown) => Ready,
): { ready: Ready[]; errors: (ItemError | null)[] } {
  const ready: Ready[] = [];
  const errors = items.map((item, index) => {
    try {
      ready.push(prepare(item));
      return null;
    } catch (error) {
      if (!(error instanceof ItemFault)) throw error;
      const field = `${operation.field}[${index}]${error.field === '' ? '' : `.${error.field}`}`;
      return { code: operation.invalid, description: `${field}: ${error.message}` };
    }
  });
  return { ready, errors };
}

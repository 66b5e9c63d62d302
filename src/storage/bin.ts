/** Empties the bin of a data space: removes tables and columns that were dropped long enough ago. */
import { Draft } from '../schema/draft.ts';
import type { DataSpaces } from './contract.ts';

/**
 * If another change comes first, the bin is left for the next run.
 * @param now milliseconds since 1970
 * @returns whether something stays in the bin
 */
export async function emptyBin(
  { definition, define }: Pick<DataSpaces, 'definition' | 'define'>,
  spaceId: number,
  now: number,
): Promise<boolean> {
  const { catalogue } = await definition(spaceId);
  const isDue = catalogue.bin.filter(({ until }) => until <= now);
  if (isDue.length === 0) return catalogue.bin.length > 0;
  const draft = new Draft(catalogue);
  // A table takes its columns in the bin with it.
  for (const entry of isDue) if (draft.bin.includes(entry)) draft.purge(entry);
  await define(spaceId, draft.change());
  return draft.bin.length > 0;
}

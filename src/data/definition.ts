/** Works with the tables of the caller's data space, which another instance may change at any time. */
import type { Caller } from '../caller.ts';
import { ServiceError } from '../errors.ts';
import type { CompiledSpace } from '../storage/compiled-space.ts';
import type { DataContext } from './context.ts';

/** The codes for undefined names, which another instance may define meanwhile. */
const outdated: readonly ServiceError['reason'][] = ['noTable', 'malformed', 132];

/**
 * Runs the work; runs it again when it failed over a table or column and the tables have changed since they were read.
 */
export async function withDefinition<Result>(
  { storage: { spaces } }: DataContext,
  { spaceId }: Pick<Caller, 'spaceId'>,
  work: (space: CompiledSpace) => Promise<Result>,
): Promise<Result> {
  let definition = await spaces.definition(spaceId);
  for (;;) {
    try {
      return await work(definition);
    } catch (error) {
      if (!(error instanceof ServiceError && outdated.includes(error.reason))) throw error;
      const present = await spaces.refresh(spaceId);
      if (present === definition) throw error;
      definition = present;
    }
  }
}

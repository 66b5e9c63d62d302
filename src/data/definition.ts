/** Working with the tables of the caller's data space, which another instance may change at any time. */
import type { Caller } from '../caller.ts';
import { ServiceError } from '../errors.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import type { DataContext } from './context.ts';

/** What a request is answered with when it names what is not defined: it may be defined meanwhile. */
const outdated: readonly ServiceError['reason'][] = ['noTable', 'malformed', 132];

/** Does the work; again when it failed over a table or column, and the tables were changed since they were read. */
export async function withDefinition<Result>(
  { storage: { spaces } }: DataContext,
  { spaceId }: Caller,
  work: (definition: SpaceDefinition) => Promise<Result>,
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

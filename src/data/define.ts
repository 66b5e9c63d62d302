/** Defining the tables of a data space (docs/reference/values.md#defining-tables). */
import { ServiceError } from '../errors.ts';
import { describeTables, parseTables } from '../schema/definition.ts';
import { planChange } from '../schema/plan.ts';
import { inTurns } from '../time-slices.ts';
import { newJobId, type WithIntent } from './change-tables.ts';
import type { DataContext } from './context.ts';

export interface DefineRequest {
  readonly tables: readonly unknown[];
  readonly reset: boolean;
  /** Whether a reset is allowed here: only for a version in development whose data space no other version shares. */
  readonly resettable: boolean;
  /** If absent, no intent is stored. */
  readonly withIntent?: WithIntent;
}

const withoutIntent: WithIntent = (_id, _detail, apply) => apply();

/**
 * How often a change is planned again because another one came first; each attempt lets one competing change complete.
 */
const attemptsMax = 100;

/**
 * Adds new tables, columns and indexes in one transaction. The caller checks the permission
 * (`administration/tables.ts`).
 * @returns the definitions of every table, after the change
 * @throws ServiceError `forbidden` for a reset that is not allowed; `malformed` for a bad definition or one that
 * differs from what is stored
 */
export async function defineTables(context: DataContext, spaceId: number, request: DefineRequest): Promise<object[]> {
  if (request.reset && !request.resettable) {
    throw new ServiceError(
      'forbidden',
      'isResetDatabase: true is allowed only on a version in development whose data space no other version shares.',
    );
  }
  const { spaces } = context.storage;
  const { withIntent = withoutIntent } = request;
  const requested = await inTurns(parseTables(request.tables, context.settings));
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const current = await spaces.definition(spaceId);
    const change = await inTurns(planChange(current, requested, { reset: request.reset, limits: context.settings }));
    // A definition that changes nothing is no act.
    if (change === null) return inTurns(describeTables(current));
    const job = { id: newJobId(context), time: context.environment.now(), content: '{}' };
    const next = await withIntent(job.id, {}, () => spaces.define(spaceId, { ...change, job }));
    if (next !== null) return inTurns(describeTables(next));
  }
  throw new ServiceError('busy', 'The tables kept changing meanwhile; send the definition again.', {
    status: 503,
    retryAfterSeconds: 1,
  });
}

/** Defining the tables of a data space (decisions.md §5). */
import { type Caller, role } from '../caller.ts';
import { ServiceError } from '../errors.ts';
import { describeTable, parseTables } from '../schema/definition.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { planChange } from '../schema/plan.ts';
import type { DataContext } from './context.ts';

/** What of the application decides who may define its tables. */
export interface DefinedApplication {
  /** Groups that may use the application; none means all of the company. */
  readonly groupIds: readonly number[];
}

export interface DefineRequest extends DefinedApplication {
  readonly tables: readonly unknown[];
  readonly reset: boolean;
  /** Whether a reset is allowed here: a version in development whose data space no other version shares. */
  readonly resettable: boolean;
}

/** How often a change is planned anew because another one came between: each time one of those that compete is done. */
const attemptsMax = 100;

/**
 * Adds new tables, columns and indexes, in one transaction; resolves to the definitions after it.
 * @throws ServiceError `forbidden`; `malformed` for a bad definition or one that differs from what is stored
 */
export async function defineTables(context: DataContext, caller: Caller, request: DefineRequest): Promise<object[]> {
  permit(caller, request);
  if (request.reset && !request.resettable) {
    throw new ServiceError(
      'forbidden',
      'isResetDatabase: true is allowed only on a version in development whose data space no other version shares.',
    );
  }
  const { spaces } = context.storage;
  const requested = parseTables(request.tables, context.settings);
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const current = await spaces.definition(caller.spaceId);
    const change = planChange(current, requested, { reset: request.reset, limits: context.settings });
    const next = change === null ? current : await spaces.define(caller.spaceId, change);
    if (next !== null) return describe(next);
  }
  throw new ServiceError('busy', 'The tables were changed again and again meanwhile; send the definition again.', {
    status: 503,
    retryAfterSeconds: 1,
  });
}

/** @throws ServiceError `forbidden` */
export async function describeTables(
  context: DataContext,
  caller: Caller,
  application: DefinedApplication,
): Promise<object[]> {
  permit(caller, application);
  return describe(await context.storage.spaces.definition(caller.spaceId));
}

function describe(definition: SpaceDefinition): object[] {
  return [...definition.tables.values()].map(describeTable);
}

/** decisions.md §4: a Super Admin in the whole company; App Admin and Developer by a group that may use the application. */
function permit(caller: Caller, application: DefinedApplication): void {
  const { groupIds } = application;
  const permitted = caller.memberships.some(
    ({ groupId, roleId }) =>
      roleId === role.superAdmin ||
      ((roleId === role.developer || roleId === role.appAdmin) &&
        (groupIds.length === 0 || groupIds.includes(groupId))),
  );
  if (permitted) return;
  throw new ServiceError(
    'forbidden',
    'Table definitions need the role Developer or App Admin in a group of this application, or Super Admin.',
  );
}

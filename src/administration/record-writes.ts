/** Writes to records by administrators, each with its entry in the audit trail (`intents.ts`). */
import { groupIdsIn } from '../caller.ts';
import { type BatchRequest, type OperationRequest, tooManyItems, writeBatch } from '../data/batch.ts';
import type { BatchResult } from '../data/batch-answer.ts';
import { isObjectId } from '../data/item.ts';
import { selectRows } from '../data/select.ts';
import { everything, type Requester } from '../data/visibility.ts';
import { notThere } from '../directory/ownership.ts';
import { ServiceError } from '../errors.ts';
import { audienceOf, groupIdsOf, membersOfShared, type Scope, scope } from '../schema/audience.ts';
import { wholeText } from '../storage/json-text.ts';
import type { Permitted } from './authorize.ts';
import { type IntentDeps, withIntent } from './intents.ts';
import { administratorIn } from './record-access.ts';
import { actionOn, requireVersion, type VersionRef } from './versions.ts';

export interface RecordBatch extends Pick<BatchRequest, 'operations' | 'weightBytes'> {
  readonly transactionId?: string;
  /** The owner of added records, which are created in this user's groups. */
  readonly ownerId?: number;
}

export interface WrittenRecords {
  readonly transactionId: string;
  readonly results: readonly BatchResult[];
}

/**
 * All or nothing, as a client's batch. The lock of each record is checked here, too.
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown · as `writeBatch`
 */
export async function writeRecords(
  deps: IntentDeps,
  actor: Permitted<'record.write'>,
  versionRef: VersionRef,
  request: RecordBatch,
): Promise<WrittenRecords> {
  const { spaceId } = await requireVersion(deps, versionRef);
  const requester = await requesterFor(deps, versionRef, spaceId, request);
  const transactionId = request.transactionId || `administration-${deps.environment.random(16).toString('hex')}`;
  const { operations, weightBytes, ownerId } = request;
  const changes = operations.map(({ operation, objectName, items }) => ({
    operation: operation.name,
    table: objectName,
    records: items.length,
  }));
  const detail = { transactionId, changes, ...(ownerId === undefined ? {} : { ownerId }) };
  const action = actionOn(versionRef, 'record.write', 'records', detail);
  const batch = { transactionId, operations, form: 'several', strict: true } as const;
  const results = await withIntent(deps, actor, { spaceId, id: transactionId, action }, () =>
    writeBatch(deps.data, requester, { ...batch, ...(weightBytes ? { weightBytes } : {}) }),
  );
  return { transactionId, results };
}

/** An administrator writes as a user who sees exactly the named records and is in their groups. */
async function requesterFor(
  deps: IntentDeps,
  { companyId }: VersionRef,
  spaceId: number,
  { operations, ownerId }: RecordBatch,
): Promise<Requester> {
  const administrator = administratorIn({ companyId }, spaceId);
  // Before anything is looked up.
  const tooMany = tooManyItems(deps.data, { form: 'several', operations }, 131);
  if (tooMany !== null) throw tooMany;
  const isAdding = operations.some(({ operation }) => operation.name === 'add');
  if (isAdding && ownerId === undefined) {
    throw new ServiceError('missing', 'ownerId: expected the user who will own the new records, got none.');
  }
  const owner = ownerId === undefined ? null : await deps.directory.users.withRoles(companyId, ownerId);
  if (ownerId !== undefined && owner === null) throw notThere('user', ownerId, `company ${companyId}`);
  const sees = new Set<string>();
  for (const operation of operations) {
    requireGroups(operation);
    for (const audience of await audiencesOf(deps, administrator, operation)) {
      const shared = membersOfShared(audience);
      for (const member of shared.length === 0 ? [audience] : shared) sees.add(member);
    }
  }
  // Added records are created in all groups of their owner; changed ones may be given to any group of the company.
  const isUpdating = operations.some(({ operation }) => operation.name === 'update');
  const given = isUpdating && !isAdding ? await deps.directory.groups.list(companyId) : [];
  const groupIds = isAdding ? groupIdsIn(owner?.memberships ?? []) : given.map(({ id }) => id);
  const subject = isAdding ? 'the owner' : 'the company';
  return { ...administrator, userId: ownerId ?? 0, writerId: 0, groupIds, sees: [...sees], subject };
}

/** Missing groups would default to those of the writer, and an administrator has none. */
function requireGroups({ operation, items, field }: OperationRequest): void {
  if (operation.name !== 'update') return;
  for (const [index, item] of items.entries()) {
    const { scopeType, groupIds } = (item ?? {}) as { readonly scopeType?: unknown; readonly groupIds?: unknown };
    const isForGroups = Number(scopeType) === scope.group || (groupIds !== undefined && scopeType === undefined);
    if (!isForGroups || (groupIds !== undefined && /[1-9]/.test(String(groupIds)))) continue;
    throw new ServiceError(
      131,
      `${field}[${index}].groupIds: expected the groups of the record, because an administrator is in none.`,
    );
  }
}

/** How many records are looked up at once. */
const lookedUpMax = 100;

/** Who may see the records that the operation changes or deletes; missing records fail in the batch itself. */
async function audiencesOf(
  { data }: IntentDeps,
  administrator: Requester,
  { operation, objectName, items }: OperationRequest,
): Promise<ReadonlySet<string>> {
  const audiences = new Set<string>();
  if (operation.name === 'add') return audiences;
  const ids = items.flatMap((item) => {
    const id = (item as { readonly objectId?: unknown } | null)?.objectId;
    return isObjectId(id) ? [id] : [];
  });
  for (let begin = 0; begin < ids.length; begin += lookedUpMax) {
    const params = ids.slice(begin, begin + lookedUpMax);
    const source = `#r.objectId IN (${params.map(() => '?').join(', ')})`;
    const value = (name: string) => ({ name, expression: { source: `#r.${name}` } });
    const { rows } = await selectRows(data, { ...administrator, sees: everything }, objectName, {
      from: { phyName: objectName, alias: 'r' },
      where: { expression: { source, params } },
      select: [value('scopeType'), value('groupIds'), value('createUserId')],
    });
    for (const row of JSON.parse(wholeText(rows)) as FoundScope[]) {
      audiences.add(audienceOf(row.scopeType, groupIdsOf(row.groupIds), Number(row.createUserId)));
    }
  }
  return audiences;
}

interface FoundScope {
  readonly scopeType: Scope;
  readonly groupIds: string | null;
  readonly createUserId: string;
}

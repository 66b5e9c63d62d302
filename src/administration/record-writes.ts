/**
 * Writes to records by administrators. Records and audit trail lie in two databases, so the intent is noted first, under
 * the transaction id; then the batch is written, and then the entry takes the intent's place. Where a process ends in
 * between, the history of the data space tells what became of it, and the next one settles it.
 */
import type { Actor } from '../actor.ts';
import { groupIdsIn } from '../caller.ts';
import { type BatchRequest, type OperationRequest, writeBatch } from '../data/batch.ts';
import type { BatchResult } from '../data/batch-answer.ts';
import { selectRows } from '../data/select.ts';
import { transactionOf } from '../data/transaction.ts';
import { everything, type Requester } from '../data/visibility.ts';
import { notThere } from '../directory/ownership.ts';
import { expectOne } from '../directory/revisions.ts';
import { quoted, ServiceError } from '../errors.ts';
import { audienceOf, groupIdsOf, membersOfShared, type Scope, scope } from '../schema/audience.ts';
import { UnmetExpectation, type WriteStatement } from '../storage/contract.ts';
import { wholeText } from '../storage/json-text.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { administratorIn } from './record-access.ts';
import { actionOn, requireVersion, type VersionRef } from './versions.ts';

export interface RecordBatch extends Pick<BatchRequest, 'operations' | 'weightBytes'> {
  readonly transactionId?: string;
  /** The user who owns what is added: it is made in this user's groups. */
  readonly ownerId?: number;
}

export interface WrittenRecords {
  readonly transactionId: string;
  readonly results: readonly BatchResult[];
}

type WriteDeps = ChangeDeps & Deps<'data' | 'settings' | 'log'>;

/** An intent that is older than any batch may take belongs to a process that has ended. */
const intentMs = 60_000;

/**
 * All or nothing, as a client's batch. The lock of each record counts here, too.
 * @throws ServiceError `forbidden` · 105, 106, 130 unknown · as `writeBatch`
 */
export async function writeRecords(
  deps: WriteDeps,
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
  const intent = await noteIntent(deps, actor, spaceId, transactionId, action);
  try {
    const batch = { transactionId, operations, form: 'several', strict: true } as const;
    const results = await writeBatch(deps.data, requester, { ...batch, ...(weightBytes ? { weightBytes } : {}) });
    await settle(deps, intent, [auditEntry(deps, actor, action)]);
    return { transactionId, results };
  } catch (error) {
    // Whether it was written is known where the service refused it; else the history tells, later.
    if (error instanceof ServiceError && error.details.cause === undefined) await settle(deps, intent, []);
    throw error;
  }
}

/** An administrator writes as somebody who sees just the records that are named, and is in their groups. */
async function requesterFor(
  deps: WriteDeps,
  { companyId }: VersionRef,
  spaceId: number,
  { operations, ownerId }: RecordBatch,
): Promise<Requester> {
  const administrator = administratorIn({ companyId }, spaceId);
  const isAdding = operations.some(({ operation }) => operation.name === 'add');
  if (isAdding && ownerId === undefined) {
    throw new ServiceError('missing', 'ownerId: expected the user who is to own the new records, got none.');
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
  // What is added is made in all groups of its owner; what is changed may be given to any group of the company.
  const isUpdating = operations.some(({ operation }) => operation.name === 'update');
  const given = isUpdating && !isAdding ? await deps.directory.groups.list(companyId) : [];
  const groupIds = isAdding ? groupIdsIn(owner?.memberships ?? []) : given.map(({ id }) => id);
  return { ...administrator, userId: ownerId ?? 0, groupIds, sees: [...sees] };
}

/** Without groups, those of whoever writes would be meant, and an administrator has none. */
function requireGroups({ operation, items, field }: OperationRequest): void {
  if (operation.name !== 'update') return;
  for (const [index, item] of items.entries()) {
    const { scopeType, groupIds } = (item ?? {}) as { readonly scopeType?: unknown; readonly groupIds?: unknown };
    const isForGroups = Number(scopeType) === scope.group || (groupIds !== undefined && scopeType === undefined);
    if (!isForGroups || (groupIds !== undefined && /[1-9]/.test(String(groupIds)))) continue;
    throw new ServiceError(
      131,
      `${field}[${index}].groupIds: expected the groups that the record is for, as an administrator is in none.`,
    );
  }
}

/** How many records are looked up at once. */
const lookedUpMax = 100;

/** Who may see the records that the operation changes or deletes; those that do not exist fail in the batch itself. */
async function audiencesOf(
  { data }: WriteDeps,
  administrator: Requester,
  { operation, objectName, items }: OperationRequest,
): Promise<ReadonlySet<string>> {
  const audiences = new Set<string>();
  if (operation.name === 'add') return audiences;
  const ids = items.flatMap((item) => {
    const id = (item as { readonly objectId?: unknown } | null)?.objectId;
    return typeof id === 'string' && id !== '' ? [id] : [];
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

interface KeptEntry {
  readonly actor: Actor;
  readonly action: AuditedAction;
}

/** @returns the number of the intent */
async function noteIntent(
  { storage: { directory }, environment }: WriteDeps,
  actor: Actor,
  spaceId: number,
  transactionId: string,
  action: AuditedAction,
): Promise<number> {
  const kept: KeptEntry = { actor, action };
  const values = {
    time: environment.now(),
    space_id: spaceId,
    transaction_id: transactionId,
    entry: JSON.stringify(kept),
  };
  const [written] = await directory.write([directory.build.insertInto('record_intent').values(values).returning('id')]);
  return Number(written?.rows[0]?.id);
}

/** Writes the entries in place of the intent, unless another process has settled it meanwhile. */
async function settle(
  { storage: { directory } }: WriteDeps,
  intent: number,
  entries: readonly WriteStatement[],
): Promise<void> {
  try {
    await directory.write([
      expectOne(directory.build.deleteFrom('record_intent').where('id', '=', intent)),
      ...entries,
    ]);
  } catch (error) {
    if (!(error instanceof UnmetExpectation)) throw error;
  }
}

function ownerOf({ detail }: AuditedAction): unknown {
  return detail?.ownerId ?? 0;
}

/** Gives every write that a process left behind its entry, or takes its intent away where it did not happen. */
async function settleIntents(deps: WriteDeps): Promise<void> {
  const { storage, environment, data, settings, log } = deps;
  const { directory } = storage;
  const before = environment.now() - settings.writeTimeMs - intentMs;
  const left = await directory.read(
    directory.build.selectFrom('record_intent').selectAll().where('time', '<', before).orderBy('id').limit(1_000),
  );
  for (const { id, space_id: spaceId, transaction_id: transactionId, entry } of left) {
    const { actor, action } = JSON.parse(entry) as KeptEntry;
    const kept = await transactionOf(data, Number(spaceId), transactionId);
    const happened = kept !== null && kept.userId === ownerOf(action);
    await settle(deps, Number(id), happened ? [auditEntry(deps, actor, action)] : []);
    log.warn(
      { transactionId, happened },
      `A write by ${quoted(actor.kind)} was interrupted; its audit entry is settled.`,
    );
  }
}

const everyMs = 60_000;

/** Settles what earlier processes left behind, and goes on to do so. @returns a function that stops it */
export async function startSettlingIntents(deps: WriteDeps): Promise<() => Promise<void>> {
  const settleAll = () =>
    settleIntents(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'Interrupted writes could not be settled.'),
    );
  let running = settleAll();
  await running;
  const timer = setInterval(() => {
    running = running.then(settleAll);
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

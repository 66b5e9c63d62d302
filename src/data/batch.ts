/**
 * Writes a batch (docs/reference/writing.md#one-batch-all-or-nothing): definition → prepared items → one transaction in
 * the engine, which checks first the history, then the lock, and then writes → results. Add, update, delete and put differ
 * only in how they prepare an item. A batch has one operation, or several on any tables.
 */
import type { TableRight } from '../caller.ts';
import { type Code, ServiceError } from '../errors.ts';
import type { SpaceDefinition, Table } from '../schema/model.ts';
import type { Change, TableChange, WriteBatch } from '../storage/contract.ts';
import { refuseUnstorable } from '../text.ts';
import { answer, type BatchResult, batchFailure, type ItemError } from './batch-answer.ts';
import { hashOf } from './batch-hash.ts';
import type { DataContext } from './context.ts';
import { requireTableRight } from './table-rights.ts';
import { tableOf } from './tables.ts';
import { membersOfCaller, type Requester } from './visibility.ts';

export interface BatchRequest {
  readonly transactionId?: string;
  /** Whether the request is one operation, or a list of them. */
  readonly form: 'one' | 'several';
  /** In the order in which they take effect. */
  readonly operations: readonly OperationRequest[];
  /** Refuses members of items that would be ignored, and empty text that counts as absent. */
  readonly strict: boolean;
  /** Estimated memory for a large body, bytes. */
  readonly weightBytes?: number;
}

/** What a batch does to one table. */
export interface OperationRequest {
  readonly operation: Operation;
  readonly objectName: string;
  /** For a put: the columns of the unique index by which it finds records; absent for objectId. */
  readonly by?: readonly string[];
  readonly items: readonly unknown[];
  /** The path of its members in the request, for error messages: '' or `operations[2].`. */
  readonly path: string;
  /** The path of the array of its items: `data`, `operations[2].data`. */
  readonly field: string;
}

/** One kind of operation. */
export interface Operation {
  readonly name: Change['operation'];
  /** What the caller must be permitted to do to records of the table. */
  readonly rights: readonly TableRight[];
  /** For a batch of one operation: the name of the array in the request. */
  readonly field: string;
  /** For a batch of one operation: the codes for a malformed item and for a failed transaction. */
  readonly codes: Codes;
  /** Removes unread members from the items. */
  prepare(context: DataContext, caller: Requester, table: Table, request: PrepareRequest): Prepared | Promise<Prepared>;
}

interface Codes {
  readonly invalid: Code;
  readonly unsaved: Code;
}

const codesOfSeveral: Codes = { invalid: 131, unsaved: 210 };

export interface PrepareRequest extends Pick<OperationRequest, 'items' | 'field' | 'path' | 'by'> {
  readonly strict: boolean;
  /** Code of a malformed item. */
  readonly invalid: Code;
  /** What the operations on this table named before: ids of records, or the values of these columns. */
  seen(columns?: readonly string[]): Set<string>;
}

/** `errors` has one entry per item, null for a valid one; the change counts only when all are null. */
export interface Prepared {
  readonly change: Change;
  readonly errors: readonly (ItemError | null)[];
}

/** A batch of one operation. */
export function batchOf(
  operation: Operation,
  {
    objectName,
    items,
    by,
    ...rest
  }: Pick<OperationRequest, 'objectName' | 'items' | 'by'> & Omit<BatchRequest, 'form' | 'operations'>,
): BatchRequest {
  const { field } = operation;
  const one = { operation, objectName, items, path: '', field, ...(by === undefined ? {} : { by }) };
  return { form: 'one', operations: [one], ...rest };
}

/** How often a batch is prepared again after a change of the definition. */
const attemptsMax = 100;
const transactionIdMax = 200;

/**
 * @throws ServiceError `forbidden`, `noTable`; 131/198 for bad items, 130 for the lock, 211 for a known transaction id (with
 *   `results` as docs/reference/writing.md#one-batch-all-or-nothing says); 210/220 when it could not be saved
 */
export async function writeBatch(
  context: DataContext,
  caller: Requester,
  request: BatchRequest,
): Promise<BatchResult[]> {
  const { operations } = request;
  for (const { objectName, path } of operations) refuseUnstorable(`${path}objectName`, objectName);
  // Permission is checked before the history: a replay of what is no longer permitted is refused, too.
  for (const { operation, objectName } of operations) {
    for (const right of operation.rights) requireTableRight(caller, right, objectName);
  }
  const codes = request.form === 'one' ? (operations[0] as OperationRequest).operation.codes : codesOfSeveral;
  const { spaces } = context.storage;
  const transactionId = transactionIdOf(request);
  const requestHash = transactionId === null ? '' : await hashOf(caller, request);
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const definition = await saving(codes, spaces.definition(caller.spaceId));
    const ready = await makeReady(context, caller, request, codes, definition);
    // The request may fit the tables that another instance has defined meanwhile.
    if (ready instanceof ServiceError && (await saving(codes, spaces.refresh(caller.spaceId))) !== definition) continue;
    if (ready instanceof ServiceError && transactionId === null) throw ready;
    const refused = ready instanceof ServiceError;
    const batch: WriteBatch = {
      definitionVersion: definition.version,
      transactionId,
      requestHash,
      now: context.environment.now(),
      userId: caller.writerId ?? caller.userId,
      groupIds: caller.groupIds,
      roleIds: caller.memberships.map(({ roleId }) => roleId),
      members: membersOfCaller(caller),
      changes: refused ? [] : ready,
      refused,
      ...(request.weightBytes === undefined ? {} : { weightBytes: request.weightBytes }),
    };
    const outcome = await saving(codes, spaces.write(caller.spaceId, batch));
    if (outcome.kind === 'stale') continue;
    if (outcome.kind === 'refused') throw ready;
    return answer(context, caller, request, outcome);
  }
  throw new ServiceError('busy', 'The tables kept changing meanwhile; send the batch again.', {
    status: 503,
    retryAfterSeconds: 1,
  });
}

/** The refusal of a batch with more items than one may have; otherwise null. */
export function tooManyItems(
  { settings: { batchItemsMax } }: Pick<DataContext, 'settings'>,
  { form, operations }: Pick<BatchRequest, 'form' | 'operations'>,
  invalid: Code,
): ServiceError | null {
  const count = operations.reduce((sum, { items }) => sum + items.length, 0);
  if (count <= batchItemsMax) return null;
  const field = form === 'one' ? (operations[0] as OperationRequest).field : 'operations';
  const expected = `expected at most ${batchItemsMax} items (setting batchItemsMax)`;
  return new ServiceError(invalid, `${field}: ${expected}, got ${count}.`);
}

async function makeReady(
  context: DataContext,
  caller: Requester,
  request: BatchRequest,
  { invalid }: Codes,
  definition: SpaceDefinition,
): Promise<TableChange[] | ServiceError> {
  const { operations, strict } = request;
  const onlyDeletes = operations.every(({ operation }) => operation.name === 'delete');
  const isFull = onlyDeletes ? null : context.quota.storageRefusal(caller.companyId);
  if (isFull !== null) return isFull;
  const tooMany = tooManyItems(context, request, invalid);
  if (tooMany !== null) return tooMany;
  const seen = new Map<string, Set<string>>();
  const changes: TableChange[] = [];
  const errors: (ItemError | null)[] = [];
  try {
    for (const one of operations) {
      const table = tableOf(definition, one.objectName);
      const seenIn = (columns: readonly string[] = []) => {
        const name = [table.name, ...columns].join(',');
        return seen.get(name) ?? (seen.set(name, new Set()).get(name) as Set<string>);
      };
      const prepared = one.operation.prepare(context, caller, table, { ...one, strict, invalid, seen: seenIn });
      const { change, errors: found } = prepared instanceof Promise ? await prepared : prepared;
      changes.push({ table: table.name, ...change });
      for (const error of found) errors.push(error);
    }
    return errors.some((error) => error !== null) ? batchFailure(request, errors) : changes;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * Storage faults become the operation's own code; the cause is kept for the log. After a thread crashed, or a disk
 * failed at the end of a commit, it is unknown whether the batch is saved; sending it again with its transaction id shows
 * which.
 */
async function saving<Result>({ unsaved }: Codes, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'internal') throw error;
    const advice = 'send it again with its transactionId, and it is written at most once';
    throw new ServiceError(unsaved, `The batch could not be saved: ${advice}.`, { cause: error });
  }
}

function transactionIdOf(request: BatchRequest): string | null {
  const id = request.transactionId;
  if (id === undefined || id === '') return null;
  refuseUnstorable('transactionId', id);
  if (id.length > transactionIdMax) {
    throw new ServiceError(
      'malformed',
      `transactionId: expected at most ${transactionIdMax} characters, got ${id.length}.`,
    );
  }
  return id;
}

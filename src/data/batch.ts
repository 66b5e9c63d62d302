/**
 * Writes a batch (docs/reference/writing.md#one-batch-all-or-nothing): definition → prepared items → one transaction in
 * the engine, which checks first the history, then the lock, and then writes → results. Add, update and delete differ
 * only in how they prepare an item.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import type { Caller } from '../caller.ts';
import { type Code, ServiceError } from '../errors.ts';
import { canonicalJson } from '../schema/canonical-json.ts';
import { indexEntryBytesMax } from '../schema/index-entry.ts';
import type { SpaceDefinition, Table } from '../schema/model.ts';
import { formatInstant } from '../schema/time.ts';
import type { Change, ItemFailure, WriteBatch, WriteOutcome, WrittenItem } from '../storage/contract.ts';
import { refuseUnstorable } from '../text.ts';
import { inTimeSlices } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import { requireTableRight } from './table-rights.ts';
import { tableOf } from './tables.ts';
import { membersOfCaller } from './visibility.ts';

export interface BatchRequest {
  readonly transactionId?: string;
  readonly objectName: string;
  readonly items: readonly unknown[];
  /** Refuses members of items that would be ignored, and empty text that counts as absent. */
  readonly strict: boolean;
  /** Estimated bytes of memory that a large body takes. */
  readonly weightBytes?: number;
}

export interface BatchResult {
  readonly objectId: string;
  readonly serverCreateTime: string;
  readonly serverUpdateTime: string;
}

/** Why one item cannot be written. */
export interface ItemError {
  readonly code: Code;
  /** HTTP status where it differs from the code's own. */
  readonly status?: number;
  readonly description: string;
}

/** One kind of batch. */
export interface Operation {
  readonly name: Change['operation'];
  /** Name of the array in the request, for error messages. */
  readonly field: string;
  /** Code of a malformed item. */
  readonly invalid: Code;
  /** Code of a transaction that failed. */
  readonly unsaved: Code;
  /** Members of items that are not read are removed from them. */
  prepare(
    context: DataContext,
    caller: Caller,
    table: Table,
    request: Pick<BatchRequest, 'items' | 'strict'>,
  ): Prepared | Promise<Prepared>;
}

/** `errors` has one entry per item, null for a valid one; the change counts only when all are null. */
export interface Prepared {
  readonly change: Change;
  readonly errors: readonly (ItemError | null)[];
}

/** How often a batch is prepared again because the definition was changed meanwhile. */
const attemptsMax = 100;
const transactionIdMax = 200;

/**
 * @throws ServiceError `forbidden`, `noTable`; 131/198 for bad items, 130 for the lock, 211 for a known transaction id (with
 *   `results` as docs/reference/writing.md#one-batch-all-or-nothing says); 210/220 when it could not be saved
 */
export async function writeBatch(
  context: DataContext,
  caller: Caller,
  operation: Operation,
  request: BatchRequest,
): Promise<BatchResult[]> {
  refuseUnstorable('objectName', request.objectName);
  // Permission is checked before the history: a replay of what is no longer permitted is refused, too.
  requireTableRight(caller, operation.name, request.objectName);
  const { spaces } = context.storage;
  const transactionId = transactionIdOf(request);
  const requestHash = transactionId === null ? '' : await hashOf(operation, caller, request);
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const definition = await saving(operation, spaces.definition(caller.spaceId));
    const ready = await makeReady(context, caller, operation, request, definition);
    // The request may fit the tables that another instance has defined meanwhile.
    if (ready instanceof ServiceError && (await saving(operation, spaces.refresh(caller.spaceId))) !== definition)
      continue;
    if (ready instanceof ServiceError && transactionId === null) throw ready;
    const refused = ready instanceof ServiceError;
    const batch: WriteBatch = {
      table: request.objectName,
      definitionVersion: definition.version,
      transactionId,
      requestHash,
      now: context.environment.now(),
      userId: caller.userId,
      groupIds: caller.groupIds,
      roleIds: caller.memberships.map(({ roleId }) => roleId),
      members: membersOfCaller(caller),
      change: refused ? { operation: operation.name, items: [] } : ready,
      refused,
      ...(request.weightBytes === undefined ? {} : { weightBytes: request.weightBytes }),
    };
    const outcome = await saving(operation, spaces.write(caller.spaceId, batch));
    if (outcome.kind === 'stale') continue;
    if (outcome.kind === 'refused') throw ready;
    return answer(context, operation, request, transactionId, outcome);
  }
  throw new ServiceError('busy', 'The tables were changed again and again meanwhile; send the batch again.', {
    status: 503,
    retryAfterSeconds: 1,
  });
}

async function makeReady(
  context: DataContext,
  caller: Caller,
  operation: Operation,
  request: BatchRequest,
  definition: SpaceDefinition,
): Promise<Change | ServiceError> {
  const { batchItemsMax } = context.settings;
  const isFull = operation.name === 'delete' ? null : context.quota.storageRefusal(caller.companyId);
  if (isFull !== null) return isFull;
  if (request.items.length > batchItemsMax) {
    return new ServiceError(
      operation.invalid,
      `${operation.field}: expected at most ${batchItemsMax} items (setting batchItemsMax), got ${request.items.length}.`,
    );
  }
  try {
    const table = tableOf(definition, request.objectName);
    const { change, errors } = await operation.prepare(context, caller, table, request);
    return errors.some((error) => error !== null) ? batchFailure(request, errors) : change;
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
async function saving<Result>(operation: Operation, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'internal') throw error;
    const advice = 'send it again with its transactionId, and it is written once at most';
    throw new ServiceError(operation.unsaved, `The batch could not be saved: ${advice}.`, { cause: error });
  }
}

function answer(
  context: DataContext,
  operation: Operation,
  request: BatchRequest,
  transactionId: string | null,
  outcome: Exclude<WriteOutcome, { kind: 'stale' | 'refused' }>,
): BatchResult[] {
  switch (outcome.kind) {
    case 'done':
      return results(context, outcome.items);
    case 'replay': {
      const same = outcome.items !== null;
      throw new ServiceError(
        211,
        same
          ? `transactionId: "${transactionId}" was already processed; results holds what it answered then.`
          : `transactionId: "${transactionId}" was already processed, for another request; nothing was written.`,
        { results: same ? results(context, outcome.items) : [] },
      );
    }
    case 'failed':
      throw batchFailure(
        request,
        outcome.failures.map((failure, index) => failure && itemError(operation, failure, index)),
      );
  }
}

function results(context: DataContext, items: readonly WrittenItem[]): BatchResult[] {
  return items.map(({ objectId, created, updated }) => ({
    objectId,
    serverCreateTime: formatInstant(created, context.zone),
    serverUpdateTime: formatInstant(updated, context.zone),
  }));
}

/** The first failing item's code, and one result per item in order (docs/reference/writing.md#one-batch-all-or-nothing). */
function batchFailure(request: BatchRequest, errors: readonly (ItemError | null)[]): ServiceError {
  const first = errors.find((error) => error !== null) as ItemError;
  const perItem = errors.map((error, index) =>
    error === null
      ? { objectId: sentId(request.items[index]), serverCreateTime: null, serverUpdateTime: null }
      : { objectId: '-1', errCode: error.code, description: error.description },
  );
  const failed = errors.filter((error) => error !== null).length;
  const more = failed > 1 ? ` (${failed} of ${errors.length} items failed; see results)` : '';
  return new ServiceError(first.code, `${first.description} Nothing was written${more}.`, {
    results: perItem,
    ...(first.status === undefined ? {} : { status: first.status }),
  });
}

function sentId(item: unknown): string | null {
  const id = (item as { objectId?: unknown } | null)?.objectId;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

function itemError(operation: Operation, failure: ItemFailure, index: number): ItemError {
  const at = `${operation.field}[${index}]`;
  switch (failure.reason) {
    case 'noRecord':
      return { code: 130, description: `${at}.objectId: there is no such record that you may see.` };
    case 'changed':
      return {
        code: 130,
        status: 409,
        description: `${at}.serverUpdateTime: the record was changed since you read it; read it again.`,
      };
    case 'duplicateId':
      return { code: 131, description: `${at}.objectId: a record with this id exists already.` };
    case 'duplicateValue':
      return {
        code: 131,
        description: `${at}: another record has the same value of the unique ${failure.columns.join(', ')}.`,
      };
    case 'foreignGroup':
      return { code: 131, description: `${at}.groupIds: you are not in group ${failure.groupId}.` };
    case 'indexTooLarge':
      return { code: 131, description: tooLargeForIndex(at, failure.columns, failure.bytes) };
  }
}

function tooLargeForIndex(at: string, columns: readonly string[], bytes: number): string {
  const names = columns.length === 0 ? 'groupIds' : columns.join(', ');
  return `${at}.${names}: too long for the index on it: with objectId and groups its entry would have ${bytes} bytes, and ${indexEntryBytesMax} fit.`;
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

/** A long request is hashed in portions of so many characters. */
const hashedCharacters = 64 * 1024;

/** SHA-256 of the canonical JSON of `[operation, user, table, items]`. */
async function hashOf(operation: Operation, caller: Caller, { objectName, items }: BatchRequest): Promise<string> {
  let text = `${canonicalJson([operation.name, caller.userId, objectName]).slice(0, -1)},[`;
  let hashed: Hash | undefined;
  await inTimeSlices(items.length, (index) => {
    text += `${index === 0 ? '' : ','}${canonicalJson(items[index])}`;
    if (text.length < hashedCharacters) return;
    hashed ??= createHash('sha256');
    hashed.update(text);
    text = '';
  });
  text += ']]';
  return hashed === undefined ? hash('sha256', text) : hashed.update(text).digest('hex');
}

/**
 * The answer to a batch: one result for each item of all its operations, in order
 * (docs/reference/writing.md#one-batch-all-or-nothing).
 */
import { type Code, ServiceError } from '../errors.ts';
import { indexEntryBytesMax } from '../schema/index-entry.ts';
import { formatInstant } from '../schema/time.ts';
import type { ItemFailure, WriteOutcome, WrittenItem } from '../storage/contract.ts';
import type { BatchRequest, OperationRequest } from './batch.ts';
import type { DataContext } from './context.ts';
import { notInGroup, type Requester } from './visibility.ts';

export interface BatchResult {
  readonly objectId: string;
  readonly serverCreateTime: string;
  readonly serverUpdateTime: string;
  /** Of a put. */
  readonly outcome?: 'added' | 'updated';
}

/** Why one item cannot be written. */
export interface ItemError {
  readonly code: Code;
  /** HTTP status where it differs from the code's own. */
  readonly status?: number;
  readonly description: string;
}

/** @throws ServiceError with `results` for any outcome but success */
export function answer(
  context: DataContext,
  caller: Pick<Requester, 'subject'>,
  request: BatchRequest,
  outcome: Exclude<WriteOutcome, { kind: 'stale' | 'refused' }>,
): BatchResult[] {
  switch (outcome.kind) {
    case 'done':
      return results(context, request, outcome.items);
    case 'replay': {
      const same = outcome.items !== null;
      const { transactionId } = request;
      throw new ServiceError(
        211,
        same
          ? `transactionId: "${transactionId}" was already processed; results holds what it answered then.`
          : `transactionId: "${transactionId}" was already processed, for another request; nothing was written.`,
        { results: same ? results(context, request, outcome.items) : [] },
      );
    }
    case 'failed': {
      const located = locatedItems(request);
      throw batchFailure(
        request,
        outcome.failures.map((failure, index) => failure && itemError(located[index] as LocatedItem, failure, caller)),
      );
    }
  }
}

function results(context: DataContext, request: BatchRequest, items: readonly WrittenItem[]): BatchResult[] {
  const times = items.map(({ objectId, created, updated }) => ({
    objectId,
    serverCreateTime: formatInstant(created, context.zone),
    serverUpdateTime: formatInstant(updated, context.zone),
  }));
  if (request.operations.every(({ operation }) => operation.name !== 'put')) return times;
  return locatedItems(request).map(({ operation }, index) => {
    const result = times[index] as BatchResult;
    if (operation.name !== 'put') return result;
    const { created, updated } = items[index] as WrittenItem;
    // An updated record's update time is later than its creation time.
    return { ...result, outcome: created === updated ? 'added' : 'updated' };
  });
}

/** The first failing item's code, and one result per item in order. */
export function batchFailure(request: BatchRequest, errors: readonly (ItemError | null)[]): ServiceError {
  const items = request.operations.flatMap((operation) => operation.items);
  const first = errors.find((error) => error !== null) as ItemError;
  const perItem = errors.map((error, index) =>
    error === null
      ? { objectId: sentId(items[index]), serverCreateTime: null, serverUpdateTime: null }
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

/** The position of an item in the request. */
interface LocatedItem extends OperationRequest {
  /** `data[1]`. */
  readonly at: string;
}

function locatedItems({ operations }: BatchRequest): LocatedItem[] {
  return operations.flatMap((operation) => {
    return operation.items.map((_, index) => ({ ...operation, at: `${operation.field}[${index}]` }));
  });
}

function itemError(
  { operation, at }: LocatedItem,
  failure: ItemFailure,
  caller: Pick<Requester, 'subject'>,
): ItemError {
  switch (failure.reason) {
    case 'noRecord': {
      const description =
        operation.name === 'put'
          ? `${at}.serverUpdateTime: there is no such record; leave the time out to add it.`
          : `${at}.objectId: there is no such record that you may see.`;
      return { code: 130, description };
    }
    case 'changed':
      return {
        code: 130,
        status: 409,
        description: `${at}.serverUpdateTime: the record was changed since you read it; read it again.`,
      };
    case 'noBase':
      return {
        code: 130,
        status: 409,
        description: `${at}.serverUpdateTime: the record already exists; send the serverUpdateTime that you read last.`,
      };
    case 'repeated':
      return { code: 131, description: `${at}: the batch names the record with this key more than once.` };
    case 'unfit':
      return { code: 131, description: `${at}.${failure.field}: ${failure.message}` };
    case 'duplicateId':
      return { code: 131, description: `${at}.objectId: a record with this id already exists.` };
    case 'duplicateValue':
      return {
        code: 131,
        description: `${at}: another record has the same value of the unique ${failure.columns.join(', ')}.`,
      };
    case 'foreignGroup':
      return { code: 131, description: `${at}.groupIds: ${notInGroup(caller, failure.groupId)}` };
    case 'indexTooLarge':
      return { code: 131, description: tooLargeForIndex(at, failure.columns, failure.bytes) };
  }
}

function tooLargeForIndex(at: string, columns: readonly string[], bytes: number): string {
  const names = columns.length === 0 ? 'groupIds' : columns.join(', ');
  return `${at}.${names}: too long for the index on it: with objectId and groups its entry would have ${bytes} bytes, and ${indexEntryBytesMax} fit.`;
}

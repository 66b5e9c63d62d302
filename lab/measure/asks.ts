/**
 * The same work in the protocol of each server under test: the bytes of its requests, and the content of its answers to
 * writes.
 */
import { httpRequest } from '../client/messages.ts';
import type { Space as OfService } from '../service/spaces.ts';
import { countForm, objectIdOf, pageForm, type Record, tableName } from './workload.ts';

/** For peers, a dummy without tokens. */
export interface Space extends OfService {
  /** Token of a user who sees only the records of the second group. */
  readonly tokenOfFew: string;
  /** Name of its file, if it has one. */
  readonly file?: string;
}

export interface Target {
  readonly asks: Asks;
  readonly spaces: readonly Space[];
}

export interface Asks {
  /** Gets the record of the n-th row. */
  get(space: Space, row: number): string;
  /** Queries twenty records of the n-th category, in the order of their sale, each with its category. */
  page(space: Space, category: number): string;
  count(space: Space, category: number): string;
  /** Adds one batch, all or nothing, with its own transaction id if the server supports that. */
  add(space: Space, records: readonly Record[]): string;
  update(space: Space, written: Written, quantity: number): string;
  /** @param body of an answer to an add of one record, or to an update of `before` */
  written(body: string, before: Written | undefined): Written;
}

/** A record as its last writer knows it. */
export interface Written {
  readonly objectId: string;
  /** To be sent with the next update, if the server has an optimistic lock. */
  readonly lock: string;
}

let transactions = 0;

/** Different for every call, also over several runs against one server. */
export function newTransactionId(): string {
  return `bench-${process.pid}-${transactions++}`;
}

/** Requests for the service, and for the floors, which answer the same ones. */
export const serviceAsks: Asks = {
  get: ({ prefix, token }, row) => httpRequest('GET', `${prefix}/data/${tableName}/${objectIdOf(row)}`, token),
  page: (space, category) => post(space, `/data/query/${tableName}`, pageForm(category)),
  count: (space, category) => post(space, `/data/query/${tableName}/count`, countForm(category)),
  add: (space, records) => post(space, '/data/batch/addData', batch(records)),
  update: (space, written, quantity) => post(space, '/data/batch/updateData', updateOf(written, quantity)),
  written: firstResult,
};

function post({ prefix, token }: Space, path: string, body: object): string {
  return httpRequest('POST', `${prefix}${path}`, token, JSON.stringify(body));
}

function batch(data: readonly Record[]): object {
  return { transactionId: newTransactionId(), objectName: tableName, data };
}

function updateOf({ objectId, lock }: Written, quantity: number): object {
  return batch([{ objectId, serverUpdateTime: lock, quantity: String(quantity) }]);
}

function firstResult(body: string): Written {
  const { results } = JSON.parse(body);
  return { objectId: results[0].objectId, lock: results[0].serverUpdateTime };
}

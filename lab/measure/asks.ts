/** The same work in the words of each server under test: the bytes of its requests, and what its answers to writes say. */
import { httpRequest } from '../client/messages.ts';
import type { Space as OfService } from '../service/spaces.ts';
import { countForm, objectIdOf, pageForm, type Record, tableName } from './workload.ts';

/** Peers have one without tokens. */
export interface Space extends OfService {
  /** Of a user who sees the records of the second group only. */
  readonly tokenOfFew: string;
  /** Name of its file, where it has one. */
  readonly file?: string;
}

export interface Target {
  readonly asks: Asks;
  readonly spaces: readonly Space[];
}

export interface Asks {
  /** The record of the n-th row. */
  get(space: Space, row: number): string;
  /** Twenty records of the n-th category, in the order of their sale, each with its category. */
  page(space: Space, category: number): string;
  count(space: Space, category: number): string;
  /** One batch, all or nothing, with a transaction id of its own where the server knows such a thing. */
  add(space: Space, records: readonly Record[]): string;
  update(space: Space, written: Written, quantity: number): string;
  /** @param body of an answer to an add of one record, or to an update of `before` */
  written(body: string, before: Written | undefined): Written;
}

/** A record as its last writer knows it. */
export interface Written {
  readonly objectId: string;
  /** What has to be sent with the next update, where the server has an optimistic lock. */
  readonly lock: string;
}

let transactions = 0;

/** Different for every call, also over several runs against one server. */
export function newTransactionId(): string {
  return `bench-${process.pid}-${transactions++}`;
}

/** How the service is asked, and the floors, which answer the same requests. */
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

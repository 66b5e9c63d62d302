/** The same work in the words of each server under test: the bytes of its requests, and what its answers to writes say. */
import type { Space as OfService } from '../service/spaces.ts';
import type { Record } from './workload.ts';

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

/** The requests with which most tests begin, as functions that require success. */
import assert from 'node:assert/strict';
import { assertEnvelope } from './cases.ts';
import type { Answer } from './client.ts';
import { isRecord, valueAt } from './match.ts';
import type { Who, World } from './world.ts';

/** A body of the expression query. */
export interface QueryBody {
  readonly from: { readonly phyName: string; readonly alias: string };
  readonly join?: readonly object[];
  readonly where?: object;
  readonly orderBy?: readonly object[];
  readonly range?: object;
}

export type Row = Record<string, string | null>;

export interface WrittenItem {
  readonly objectId: string;
  readonly serverCreateTime: string;
  readonly serverUpdateTime: string;
}

export async function defineTables(world: World, who: Who, tables: readonly object[]): Promise<void> {
  succeeded(await send(world, who, 'POST', 'schemas', { tables }));
}

/** Adds records in one batch. @returns the results */
export async function addRecords(
  world: World,
  who: Who,
  objectName: string,
  data: readonly object[],
): Promise<WrittenItem[]> {
  const answer = succeeded(await send(world, who, 'POST', 'data/batch/addData', { objectName, data }));
  return valueAt(answer.json, 'results') as WrittenItem[];
}

export async function getRecord(world: World, who: Who, table: string, objectId: string): Promise<Row> {
  const answer = await send(world, who, 'GET', `data/${table}/${encodeURIComponent(objectId)}`);
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return valueAt(answer.json, `${table}.0`) as Row;
}

/** An expression query. @returns the arrays of its aliases */
export async function select(world: World, who: Who, body: QueryBody): Promise<Record<string, Row[]>> {
  const answer = await send(world, who, 'POST', `data/query/${body.from.phyName}`, body);
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  assert.ok(isRecord(answer.json));
  return answer.json as Record<string, Row[]>;
}

export async function countOf(world: World, who: Who, body: QueryBody): Promise<number> {
  const answer = succeeded(await send(world, who, 'POST', `data/query/${body.from.phyName}/count`, body));
  return valueAt(answer.json, 'count') as number;
}

/** The objectIds under an alias, in order. */
export function idsOf(arrays: Record<string, Row[]>, alias: string): (string | null)[] {
  return (arrays[alias] ?? []).map((row) => row.objectId ?? null);
}

export function send(world: World, who: Who, method: string, path: string, body?: object): Promise<Answer> {
  return world.call(method, `${world.prefixOf(who)}/${path}`, {
    token: world.token(who),
    ...(body === undefined ? {} : { body }),
  });
}

function succeeded(answer: Answer): Answer {
  assert.equal(answer.status, 200, answer.text.slice(0, 1000));
  assertEnvelope(answer, 0);
  return answer;
}

/** Runs black-box cases given as plain data: one request each, what its answer must contain, and what it must not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from './client.ts';
import { assertDocumented, operationAt } from './documented.ts';
import { assertMatches, isRecord, valueAt } from './match.ts';
import { filled } from './names.ts';
import type { Who, World } from './world.ts';

export interface Case {
  readonly name: string;
  /** Whose token is sent; 'nobody' sends none. */
  readonly as?: Who | 'nobody';
  /** A token of no known user (`{{anonymous}}`, `garbage`), instead of `as`. */
  readonly token?: string;
  readonly method: string;
  /** `/…` is used unchanged; anything else is appended to the prefix of company 1. */
  readonly path: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** HTTP status; by default the code's one in docs/reference/codes.md#all-codes. */
  readonly status?: number;
  /** The envelope's errCode; 'bare' for a success without an envelope. */
  readonly code: number | 'bare';
  readonly has?: readonly (string | RegExp)[];
  readonly hasNot?: readonly (string | RegExp)[];
  /** Partial match (see match.ts). */
  readonly json?: unknown;
  /** The exact answer. */
  readonly exact?: unknown;
  /** Names under which values of the answer are stored for later cases: name → dotted path. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Moves the server's clock by this many milliseconds, for this case only. */
  readonly later?: number;
}

/** docs/reference/codes.md#all-codes, the column HTTP. 130 is 404 or 409, so a case states it. */
export const statusOfCode: Readonly<Record<number, number>> = {
  0: 200,
  101: 404,
  102: 404,
  104: 401,
  105: 404,
  106: 404,
  110: 401,
  111: 401,
  112: 401,
  113: 400,
  114: 400,
  115: 400,
  116: 400,
  117: 502,
  119: 403,
  120: 401,
  121: 401,
  122: 403,
  131: 400,
  132: 400,
  160: 401,
  161: 409,
  163: 401,
  198: 400,
  199: 404,
  201: 500,
  202: 404,
  206: 500,
  210: 500,
  211: 409,
  212: 500,
  220: 500,
};

/** Texts that no answer may contain, because they would reveal internals. */
const inside: readonly RegExp[] = [
  /node_modules/,
  /\bat [\w.<>]+ \(/,
  /\.ts:\d+/,
  /SQLITE/,
  /sqlite_master/,
  /UNIQUE constraint/i,
  /no such (table|column):/i,
  /syntax error/i,
  /near "/,
  /\[object Object\]/,
  /\bundefined\b/,
];

/** Declares one test for each case; they run in their order, so that later ones can use what earlier ones stored. */
export function runCases(world: () => World, cases: readonly Case[]): void {
  const seen = new Set<string>();
  for (const item of cases) {
    assert.ok(!seen.has(item.name), `Two cases have the name "${item.name}".`);
    seen.add(item.name);
    test(item.name, async () => {
      await runCase(world(), item);
    });
  }
}

/** Sends one case and checks its answer. */
export async function runCase(world: World, item: Case): Promise<Answer> {
  const names = world.names;
  const who = item.token === undefined ? (item.as ?? 'alice') : 'nobody';
  const token =
    item.token === undefined ? (who === 'nobody' ? undefined : world.token(who)) : filled(item.token, names);
  const path = filled(item.path, names);
  world.clock.offsetMs += item.later ?? 0;
  try {
    const answer = await world.call(item.method, path.startsWith('/') ? path : `${world.prefix}/${path}`, {
      token,
      ...(item.body === undefined ? {} : { body: filled(item.body, names) }),
      ...(item.raw === undefined ? {} : { raw: typeof item.raw === 'string' ? filled(item.raw, names) : item.raw }),
      ...(item.headers === undefined ? {} : { headers: filled(item.headers, names) }),
    });
    judge(world, item, path.startsWith('/') ? path : `${world.prefix}/${path}`, who, answer);
    for (const [name, at] of Object.entries(item.keep ?? {})) {
      const value = valueAt(answer.json, at);
      assert.ok(value !== undefined && value !== null, `${at} is not in ${answer.text}`);
      names.set(name, String(value));
    }
    return answer;
  } finally {
    world.clock.offsetMs -= item.later ?? 0;
  }
}

function judge(world: World, item: Case, path: string, who: Who | 'nobody', answer: Answer): void {
  const context = `${item.method} ${item.path} → ${answer.status} ${answer.text.slice(0, 1500)}`;
  try {
    assertEnvelope(answer, item.code);
    assert.equal(answer.status, item.status ?? (item.code === 'bare' ? 200 : statusOfCode[item.code]), 'HTTP status');
    const operation = operationAt(item.method, path);
    if (operation !== undefined) assertDocumented(operation, answer, path);
    for (const text of item.has ?? []) assert.ok(contains(answer.text, filled(text, world.names)), `lacks ${text}`);
    for (const text of item.hasNot ?? []) assert.ok(!contains(answer.text, filled(text, world.names)), `has ${text}`);
    assertNothingForeign(world, who, answer);
    if (item.json !== undefined) assertMatches(answer.json, filled(item.json, world.names));
    if (item.exact !== undefined) assert.deepEqual(answer.json, filled(item.exact, world.names));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n  ${context}`, { cause: error });
  }
}

/** docs/reference/requests.md#the-envelope: description null on success, a text otherwise. */
export function assertEnvelope(answer: Answer, code: number | 'bare'): void {
  assert.match(String(answer.headers['content-type']), /^application\/json\b/, 'content type');
  assert.ok(isRecord(answer.json), 'The answer is not a JSON object.');
  if (code === 'bare') {
    assert.ok(!('errCode' in answer.json), 'A success of this operation has no envelope.');
    return;
  }
  assert.equal(answer.json.errCode, code, 'errCode');
  if (code === 0) {
    assert.equal(answer.json.status, 'OK');
    assert.equal(answer.json.description, null);
  } else {
    assert.equal(answer.json.status, 'error');
    assert.ok(typeof answer.json.description === 'string' && answer.json.description.length > 0, 'description');
  }
}

/** No answer may contain another caller's token, a canary hidden from the caller, or internals. */
export function assertNothingForeign(world: World, who: Who | 'nobody', answer: Answer): void {
  const text = answer.text + JSON.stringify(answer.headers);
  for (const secret of world.secrets) {
    if (who !== 'nobody' && secret.known.includes(who)) continue;
    assert.ok(!text.includes(secret.text), `The answer shows ${secret.what}.`);
  }
  if (answer.status < 400) return;
  for (const pattern of inside) assert.ok(!pattern.test(answer.text), `The answer shows the inside: ${pattern}`);
}

function contains(text: string, part: string | RegExp): boolean {
  return typeof part === 'string' ? text.includes(part) : part.test(text);
}

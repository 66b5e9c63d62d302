/** Requests of the client against a service that answers HTTP 200 to everything: kinds of errors, and what is sent again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as errors from '../../packages/client/src/errors.ts';
import { type Session, tokenSession } from '../../packages/client/src/session.ts';
import { createTransport, type TransportOptions } from '../../packages/client/src/transport.ts';
import type { Operations } from '../../packages/client/src/wire.ts';
import { codes } from '../../src/errors.ts';
import { type Service, start, stop } from './service.ts';

let service: Service<'alice' | 'bob'>;
before(async () => {
  const tables = [{ name: 'Job', columns: [{ colName: 'title', type: 'text' }] }];
  service = await start({ people: ['alice', 'bob'], tables, settings: { errorStatus: 'ok' } });
});
after(() => stop(service));

type Fetch = NonNullable<TransportOptions['fetch']>;

/** @param answer replaces the service, by the number of the request from 0; undefined lets the service answer */
function transportOf(
  answer: (number: number, init: RequestInit) => Response | Promise<Response> | undefined,
  more: object = {},
) {
  const waits: number[] = [];
  const tokens: unknown[] = [];
  const fetchOf: Fetch = async (input, init = {}) => {
    const own = answer(tokens.push((init.headers as Record<string, string>)['service-token']) - 1, init);
    return own ?? fetch(input, init);
  };
  const wait = async (ms: number) => void waits.push(ms);
  const { session = tokenSession(service.people.alice.token), ...options } = more as { session?: Session };
  const transport = createTransport(
    { ...service.place, fetch: fetchOf, wait, random: () => 0.5, ...options },
    () => session,
  );
  return { ...transport, waits, tokens };
}

const none = () => undefined;
const failure = (errCode: number, headers: Record<string, string> = {}, status = 503) =>
  new Response(JSON.stringify({ errCode, status: 'error', description: 'not now' }), { status, headers });
const record = { params: { objectName: 'Job', objectId: 'none' } };
const batch = (transactionId: string): { body: Operations['batch']['body'] } => ({
  body: { transactionId, operations: [{ op: 'add', objectName: 'Job', data: [{ title: 'a', scopeType: 1 }] }] },
});
const select = (source: string) => ({
  params: { objectName: 'Job' },
  body: { from: { phyName: 'Job', alias: 'j' }, where: { expression: { source } } },
});

test('the kind of an error follows its code, whatever the HTTP status', async () => {
  const { send } = transportOf(none);
  const cases = [
    [() => send('getRecord', record), errors.NotFound, 130, null],
    [() => send('getRecord', { params: { objectName: 'None', objectId: 'a' } }), errors.NotFound, 102, null],
    [() => send('select', select('#j.titel = 1')), errors.Invalid, 132, 'where.expression.source'],
    [() => send('sendLog', { body: { logLevel: 'LOUD' } }), errors.Invalid, 131, 'logLevel'],
    [() => send('getRecord', { ...record, token: '0'.repeat(64) }), errors.SignInRequired, 121, null],
    [() => send('describeTables', { token: service.people.bob.token }), errors.Forbidden, 122, null],
    [
      () => send('anonymousToken', { query: { appKey: 'none', deviceUDID: 'd' }, token: null }),
      errors.NotFound,
      101,
      null,
    ],
  ] as const;
  for (const [sent, kind, code, field] of cases) {
    await assert.rejects(sent(), (error) => {
      assert.ok(error instanceof kind, String(error));
      assert.deepEqual([error.code, error.status, error.field], [code, 200, field]);
      return true;
    });
  }
});

test('every code of the service has the kind stated in the reference', () => {
  const kinds: Record<string, readonly number[]> = {
    SignInRequired: [110, 120, 121],
    SignInRefused: [104, 111, 112, 113, 114, 115, 116, 117, 119, 160, 161, 163],
    Forbidden: [122],
    NotFound: [101, 102, 105, 106, 130, 199, 202],
    Invalid: [131, 132, 198],
    AlreadyProcessed: [211],
    ServiceFault: [201, 206, 210, 212, 220],
  };
  const kindOf = new Map(Object.entries(kinds).flatMap(([name, some]) => some.map((code) => [code, name])));
  for (const code of Object.keys(codes).map(Number)) {
    if (code !== 0) assert.equal(errors.errorOf({ code, status: 400, message: '' }).name, kindOf.get(code), `${code}`);
  }
});

test('a request refused as busy is sent again after the requested time', async () => {
  const busy = transportOf((number) => (number < 2 ? failure(212, { 'retry-after': '3' }, 200) : undefined));
  await assert.rejects(busy.send('getRecord', record), errors.NotFound);
  assert.deepEqual([busy.tokens.length, busy.waits], [3, [3_100, 3_100]]);
  for (const retryAfter of ['0', '-5', 'soon', '', 'Thu, 01 Jan 1970 00:00:00 GMT']) {
    const past = transportOf((number) => (number < 1 ? failure(212, { 'retry-after': retryAfter }) : undefined));
    await assert.rejects(past.send('getRecord', record), errors.NotFound);
    assert.deepEqual(past.waits, [100], `${retryAfter} is no wait but the one that spreads requests.`);
  }
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  const date = transportOf(() => failure(212, { 'retry-after': inAnHour }));
  await assert.rejects(date.send('getRecord', record), ({ retryAfterMs = 0 }: errors.Busy) => {
    return retryAfterMs > 3_000_000 && retryAfterMs <= 3_600_000;
  });
  const long = transportOf(() => failure(131, { 'retry-after': '3600' }, 429));
  await assert.rejects(
    long.send('getRecord', record),
    (error) => error instanceof errors.Busy && error.retryAfterMs === 3_600_000,
  );
  assert.equal(long.tokens.length, 1);
  const always = transportOf(() => failure(212, { 'retry-after': '1' }));
  await assert.rejects(always.send('getRecord', record), errors.Busy);
  assert.equal(always.tokens.length, 5);
});

test('otherwise, only requests made safe by a transaction id are sent again', async () => {
  for (const lose of [
    () => Promise.reject(new TypeError('fetch failed')),
    () => new Response('<html>', { status: 502 }),
    () => failure(210, {}, 500),
  ]) {
    const reading = transportOf(lose);
    await assert.rejects(reading.send('getRecord', record), errors.RowhouseError);
    assert.equal(reading.tokens.length, 1);
    const writing = transportOf((number) => (number < 2 ? lose() : undefined));
    const { answer } = await writing.send('batch', { ...batch(String(lose)), isRepeatable: true });
    assert.deepEqual([answer.errCode, writing.tokens.length, writing.waits], [0, 3, [300, 600]]);
  }
  const refused = transportOf(() => failure(131, {}, 400));
  await assert.rejects(refused.send('batch', { ...batch('refused'), isRepeatable: true }), errors.Invalid);
  assert.equal(refused.tokens.length, 1);
});

/** Does not answer until the request is aborted. */
const silence = (_: number, { signal }: RequestInit) =>
  new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test('an attempt has a deadline, and a request can be aborted', async () => {
  const late = transportOf(silence, { timeoutMs: 1 });
  await assert.rejects(
    late.send('getRecord', record),
    (error) => error instanceof errors.NetworkError && /within 1 ms/.test(error.message),
  );
  const controller = new AbortController();
  const aborted = transportOf((number, init) => {
    queueMicrotask(() => controller.abort(new Error('enough')));
    return silence(number, init);
  });
  await assert.rejects(
    aborted.send('batch', { ...batch('aborted'), signal: controller.signal, isRepeatable: true }),
    /enough/,
  );
  await assert.rejects(aborted.send('getRecord', { ...record, signal: controller.signal }), /enough/);
  assert.equal(aborted.tokens.length, 1);
  // During a pause that never ends.
  const pausing = new AbortController();
  const wait = () => {
    queueMicrotask(() => pausing.abort(new Error('no longer')));
    return new Promise<void>(() => {});
  };
  const busy = transportOf(() => failure(212, { 'retry-after': '20' }), { wait });
  await assert.rejects(busy.send('getRecord', { ...record, signal: pausing.signal }), /no longer/);
  assert.equal(busy.tokens.length, 1);
});

test('a token that is refused is replaced once, if the session has another one', async () => {
  const stale = '0'.repeat(64);
  const sessionOf = (next: string | null): Session => ({
    token: async () => stale,
    refused: async () => next,
    refresh: async () => stale,
  });
  const other = transportOf(none, { session: sessionOf(service.people.alice.token) });
  assert.equal((await other.send('getLogLevel', {})).answer.errCode, 0);
  assert.deepEqual(other.tokens, [stale, service.people.alice.token]);
  const same = transportOf(none, { session: sessionOf(stale) });
  await assert.rejects(same.send('getLogLevel', {}), errors.SignInRequired);
  assert.equal(same.tokens.length, 2);
  const over = transportOf(none, { session: sessionOf(null) });
  await assert.rejects(over.send('getLogLevel', {}), errors.SignInRequired);
  assert.equal(over.tokens.length, 1);
});

/**
 * Rate limits as seen by clients: 429, `Retry-After` and the code of the operation; none in the demo, or when switched
 * off.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import type { Environment } from '../../src/environment.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { startRowhouse } from '../../src/main.ts';
import { makeScratch } from '../engines/scratch.ts';
import { assertEnvelope } from '../harness/cases.ts';
import { type Answer, type Client, openClient } from '../harness/client.ts';

const path = '/api/1/notes/1_0_0';
const secondMs = 1_000;

/** The middle of a minute, at which the clock is stopped. */
const now = Math.floor(Date.now() / 60_000) * 60_000 + 20 * secondMs;

async function withService(
  changes: Partial<Settings>,
  work: (client: Client, clock: { ms: number }, logged: readonly string[]) => Promise<void>,
  demo = false,
): Promise<void> {
  const scratch = await makeScratch();
  const clock = { ms: now };
  const environment: Environment = { ...systemEnvironment, now: () => clock.ms };
  const settings = { ...defaults, ...scratch.settings, port: 0, addressAttemptsMax: 60, ...changes };
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const server = await startRowhouse(settings, { demo, environment, log });
  const client = openClient(server.url);
  try {
    await work(client, clock, logged);
  } finally {
    client.close();
    await server.close();
    await scratch.remove();
  }
}

const operations: readonly (readonly [method: string, path: string, code: number])[] = [
  ['GET', `${path}/anonymousTokens?appKey=12345678&deviceUDID=d`, 101],
  ['GET', `${path}/auth/oidc/idp/Authenticate?authToken=x&clientId=y`, 121],
  ['POST', `${path}/auth/oidc/idp/Login`, 121],
];

const loginBody = {
  companyId: 1,
  appId: 'notes',
  appVersion: '1.0.0',
  authToken: 'x',
  deviceUDID: 'd',
  isPush: true,
  clientId: 'c',
  authzCode: 'x',
  authnState: 'x',
};

function ask(client: Client, [method, url]: (typeof operations)[number], forwardedFor?: string): Promise<Answer> {
  return client.call(method, url, {
    ...(method === 'POST' ? { body: loginBody } : {}),
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  });
}

function assertRefused(answer: Answer, seconds: string): void {
  assertEnvelope(answer, 201);
  assert.equal(answer.status, 429);
  assert.equal(answer.headers['retry-after'], seconds);
  assert.match(answer.text, /"description":"Too many attempts\. Try again in \d+ seconds?\."/);
}

test('each operation that takes a secret answers 60 attempts a minute, then 429 until the minute is over', async () => {
  await withService({}, async (client, clock) => {
    for (const operation of operations) {
      clock.ms = now;
      const answers = await Promise.all(Array.from({ length: 60 }, () => ask(client, operation)));
      for (const answer of answers) assertEnvelope(answer, operation[2]);
      assertRefused(await ask(client, operation), '40');
      clock.ms += 39 * secondMs;
      assertRefused(await ask(client, operation, '192.0.2.1'), '1');
      clock.ms += 1 * secondMs;
      assertEnvelope(await ask(client, operation), operation[2]);
    }
  });
});

test('with errorStatus ok it is a 200 with the code in its envelope and Retry-After', async () => {
  await withService({ errorStatus: 'ok' }, async (client) => {
    const [operation] = operations;
    assert.ok(operation);
    for (let attempt = 0; attempt < 60; attempt++) await ask(client, operation);
    const answer = await ask(client, operation);
    assertEnvelope(answer, 201);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['retry-after'], '40');
  });
});

test('behind a proxy it counts the address added by the nearest one, not those written by the client', async () => {
  await withService({ trustProxy: true }, async (client) => {
    const [operation] = operations;
    assert.ok(operation);
    for (let attempt = 0; attempt < 60; attempt++) await ask(client, operation, `203.0.113.${attempt}, 198.51.100.7`);
    assertRefused(await ask(client, operation, '203.0.113.99, 198.51.100.7'), '40');
    assertRefused(await ask(client, operation, '198.51.100.7'), '40');
    assertEnvelope(await ask(client, operation, '198.51.100.8'), 101);
    assertEnvelope(await ask(client, operation, '198.51.100.7, 198.51.100.8'), 101);
  });
  await withService({ trustProxy: true, proxyHops: 2 }, async (client) => {
    const [operation] = operations;
    assert.ok(operation);
    for (let attempt = 0; attempt < 60; attempt++)
      await ask(client, operation, `1.2.3.${attempt}, 198.51.100.7, 10.0.0.1`);
    assertRefused(await ask(client, operation, '198.51.100.7, 10.0.0.1'), '40');
    assertEnvelope(await ask(client, operation, '198.51.100.8, 10.0.0.1'), 101);
  });
});

test('behind an unconfigured proxy it warns once', async () => {
  await withService({}, async (client, _clock, logged) => {
    const [operation] = operations;
    assert.ok(operation);
    const ofProxies = () => logged.filter((line) => line.includes('trustProxy'));
    for (let attempt = 0; attempt < 61; attempt++) await ask(client, operation);
    assert.equal(ofProxies().length, 0);
    for (let attempt = 0; attempt < 3; attempt++) assertRefused(await ask(client, operation, '198.51.100.7'), '40');
    assert.equal(ofProxies().length, 1);
  });
});

test('with the demo, or switched off, nothing is limited', async () => {
  const unlimited = async (client: Client) => {
    for (const operation of operations) {
      for (let attempt = 0; attempt < 70; attempt++) assertEnvelope(await ask(client, operation), operation[2]);
    }
  };
  await withService({}, unlimited, true);
  await withService({ attemptLimits: false }, unlimited);
});

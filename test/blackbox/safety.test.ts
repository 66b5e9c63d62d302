/** Answers for browsers: headers of every kind of answer, and which pages of other origins may call an application. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import { demoNames } from '../../src/demo/sign-in.ts';
import { safetyHeaders } from '../../src/http/safety.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';
import { assertEnvelope } from '../harness/cases.ts';
import { type Answer, type Client, openClient } from '../harness/client.ts';

const appKey = 'key-of-the-notes';
const home = 'https://notes.example.com';
const path = '/api/1/notes/1_0_0';

let scratch: Scratch;
let server: Rowhouse;
let client: Client;
let port: number;
let token: string;

/** Without the demo, which would permit more. */
async function start(changes: Partial<Settings>): Promise<Rowhouse> {
  const settings: Settings = { ...defaults, ...scratch.settings, port: 0, ...changes };
  return startRowhouse(settings, { demo: false, log: pino({ level: 'silent' }) });
}

/** A free port, because a service with `publicUrl` does not report its own. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

before(async () => {
  scratch = await makeScratch();
  port = await freePort();
  server = await start({ port, publicUrl: 'https://data.example.com', tokenHeaders: ['branded-token'] });
  const { companies, applications, versions } = server.directory;
  await companies.create({ id: 1, name: 'One' });
  for (const appId of ['notes', 'closed']) {
    const corsOrigins = appId === 'notes' ? [home, 'http://localhost:5173'] : [];
    await applications.create({ companyId: 1, appId, appKey, corsOrigins });
    await versions.create({ companyId: 1, appId, version: '1.0.0' });
  }
  client = openClient(`http://127.0.0.1:${port}`);
  const answer = await client.call('GET', `${path}/anonymousTokens?appKey=${appKey}&deviceUDID=d`);
  token = String((answer.json as { results: string }).results);
});
after(async () => {
  client.close();
  await server.close();
  await scratch.remove();
});

function assertSafe(answer: Pick<Answer, 'headers'>, what: string): void {
  const { headers } = answer;
  assert.equal(headers['cache-control'], 'no-store', what);
  assert.equal(headers['referrer-policy'], 'no-referrer', what);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['x-frame-options'], 'DENY', what);
  assert.match(String(headers['content-security-policy']), /default-src '(none|self)'.*frame-ancestors 'none'/, what);
  assert.equal(headers['strict-transport-security'], 'max-age=31536000', what);
  assert.equal(headers['set-cookie'], undefined, what);
  assert.equal(headers.server ?? headers['x-powered-by'], undefined, what);
}

describe('headers of every answer', () => {
  const kinds: readonly (readonly [what: string, method: string, path: string, status: number, body?: string])[] = [
    ['a success', 'GET', `${path}/anonymousTokens?appKey=${appKey}&deviceUDID=d`, 200],
    ['a wrong key', 'GET', `${path}/anonymousTokens?appKey=another-one&deviceUDID=d`, 404],
    ['no token', 'GET', `${path}/roles`, 401],
    ['a body that is no JSON', 'POST', `${path}/devices`, 401, '{'],
    ['no such request', 'GET', '/nothing', 404],
    ['a path that is no UTF-8', 'GET', `${path}/data/%ff/x`, 404],
    ['a page', 'GET', '/', 200],
    ['a script', 'GET', '/index.js', 200],
    ['the description', 'GET', '/openapi.json', 200],
    ['health', 'GET', '/readyz', 200],
    ['the administration', 'GET', '/admin/api/me', 401],
    ['nothing of the administration', 'GET', '/admin/nothing', 404],
  ];
  for (const [what, method, url, status, raw] of kinds) {
    test(what, async () => {
      const answer = await client.call(method, url, raw === undefined ? {} : { raw });
      assert.equal(answer.status, status, answer.text);
      assertSafe(answer, what);
    });
  }

  test('bytes that are not HTTP, and a head that is too large', async () => {
    for (const [bytes, status] of [
      ['nonsense\r\n\r\n', '400'],
      [`GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ] as const) {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('error', () => undefined);
      socket.write(bytes);
      await once(socket, 'close');
      const [head = '', body = ''] = text.split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(JSON.parse(body).errCode, 131);
      const lines = head.split('\r\n').slice(1);
      const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
      assertSafe({ headers }, `HTTP ${status}`);
    }
  });

  test('HSTS only if clients use https', async () => {
    assert.equal(safetyHeaders({ publicUrl: '' })['strict-transport-security'], undefined);
    assert.equal(safetyHeaders({ publicUrl: 'http://data.example.com' })['strict-transport-security'], undefined);
    assert.equal(safetyHeaders({ publicUrl: '' })['referrer-policy'], 'no-referrer');
  });
});

describe('pages of other origins', () => {
  const preflight = (origin: string, url: string) =>
    client.call('OPTIONS', url, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, service-token',
      },
    });
  const corsHeaders = ({ headers }: Answer) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  test('a preflight of an allowed origin is answered, with every header that carries a token', async () => {
    for (const origin of [home, 'http://localhost:5173']) {
      const answer = await preflight(origin, `${path}/data/batch/addData`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assert.equal(answer.headers['access-control-allow-origin'], origin);
      assert.equal(
        answer.headers['access-control-allow-headers'],
        'content-type, prefer, service-token, branded-token',
      );
      assert.match(String(answer.headers['access-control-allow-methods']), /\bPOST\b/);
      assert.match(String(answer.headers['access-control-max-age']), /^\d+$/);
      assert.match(String(answer.headers.vary), /origin/i);
      assertSafe(answer, 'preflight');
    }
  });

  test('one of any other origin or application learns nothing, not even whether it exists', async () => {
    const refused: readonly (readonly [string, string])[] = [
      ['https://evil.example.com', path],
      ['https://notes.example.com.evil.example', path],
      ['http://notes.example.com', path],
      ['https://notes.example.com:8443', path],
      ['HTTPS://NOTES.EXAMPLE.COM', path],
      ['null', path],
      ['*', path],
      ['http://localhost:5174', path],
      [home, '/api/1/closed/1_0_0'],
      [home, '/api/1/nothing/1_0_0'],
      [home, '/api/2/notes/1_0_0'],
      [home, '/api/1/notes%2f..%2fclosed/1_0_0'],
    ];
    const told = new Set<string>();
    for (const [origin, prefix] of refused) {
      const answer = await preflight(origin, `${prefix}/roles`);
      assert.equal(answer.status, 204, `${origin} ${prefix}`);
      assert.deepEqual(corsHeaders(answer), [], `${origin} ${prefix}`);
      const { date: _, ...others } = answer.headers;
      told.add(JSON.stringify(others));
    }
    assert.equal(told.size, 1);
  });

  test('an answer says whether the page may read it, also an error', async () => {
    for (const [url, status] of [
      [`${path}/anonymousTokens?appKey=${appKey}&deviceUDID=d`, 200],
      [`${path}/roles`, 401],
      [`${path}/nothing`, 404],
    ] as const) {
      const allowed = await client.call('GET', url, { headers: { origin: home } });
      assert.equal(allowed.status, status);
      assert.equal(allowed.headers['access-control-allow-origin'], home);
      assert.equal(allowed.headers['access-control-expose-headers'], 'date, location, preference-applied, retry-after');
      const refused = await client.call('GET', url, { headers: { origin: 'https://evil.example.com' } });
      assert.equal(refused.status, status);
      assert.deepEqual(corsHeaders(refused), []);
      assert.match(String(refused.headers.vary), /origin/i);
      const withoutOrigin = await client.call('GET', url);
      assert.deepEqual(corsHeaders(withoutOrigin), []);
    }
  });

  test('credentials are never allowed, and no other origin may use the administration', async () => {
    const answers = [
      await preflight(home, `${path}/roles`),
      await client.call('GET', `${path}/roles`, { token, headers: { origin: home } }),
      await preflight(home, '/admin/api/me'),
      await client.call('GET', '/admin/api/me', { headers: { origin: home } }),
      await preflight(home, '/'),
    ];
    for (const answer of answers) assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    for (const answer of answers.slice(2)) assert.deepEqual(corsHeaders(answer), []);
  });

  test('with the demo, pages of this machine may call, and no others', async () => {
    const own = await makeScratch();
    const settings: Settings = { ...defaults, ...own.settings, port: 0 };
    const demo = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
    const caller = openClient(demo.url);
    try {
      const url = `/api/1/${demoNames.appId}/1_0_0/roles`;
      const allowed = async (origin: string) =>
        (await caller.call('GET', url, { headers: { origin } })).headers['access-control-allow-origin'];
      for (const origin of [
        'http://localhost:5173',
        'http://127.0.0.1:3000',
        'http://[::1]:8000',
        'https://localhost',
      ]) {
        assert.equal(await allowed(origin), origin);
      }
      for (const origin of [home, 'http://localhost.evil.example', 'http://localhost:1@evil.example', 'null']) {
        assert.equal(await allowed(origin), undefined, origin);
      }
    } finally {
      caller.close();
      await demo.close();
      await own.remove();
    }
  });

  test('only the descriptions of the interface may be read from any origin', async () => {
    const anywhere = 'https://tools.example.org';
    for (const [url, status] of [
      ['/openapi.json', 200],
      ['/admin/api/openapi.json?x=1', 200],
      [`${path}/openapi.json`, 401],
    ] as const) {
      const answer = await client.call('GET', url, { headers: { origin: anywhere } });
      assert.equal(answer.status, status);
      assert.equal(answer.headers['access-control-allow-origin'], '*', url);
      const asked = await preflight(anywhere, url);
      assert.deepEqual([asked.status, asked.headers['access-control-allow-methods']], [204, 'GET'], url);
      assert.match(String(asked.headers['access-control-allow-headers']), /service-token/);
    }
    for (const url of [`${path}/openapi.json/x`, `${path}/data/openapi.json/x`, '/admin/api/me?/openapi.json']) {
      assert.deepEqual(corsHeaders(await client.call('GET', url, { headers: { origin: anywhere } })), [], url);
    }
  });

  test('OPTIONS that is not a preflight is a request like any other', async () => {
    assertEnvelope(await client.call('OPTIONS', `${path}/roles`), 199);
    assertEnvelope(await client.call('OPTIONS', `${path}/roles`, { headers: { origin: home } }), 199);
  });
});

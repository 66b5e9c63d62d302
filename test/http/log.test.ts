/** The service's own log: no line contains a secret, wherever it came from, and lines stay valid JSON. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readableEntry } from '../../src/cli/readable-log.ts';
import { withoutQuotations } from '../../src/http/secrets.ts';
import { logInto } from '../../src/log.ts';
import { processorMs } from '../harness/work.ts';

const token = randomBytes(32).toString('hex');
/** Harder to recognise than a token. */
const key = 'a-Short~Key';

function logged(write: (log: ReturnType<typeof logInto>) => void): string {
  let lines = '';
  const stream = {
    write(line: string) {
      lines += line;
    },
  };
  write(logInto(stream, { logLevel: 'trace', tokenHeaders: ['branded-token'] }));
  for (const line of lines.trim().split('\n')) {
    assert.doesNotThrow(() => JSON.parse(line), line);
    assert.doesNotThrow(() => readableEntry(line), line);
  }
  return lines;
}

const failure = (message: string) => new Error(message, { cause: new Error(`because of ${message}`) });

for (const secret of [token, key]) {
  const encoded = encodeURIComponent(secret);
  const ways: readonly (readonly [string, unknown])[] = [
    ['a path', { url: `/api/1/notes/1_0_0/data/Item/x?token=${encoded}` }],
    ['a full address', { url: `https://data.example.com/anonymousTokens?deviceUDID=d&appKey=${encoded}#x` }],
    ['in any case', { url: `/x?AUTHTOKEN=${encoded}&y=1` }],
    ['with an encoded name', { url: `/x?a=b&%74oken=${encoded}` }],
    ['the redirect of a provider', { location: `/signed-in?state=1&code=${encoded}` }],
    ['headers', { headers: { host: 'x', 'service-token': secret, 'branded-token': secret, accept: '*/*' } }],
    ['headers in their own case', { headers: { 'Service-Token': secret, Authorization: `Bearer ${secret}` } }],
    ['cookies', { headers: { cookie: `a=b; rowhouse_admin=${secret}; c=d`, 'set-cookie': [`x=${secret}`, 'y=1'] } }],
    ['raw headers', { rawHeaders: ['host', 'x', 'service-token', secret, 'cookie', `a=${secret}`] }],
    ['a body', { body: { appId: 'x', authToken: secret, authzCode: secret, password: secret } }],
    ['a body as text', { body: JSON.stringify({ appId: 'x', authToken: secret, authzCode: secret }) }],
    ['a body as text in text', { body: JSON.stringify({ inner: JSON.stringify({ password: secret }) }) }],
    ['an error', { err: failure(`GET /x?token=${encoded} failed`) }],
    ['an error with headers', { err: failure(`cookie: rowhouse_admin=${secret}\r\nservice-token: ${secret}\r\n`) }],
    ['a list', [`/x?code=${encoded}`]],
  ];
  for (const [what, fields] of ways) {
    test(`${what}, ${secret === token ? 'a token' : 'a key'}`, () => {
      const lines = logged((log) => {
        log.info(fields as object, 'what happened');
        log.child({ worker: 1 }).error({ nested: { deeper: fields } }, 'again');
      });
      assert.ok(!lines.includes(secret) && !lines.includes(encoded), lines);
      assert.match(lines, /\[cut\]/);
      assert.match(lines, /what happened/);
    });
  }
  test(`the message, ${secret === token ? 'a token' : 'a key'}`, () => {
    const lines = logged((log) => {
      log.warn(`GET /x?y=1&token=${encoded}&z=2 was slow`);
      log.warn('%s failed: %j', `/x?appKey=${encoded}`, { token: secret });
    });
    assert.ok(!lines.includes(secret) && !lines.includes(encoded), lines);
    assert.match(lines, /y=1.*z=2 was slow/);
  });
}

test('a token is removed in every position', () => {
  assert.ok(
    !logged((log) => log.info({ anything: [`x${token}y`, token.toUpperCase()] }, token)).match(new RegExp(token, 'i')),
  );
});

test('other text stays', () => {
  const entry = {
    request: 'req-1f',
    code: 121,
    url: '/x?limit=1',
    operation: 'getRecord',
    tokens: 3,
    setting: 'tokenHeaders',
  };
  const line = JSON.parse(logged((log) => log.info(entry, 'The token does not exist here.')));
  const { level: _, time: __, pid: ___, hostname: ____, msg, ...rest } = line;
  assert.deepEqual(rest, entry);
  assert.equal(msg, 'The token does not exist here.');
});

test('a line designed to take long is processed in one pass', () => {
  // Processor time: far above that of one pass, far below the minute of a pass from every character.
  const onePassMs = 5_000;
  const texts = ['\\', ';', '?', '"token":[', '"token":"', '"token":\\"', 'cookie:', 'cookie ', `${'a'.repeat(39)} `];
  for (const text of texts) {
    const message = text.repeat(100_000 / text.length);
    const ms = processorMs(() => logged((log) => log.info(message)));
    assert.ok(ms < onePassMs, `${text}: ${ms} ms`);
  }
});

test('the message of an error has one short line, whatever a client sent', () => {
  const sent = '\r\n12:00:00 info  all is well\u001b[2J\u202e\u2028';
  for (const message of [`data[0].${sent}: no such column.`, `x: "${sent}" came "`, `x: ${'\\'.repeat(8_000_000)}`]) {
    const logged = withoutQuotations(message);
    assert.doesNotMatch(logged, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.ok(logged.length < 1_100);
  }
});

test('in a terminal, an entry is one line and its stack, and commands nothing', () => {
  const sent = '\r\n12:00:00 info  all is well\u001b[2J\u202e';
  const shown = readableEntry(
    logged((log) => log.warn({ account: sent, err: new Error(sent) }, `${sent} came`)).trim(),
  );
  assert.doesNotMatch(shown, /(?!\n)[\p{Cc}\p{Cf}]/u);
  const [first = '', second = ''] = shown.split('\n');
  assert.match(first, /came.*account=/);
  assert.match(second, /^Error:/);
});

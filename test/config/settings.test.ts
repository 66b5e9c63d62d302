/** Where settings come from, which source wins, and how a wrong one is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { defaults, environmentName, flagName, settingNames, settingsTable } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { loadSettings, loadWithOrigins, type SettingSources } from '../../src/load-settings.ts';
import { nearest } from '../../src/nearest.ts';

const secretKey = 'ab'.repeat(32);

function file(content: unknown): SettingSources {
  return { file: { path: 'rowhouse.json', content } };
}

test('without any source every setting has its default, and every default passes its own check', () => {
  assert.deepEqual(loadSettings({}), defaults);
  for (const name of settingNames) assert.deepEqual(settingsTable[name].read(defaults[name]), defaults[name], name);
});

test('flags win over the environment, the environment over the file, the file over the defaults', () => {
  const content = { port: 1, host: 'file', zone: 'Asia/Bangkok' };
  const environment = { ROWHOUSE_PORT: '2', ROWHOUSE_HOST: 'environment', HOME: '/' };
  const loaded = loadSettings({ ...file(content), environment, flags: { port: '3' } });
  assert.deepEqual(
    [loaded.port, loaded.host, loaded.zone, loaded.logLevel],
    [3, 'environment', 'Asia/Bangkok', defaults.logLevel],
  );
});

test('each setting tells where it comes from, and one with its default is left out', () => {
  const { origins } = loadWithOrigins({
    ...file({ port: 1, host: 'file', zone: 'UTC' }),
    environment: { ROWHOUSE_PORT: '2', ROWHOUSE_SECRET_KEY: secretKey, ROWHOUSE_HOST: '' },
    flags: { port: '3', 'trust-proxy': true },
    memoryBytes: 1024 ** 3,
  });
  const { port, host, zone, secretKey: key, trustProxy, shapesMax, ...others } = origins;
  assert.deepEqual(port, { source: 'flag', name: '--port' });
  assert.deepEqual(host, { source: 'file', name: 'rowhouse.json' });
  assert.deepEqual(zone, { source: 'file', name: 'rowhouse.json' }, 'given, though it is the default');
  assert.deepEqual(key, { source: 'environment', name: 'ROWHOUSE_SECRET_KEY' });
  assert.deepEqual(trustProxy, { source: 'flag', name: '--trust-proxy' });
  assert.deepEqual(shapesMax, { source: 'memory', name: null });
  assert.ok(Object.values(others).every(({ source }) => source === 'memory'));
  assert.deepEqual(loadWithOrigins({}).origins, {});
});

test('below 4 GiB, defaults of settings that take memory are reduced in proportion', () => {
  const gib = 1024 ** 3;
  assert.deepEqual(loadSettings({ memoryBytes: 4 * gib }), defaults);
  const small = loadSettings({ memoryBytes: gib / 2, flags: { 'answers-bytes-max': '1000000' } });
  assert.equal(small.pageCacheBytes, defaults.pageCacheBytes / 8);
  assert.equal(small.parsedBodiesBytesMax, defaults.parsedBodiesBytesMax / 8);
  assert.equal(small.answersBytesMax, 1_000_000);
  assert.ok(small.residentBytesMax < gib / 2 && small.residentBytesMax > gib / 4);
  assert.deepEqual([small.writerThreads, small.readerThreads], [2, 1]);
  assert.equal(small.bodyBytesMax, defaults.bodyBytesMax, 'what a client may send stays');
  const given = loadSettings({ memoryBytes: 64 * gib, flags: { 'memory-bytes': String(gib), workers: '2' } });
  assert.equal(given.pageCacheBytes, small.pageCacheBytes, 'two processes share it');
});

test('a small heap counts as little memory', () => {
  const script = `import('${new URL('../../src/memory.ts', import.meta.url)}').then(({ memoryOfMachine }) => console.log(memoryOfMachine()))`;
  const told = execFileSync(process.execPath, ['--max-old-space-size=256', '-e', script], { encoding: 'utf8' });
  assert.ok(Number(told) > 0 && Number(told) < 1024 ** 3, told);
});

test('every setting has its own environment name and flag, and secrets have no flag', () => {
  assert.equal(environmentName('bodyBytesMax'), 'ROWHOUSE_BODY_BYTES_MAX');
  assert.equal(flagName('bodyBytesMax'), 'body-bytes-max');
  assert.equal(new Set(settingNames.map(environmentName)).size, settingNames.length);
  assert.deepEqual(
    settingNames.filter((name) => flagName(name) === null),
    ['secretKey', 'previousSecretKeys', 'adminClientSecret'],
  );
});

test('values are read from text as from JSON', () => {
  const environment = {
    ROWHOUSE_TOKEN_HEADERS: 'Acme-Token, x-token,,x-token',
    ROWHOUSE_TRUST_PROXY: 'TRUE',
    ROWHOUSE_ERROR_STATUS: 'ok',
    ROWHOUSE_SECRET_KEY: secretKey,
    ROWHOUSE_PORT: '',
  };
  const loaded = loadSettings({ environment });
  assert.deepEqual(loaded.tokenHeaders, ['acme-token', 'x-token']);
  assert.equal(loaded.trustProxy, true);
  assert.equal(loaded.errorStatus, 'ok');
  assert.equal(loaded.secretKey, secretKey);
  assert.equal(loaded.port, defaults.port, 'an empty variable counts as not set');
  const fromFile = loadSettings(file({ tokenHeaders: ['A'], trustProxy: true, port: 80 }));
  assert.deepEqual([fromFile.tokenHeaders, fromFile.trustProxy, fromFile.port], [['a'], true, 80]);
  assert.equal(loadSettings({ flags: { 'trust-proxy': true } }).trustProxy, true);
});

test('a variable for the tests prevents no command', () => {
  const environment = { ROWHOUSE_TEST_POSTGRES: 'postgres://localhost', ROWHOUSE_TEST_ENGINE: 'postgres' };
  assert.deepEqual(loadSettings({ environment, nearest }), defaults);
});

const refused: readonly (readonly [sources: SettingSources, message: string])[] = [
  [{ flags: { port: 'eighty' } }, '--port: expected a whole number from 0 to 65535, got "eighty".'],
  [{ flags: { port: true } }, '--port: expected a whole number from 0 to 65535, got true.'],
  [{ environment: { ROWHOUSE_PORT: '65536' } }, 'ROWHOUSE_PORT: expected a whole number from 0 to 65535, got "65536"'],
  [file({ port: 1.5 }), 'rowhouse.json, port: expected a whole number from 0 to 65535, got 1.5'],
  [file({ port: null }), 'rowhouse.json, port: expected a whole number from 0 to 65535, got null'],
  [file([]), 'rowhouse.json: expected a JSON object with settings.'],
  [file({ ports: 1 }), 'rowhouse.json, ports: there is no such setting. Did you mean port?'],
  [{ environment: { ROWHOUSE_QUERY_TIME: '1' } }, 'ROWHOUSE_QUERY_TIME: there is no such setting.'],
  [{ environment: { ROWHOUSE_ZONES: 'UTC' } }, 'Did you mean ROWHOUSE_ZONE?'],
  [{ flags: { hots: 'x' } }, '--hots: there is no such setting. Did you mean --host?'],
  [{ flags: { 'secret-key': secretKey } }, '--secret-key: there is no such setting.'],
  [{ flags: { 'admin-issuer': 'http://login.example.com' } }, '--admin-issuer: expected an address'],
  [{ flags: { 'admin-issuer': 'https://login.example.com' } }, 'adminIssuer: it needs adminClientId'],
  [{ flags: { 'password-length-min': '7' } }, '--password-length-min: expected a whole number from 8 to 64, got "7"'],
  [{ flags: { zone: 'Mars/Olympus' } }, '--zone: expected UTC, an offset'],
  [
    { flags: { storage: 'mysql://me:secret@db' } },
    '--storage: expected sqlite:<folder> or postgres://<user>:<password>@<host>:<port>/<database>, got something else.',
  ],
  [{ flags: { 'base-path': '/data/' } }, '--base-path: expected a path like /rowhouse'],
  [{ flags: { 'public-url': 'data.example.com' } }, '--public-url: expected an address'],
  [
    { flags: { 'log-level': 'loud' } },
    '--log-level: expected one of trace, debug, info, warn, error, silent, got "loud"',
  ],
  [{ flags: { 'error-status': 'OK' } }, '--error-status: expected one of code, ok, got "OK".'],
  [{ flags: { 'token-headers': 'a b' } }, '--token-headers: expected a list of header names, got "a b".'],
  [{ flags: { 'session-cache-ms': '5001' } }, '--session-cache-ms: expected a whole number from 0 to 5000, got "5001"'],
  [file({ maxRecordMax: 10 }), 'maxRecordDefault: expected at most maxRecordMax (10), got 1000.'],
];

for (const [sources, message] of refused) {
  test(`refused: ${message}`, () => {
    assert.throws(
      () => loadSettings({ ...sources, nearest }),
      (error) => error instanceof ServiceError && error.reason === 'malformed' && error.message.includes(message),
    );
  });
}

test('a wrong secret is not shown', () => {
  for (const name of ['ROWHOUSE_SECRET_KEY', 'ROWHOUSE_PREVIOUS_SECRET_KEYS']) {
    const environment = { [name]: `${secretKey}00` };
    assert.throws(
      () => loadSettings({ environment, nearest }),
      (error) => error instanceof ServiceError && error.message.includes(name) && !error.message.includes('abab'),
    );
  }
});

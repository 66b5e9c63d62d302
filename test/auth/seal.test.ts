/** Sealing: round trips, tampered texts, and the source of the key. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openSeal } from '../../src/auth/seal.ts';
import { systemEnvironment } from '../../src/environment.ts';

const keyA = 'a1'.repeat(32);
const keyB = 'b2'.repeat(32);
const withKey = (secretKey: string, previousSecretKeys: string[] = []) =>
  openSeal({ secretKey, previousSecretKeys, storage: 'sqlite:/nowhere' }, systemEnvironment);

test('opens what it sealed, and never seals a text to the same result twice', () => {
  const seal = withKey(keyA);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = seal.seal(text);
      assert.equal(seal.open(sealed), text);
      assert.notEqual(seal.seal(text), sealed);
      assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22}\.[\w-]*$/);
    }),
    { numRuns: 50 },
  );
});

test('refuses a text that was changed anywhere', () => {
  const seal = withKey(keyA);
  const parts = seal.seal('client secret').split('.');
  for (const index of [2, 3, 4]) {
    const bytes = Buffer.from(parts[index]!, 'base64url');
    bytes[0] = bytes[0]! ^ 1;
    assert.throws(() => seal.open(parts.with(index, bytes.toString('base64url')).join('.')));
  }
  assert.throws(() => seal.open(parts.with(0, 'v2').join('.')), /not sealed here/);
  assert.throws(() => seal.open('plain text'), /not sealed here/);
  assert.throws(() => seal.open(parts.with(3, parts[3]!.slice(0, 6)).join('.')));
});

test('opens texts sealed under a previous key, and names a missing key', () => {
  const sealed = withKey(keyA).seal('verifier');
  assert.equal(withKey(keyB, [keyA]).open(sealed), 'verifier');
  assert.throws(() => withKey(keyB).open(sealed), /previousSecretKeys/);
});

test('refuses a key that is not 32 bytes, without quoting it', () => {
  assert.throws(
    () => withKey('abc123'),
    (error: Error) => /secretKey/.test(error.message) && !error.message.includes('abc123'),
  );
});

test('requires a key if there is no folder for a key file, and shows no password', () => {
  const storage = 'postgres://rowhouse:hush@db.example.com:5432/rowhouse';
  assert.throws(
    () => openSeal({ secretKey: '', previousSecretKeys: [], storage }, systemEnvironment),
    (error: Error) => /^secretKey: .* ROWHOUSE_SECRET_KEY /.test(error.message) && !error.message.includes('hush'),
  );
  const seal = openSeal({ secretKey: keyA, previousSecretKeys: [], storage }, systemEnvironment);
  assert.equal(seal.open(seal.seal('secret')), 'secret');
  assert.equal(seal.keyFileMade, null);
});

test('creates a key file once, for its owner only', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-seal-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const settings = { secretKey: '', previousSecretKeys: [], storage: `sqlite:${folder}/data` };
  const first = openSeal(settings, systemEnvironment);
  const keyFile = join(folder, 'data', 'secret.key');
  assert.equal(first.keyFileMade, keyFile);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  const second = openSeal(settings, systemEnvironment);
  assert.equal(second.keyFileMade, null);
  assert.equal(second.open(first.seal('secret')), 'secret');
  assert.equal(withKey(readFileSync(keyFile, 'utf8').trim()).open(first.seal('secret')), 'secret');
});

/**
 * The keys of stored secrets: a missing one prevents the start and is reported with what it sealed; it is given up only
 * on request.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openSealOf } from '../../src/auth/secret-keys.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { ServiceError } from '../../src/errors.ts';
import { emptyDirectory } from '../directory/scratch.ts';

const [keyA, keyB] = ['a1'.repeat(32), 'b2'.repeat(32)];

/** Company 1 with application crm, and a function that opens the seal like a start with these keys. */
async function world(t: TestContext) {
  const { directory, storage, settings } = await emptyDirectory(t);
  await directory.companies.create({ name: 'One' });
  await directory.applications.create({ companyId: 1, appId: 'crm', name: 'CRM' });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const open = (secretKey: string, previousSecretKeys: string[] = [], newKey = false) => {
    const deps = {
      storage,
      settings: { ...settings, secretKey, previousSecretKeys },
      environment: systemEnvironment,
      log,
    };
    return openSealOf(deps, { newKey });
  };
  const place = { companyId: 1, appId: 'crm', providerName: 'idp' };
  const newProvider = { issuer: 'https://idp.example.com' };
  const add = async (clientId: string, secretSealed: string | null) =>
    directory.clients.create({
      ...place,
      ...((await directory.providers.find(1, 'crm', 'idp')) === null ? { newProvider } : {}),
      clientId,
      redirectUri: 'https://x.example.com/',
      secretSealed,
    });
  const sealedOf = async () => (await directory.clients.find(1, 'crm', 'idp', 'c1'))?.secretSealed ?? '';
  return { directory, storage, lines, open, add, sealedOf };
}

const refusedFor =
  (...told: readonly string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof ServiceError && error.reason === 'malformed', String(error));
    for (const text of told) assert.ok(error.message.includes(text), `${text}: ${error.message}`);
    assert.doesNotMatch(error.message, /hidden|a1a1|b2b2|v1\./);
    return true;
  };

test('a start without the key of a stored secret is refused, and names what it cannot open', async (t) => {
  const { storage, open, add, sealedOf } = await world(t);
  const first = await open(keyA);
  await add('public', null);
  assert.equal((await open(keyB)).keyId.length, 8, 'nothing is sealed, so nothing is lost');
  await add('c1', first.seal('hidden'));
  const { build } = storage.directory;
  const device = { company_id: 1, app_id: 'crm', udid: 'd', created: 1, updated: 1 };
  await storage.directory.write([
    build.insertInto('device').values({ ...device, push_token_sealed: first.seal('hidden') }),
  ]);
  await assert.rejects(
    () => open(keyB),
    refusedFor(
      'client "c1" of provider "idp" of company 1, application "crm"',
      '1 push tokens',
      `key ${first.keyId}`,
      '--new-key',
    ),
  );
  assert.equal((await open(keyB, [keyA])).open(await sealedOf()), 'hidden', 'an earlier key opens it');
  assert.equal((await open(keyA)).open(await sealedOf()), 'hidden');
});

test('given up, they are marked as lost and reported in log and audit trail, and open again when the key is found', async (t) => {
  const { storage, lines, open, add, sealedOf } = await world(t);
  const first = await open(keyA);
  await add('c1', first.seal('hidden'));
  const second = await open(keyB, [], true);
  assert.match(lines.join(''), /lost.*client .*c1.*rowhouse client update/);
  assert.doesNotMatch(lines.join(''), /hidden/);
  assert.throws(() => second.open('v1.00000000.a.b.c'));
  const { build } = storage.directory;
  const entries = await storage.directory.read(build.selectFrom('audit').select(['action', 'target']));
  assert.deepEqual(entries, [{ action: 'secret.lose', target: `keys ${first.keyId}` }]);
  await open(keyB);
  assert.equal((await open(keyB, [keyA])).open(await sealedOf()), 'hidden');
  await assert.rejects(() => open(keyB), refusedFor('c1'), 'found again, it is missed again');
});

test('instances that share a directory need the same key', async (t) => {
  const { open, add } = await world(t);
  const [one, two] = await Promise.all([open(keyA), open(keyA)]);
  assert.equal(one?.keyId, two?.keyId);
  await add('c1', one.seal('hidden'));
  await assert.rejects(() => open(keyB), refusedFor('c1'));
});

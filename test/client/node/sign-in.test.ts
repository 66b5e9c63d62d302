/** Sign-in of programs on Node: what a file keeps, and the loopback address. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../../lab/machine/port.ts';
import { loopback } from '../../../packages/client/src/node/loopback.ts';
import { fileStorage } from '../../../packages/client/src/node/storage.ts';
import { createSession } from '../../../packages/client/src/user-session.ts';
import { later } from '../later.ts';
import { start, stop, visitProvider } from '../service.ts';

test('a file with a sign-in is readable only by its owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-client-'));
  const service = await start({ people: [] });
  const open = (path: string) =>
    createSession({ ...service.place, appKey: service.appKey, storage: fileStorage(path) });
  try {
    const path = join(folder, 'own', 'session.json');
    await open(path).signIn({ clientId: service.clientId }, (address) => visitProvider(address, 'alice'));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'own')).mode & 0o777, 0o700);
    const again = open(path);
    assert.equal((await again.user())?.account, 'alice');
    assert.equal((await again.signOut()).isEnded, true);
    assert.ok(!readFileSync(path, 'utf8').includes('alice'));
  } finally {
    await stop(service);
    rmSync(folder, { recursive: true });
  }
});

test('a loopback address accepts only the answer to its own sign-in', async () => {
  assert.throws(() => loopback({ redirectUri: 'http://app.example/signed-in', show() {} }), TypeError);
  const redirectUri = `http://127.0.0.1:${await freePort()}/signed-in`;
  const statuses: number[] = [];
  const asked = later();
  const show = async () => {
    statuses.push((await fetch(`${new URL(redirectUri).origin}//`)).status);
    for (const path of ['?state=other&code=1', '/elsewhere?state=own&code=1', '?state=own&code=2']) {
      statuses.push((await fetch(redirectUri + path)).status);
    }
    asked.resolve();
  };
  const returned = await loopback({ redirectUri, show })('https://provider.example/?state=own');
  assert.equal(returned, `${redirectUri}?state=own&code=2`);
  await asked.promise;
  assert.deepEqual(statuses, [404, 404, 404, 200]);
  const late = loopback({ redirectUri, show() {}, waitMs: 1 })('https://provider.example/?state=own');
  await assert.rejects(late, /Nobody came back/);
});

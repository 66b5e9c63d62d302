/** Every documented code of an operation is provoked, or there is a reason why it can't be (codes.ts). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, runCases, statusOfCode } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables } from '../harness/requests.ts';
import {
  anonymousToken,
  authenticate,
  beginSignIn,
  codeFor,
  login,
  loginBody,
  placeOf,
  registerDevice,
} from '../harness/sign-in.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { codeRows, listedCodes, type OperationName } from './codes.ts';
import { itemTable } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob', 'carol'] });
  await defineTables(world, 'alice', [itemTable]);
  const made = await addRecords(
    world,
    'alice',
    'Item',
    ['i1', 'm1', 'm2'].map((objectId) => ({ objectId, scopeType: '3' })),
  );
  for (const item of made) world.names.set(`time.${item.objectId}`, item.serverUpdateTime);
  world.names.set('anonymous', await anonymousToken(world, 'matrix-device'));
  world.names.set('gone.token', world.token('carol'));
  await world.server.directory.users.update(1, Number(world.person('carol').id), { disabled: true });
});
after(() => world.close());

const key = (operation: string, code: number) => `${operation}: ${code}`;

test('every listed code has a row, and every row has a listed code', () => {
  const listed = Object.entries(listedCodes).flatMap(([operation, codes]) => codes.map((code) => key(operation, code)));
  const rows = new Set(codeRows.map(({ operation, code }) => key(operation, code)));
  assert.deepEqual(
    listed.filter((each) => !rows.has(each)),
    [],
    'listed, but without a row',
  );
  assert.deepEqual(
    [...rows].filter((each) => !listed.includes(each)),
    [],
    'a row, but not listed',
  );
});

test('every test that a row names exists', () => {
  for (const row of codeRows) {
    if (!('provokedBy' in row)) continue;
    const [file = '', name = ''] = row.provokedBy.split(/: (.*)/s);
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    assert.ok(text.includes(`test('${name}'`), `${row.provokedBy} (for ${key(row.operation, row.code)})`);
  }
});

for (const operation of Object.keys(listedCodes) as OperationName[]) {
  describe(operation, () => {
    runCases(
      () => world,
      codeRows.flatMap((row) => (row.operation === operation && 'test' in row ? [row.test] : [])),
    );
  });
}

describe('what takes more than one request', () => {
  test('an account that was disabled answers 119', async () => {
    const { token, location } = await beginSignIn(world, 'disabled-device');
    const answer = await login(
      world,
      token,
      loginBody(token, 'disabled-device', await codeFor('carol', location), placeOf(world)),
    );
    assertEnvelope(answer, 119);
    assert.equal(answer.status, statusOfCode[119]);
  });

  test('a version that was switched off answers 106', async () => {
    const { versions } = world.server.directory;
    await versions.create({ companyId: 1, appId: app.appId, version: '2.0.0' });
    const place = placeOf(world, { prefix: `/api/1/${app.appId}/2_0_0` });
    const token = await anonymousToken(world, 'off-device', place.prefix);
    await registerDevice(world, token, 'off-device', {}, place.prefix);
    await versions.update(1, app.appId, '2.0.0', { disabled: true });
    world.clock.offsetMs += 6_000;
    try {
      const body = { ...loginBody(token, 'off-device', 'code', place), appVersion: '2.0.0' };
      for (const answer of [await authenticate(world, token, place), await login(world, token, body, place)]) {
        assertEnvelope(answer, 106);
        assert.equal(answer.status, statusOfCode[106]);
      }
    } finally {
      world.clock.offsetMs -= 6_000;
    }
  });

  test('an application that was switched off answers 105', async () => {
    const { applications, versions } = world.server.directory;
    await applications.create({ companyId: 1, appId: 'second', appKey: app.appKey });
    await versions.create({ companyId: 1, appId: 'second', version: '1.0.0' });
    const prefix = '/api/1/second/1_0_0';
    const token = await anonymousToken(world, 'second-device', prefix);
    const level = () => world.call('GET', `${prefix}/logLevel?token=${token}`);
    assertEnvelope(await level(), 0);
    await applications.update(1, 'second', { disabled: true });
    world.clock.offsetMs += 6_000;
    try {
      const answer = await level();
      assertEnvelope(answer, 105);
      assert.equal(answer.status, statusOfCode[105]);
      assert.equal(valueAt(answer.json, 'result'), undefined);
    } finally {
      world.clock.offsetMs -= 6_000;
    }
  });
});

/**
 * Another client keeps the tables of one data space locked: the other data spaces work, and so does this one after the
 * lock is released.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { makeScratch, type Scratch } from '../../engines/scratch.ts';
import { assertEnvelope } from '../../harness/cases.ts';
import { type Answer, openClient } from '../../harness/client.ts';
import { addRecords, defineTables, send } from '../../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../../harness/world.ts';

const names = ['Item', 'Other', 'Third'];
const tables = names.map((name) => ({
  name,
  primary_key: 'objectId',
  columns: [{ colName: 'title', type: 'text' }],
}));

let scratch: Scratch;
let world: World;
let outside: Client;
before(async () => {
  scratch = await makeScratch();
  // Longer than the test, so that no time limit ends a wait for the lock.
  world = await startWorld({
    scratch,
    people: ['alice', 'dave'],
    settings: { writeTimeMs: 300_000, queryTimeMs: 300_000 },
  });
  for (const who of ['alice', 'dave'] as const) {
    await defineTables(world, who, tables);
    for (const name of names) await addRecords(world, who, name, [{ objectId: 'r', title: name }]);
  }
  outside = new Client(scratch.settings.storage);
  await outside.connect();
});
after(async () => {
  await outside.end();
  await world.close();
  await scratch.remove();
});

type Ask = (world: World, who: Who, number: number) => Promise<Answer>;

const asks: readonly Ask[] = [
  (on, who, number) =>
    send(on, who, 'POST', 'data/batch/addData', { objectName: 'Item', data: [{ title: `title ${number}` }] }),
  (on, who, number) => send(on, who, 'GET', `data/${names[number % names.length]}/r`),
  (on, who, number) =>
    send(on, who, 'POST', `data/query/${names[number % names.length]}`, {
      from: { phyName: names[number % names.length], alias: 'x' },
      range: { offset: 0, limit: 1 },
    }),
];

test('writes, reads and queries of other data spaces are answered while one is locked', {
  timeout: 60_000,
}, async (t) => {
  const { spaceId } = (await world.server.directory.versions.find(1, app.appId, app.appVersion))!;
  await outside.query('BEGIN');
  for (const name of names) {
    await outside.query(`LOCK TABLE rowhouse_space_${spaceId}."${name}" IN ACCESS EXCLUSIVE MODE`);
  }
  let answered = 0;
  // A client sends at most 64 requests at a time, so each kind has its own.
  const clients = asks.map(() => openClient(world.server.url));
  t.after(() => clients.map((client) => client.close()));
  const held = asks.flatMap((ask, kind) =>
    Array.from({ length: 64 }, (_, number) =>
      ask({ ...world, call: clients[kind]!.call }, 'alice', number).then((answer) => {
        answered++;
        return answer;
      }),
    ),
  );
  // Each has requested its connection once the database has answered a few others.
  for (let round = 0; round < 3; round++) {
    const others = asks.flatMap((ask) => Array.from({ length: 20 }, (_, number) => ask(world, 'dave', number)));
    for (const answer of await Promise.all(others)) assert.equal(answer.status, 200, answer.text);
  }
  await world.signIn('dave', 'another device');
  assert.equal(answered, 0, 'the lock was held all the time');
  await outside.query('COMMIT');
  for (const answer of await Promise.all(held)) assert.equal(answer.status, 200, answer.text);
  assertEnvelope(await send(world, 'alice', 'GET', 'roles'), 0);
});

/**
 * Single records on PostgreSQL: merged while others are under way, each caller gets its own, and no statement is
 * outdated.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defaults } from '../../../src/config.ts';
import { compileRecord } from '../../../src/query/compile.ts';
import { systemColumns } from '../../../src/schema/system.ts';
import { tableFrom } from '../../../src/schema/table.ts';
import { zoneOf } from '../../../src/schema/time.ts';
import type { JsonText } from '../../../src/storage/json-text.ts';
import { type Connections, openConnections, type Sql } from '../../../src/storage/postgres/connections.ts';
import { arrayText, postgresDialect } from '../../../src/storage/postgres/dialect.ts';
import { readsThrough } from '../../../src/storage/postgres/reads.ts';
import { openRecords, recordPlanner } from '../../../src/storage/postgres/records.ts';
import { scratchOf } from '../../engines/scratch.ts';

const columns = [
  ...systemColumns().slice(0, 1),
  { name: 'title', type: { kind: 'text' } as const, required: false, system: false },
];
const statement = compileRecord(
  tableFrom({ name: 'Item', id: 1, columns, indexes: [], lockFree: false }),
  postgresDialect,
);
const ids = ['plain', 'with "quotes"', 'back\\slash', 'a,b', '{braces}', 'NULL', "it's", 'ä😀', ' '];
const idOf = (number: number) => `${ids[number % ids.length]} ${number}`;
/** Which of the callers u0, u1 and u2 sees a record; every fourth is for the groups 1 and 2. */
const audienceOf = (number: number) => (number % 4 === 3 ? 'g1,2' : `u${number % 3}`);

interface Opened {
  readonly get: (number: number, members: readonly string[]) => Promise<JsonText | null>;
  readonly connections: Connections;
  /** What was sent, in order. */
  readonly sent: readonly Sql[];
}

async function opened(test: TestContext): Promise<Opened> {
  const scratch = await scratchOf(test);
  const options = { url: scratch.settings.storage, max: 4, statementTimeMs: 60_000, waitingMax: 1_000 };
  const connections = openConnections({ ...options, settings: defaults, parameters: recordPlanner });
  scratch.closeFirst(() => connections.close());
  for (const text of [
    'CREATE SCHEMA rowhouse_space_1',
    'CREATE TABLE rowhouse_space_1._audience_member (member text COLLATE "C", audience text COLLATE "C", PRIMARY KEY (member, audience))',
    "INSERT INTO rowhouse_space_1._audience_member VALUES ('g1', 'g1,2'), ('g2', 'g1,2')",
    'CREATE TABLE rowhouse_space_1."Item" ("objectId" text COLLATE "C" PRIMARY KEY, title text, _audience text COLLATE "C" NOT NULL)',
  ]) {
    await connections.query({ text });
  }
  const numbers = Array.from({ length: 300 }, (_, number) => number);
  await connections.query({
    text: `INSERT INTO rowhouse_space_1."Item" SELECT id, 'title of ' || id, audience FROM unnest($1::text[], $2::text[]) AS item(id, audience)`,
    values: [arrayText(numbers.map(idOf)), arrayText(numbers.map(audienceOf))],
  });
  const sent: Sql[] = [];
  const watched: Connections = {
    ...connections,
    waiting: 0,
    query(sql, onRow) {
      sent.push(sql);
      return connections.query(sql, onRow);
    },
  };
  const records = openRecords({ reads: readsThrough(watched, defaults), settings: defaults, zone: zoneOf('UTC') });
  const get = (number: number, members: readonly string[]) =>
    records.record(1, statement, statement.bind({ parameters: [idOf(number)], members }));
  return { get, connections, sent };
}

const recordText = (number: number) => JSON.stringify({ objectId: idOf(number), title: `title of ${idOf(number)}` });

test('a single request is sent alone; by a named statement from the third time on', async (t) => {
  const { get, sent } = await opened(t);
  for (const number of [0, 3, 6, 9]) assert.equal(await get(number, [`u${number % 3}`, 'g2']), recordText(number));
  assert.equal(await get(1, ['u0']), null);
  assert.deepEqual(
    sent.map(({ name, values }) => [name !== undefined, values]),
    [
      [false, [idOf(0), '{u0,g2}']],
      [false, [idOf(3), '{u0,g2}']],
      [true, [idOf(6), '{u0,g2}']],
      [true, [idOf(9), '{u0,g2}']],
      [true, [idOf(1), '{u0}']],
    ],
  );
});

test('requests that arrive together are sent together, and each caller sees their own', async (t) => {
  const { get, sent } = await opened(t);
  const calls = Array.from({ length: 900 }, (_, index) => ({
    number: index % 305,
    user: `u${(index % 7) % 4}`,
    group: `g${index % 5}`,
  }));
  const answers = await Promise.all(calls.map(({ number, user, group }) => get(number, [user, group])));
  for (const [index, { number, user, group }] of calls.entries()) {
    const sees =
      number < 300 && (audienceOf(number) === 'g1,2' ? group === 'g1' || group === 'g2' : audienceOf(number) === user);
    assert.equal(answers[index], sees ? recordText(number) : null, `${idOf(number)} for ${user}, ${group}`);
  }
  assert.equal(sent.length, Math.ceil(900 / 64));
});

test('a table recreated under a prepared statement is read by a new statement', async (t) => {
  const { get, connections } = await opened(t);
  for (let call = 0; call < 5; call++) {
    await get(0, ['u0']);
    await Promise.all([get(0, ['u0']), get(3, ['g1'])]);
  }
  await connections.query({ text: 'ALTER TABLE rowhouse_space_1."Item" ALTER title TYPE bytea USING NULL' });
  await connections.query({ text: `ALTER TABLE rowhouse_space_1."Item" ALTER title TYPE integer USING 5` });
  const [alone, first, second] = [await get(0, ['u0']), ...(await Promise.all([get(0, ['u0']), get(3, ['g1'])]))];
  assert.equal(alone, JSON.stringify({ objectId: idOf(0), title: '5' }));
  assert.equal(first, alone);
  assert.equal(second, JSON.stringify({ objectId: idOf(3), title: '5' }));
});

test('all requests sent together get the error, and the next ones are answered', async (t) => {
  const { get, connections } = await opened(t);
  await connections.query({ text: 'ALTER TABLE rowhouse_space_1."Item" RENAME TO "Other"' });
  const failed = await Promise.allSettled([get(0, ['u0']), get(3, ['u0']), get(6, ['u0'])]);
  for (const one of failed)
    assert.match(String((one as PromiseRejectedResult).reason), /tables were changed meanwhile/);
  await connections.query({ text: 'ALTER TABLE rowhouse_space_1."Other" RENAME TO "Item"' });
  assert.equal(await get(0, ['u0']), recordText(0));
});

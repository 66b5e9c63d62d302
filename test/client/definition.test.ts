/** The client's report when the tables have changed since their types were generated. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { driftOf } from '../../packages/client/src/definition.ts';
import { read, type Service, start, stop } from './service.ts';
import { tables } from './tables.ts';
import { definition, type Tables } from './types.ts';

let service: Service<'alice' | 'bob'>;
before(async () => {
  service = await start({ people: ['alice', 'bob'], tables });
});
after(() => stop(service));

const clientOf = (who: 'alice' | 'bob') =>
  createClient<Tables>({ ...service.place, session: service.people[who].token });

test('a drift is reported by name to those who may read definitions', async () => {
  const made = {
    hash: 'of other tables',
    tables: { ...definition.tables, Gone: 'a text', Author: 'name varchar(50) required; nick text' },
  };
  const drift = await driftOf(clientOf('alice'), made);
  assert.deepEqual(drift?.differences.toSorted(), [
    '+ Author.born datetime',
    '+ DemoNote',
    '- Author.nick',
    '- Gone',
    '~ Author.name varchar(50) required → varchar(100) required',
  ]);
  const unnamed = await driftOf(clientOf('bob'), made);
  assert.deepEqual(unnamed?.differences, []);
  const { hash } = ((await read(service, '/schemas/info')) as { results: { hash: string } }).results;
  assert.equal(await driftOf(clientOf('bob'), { ...made, hash }), null);
});

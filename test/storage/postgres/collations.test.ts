/** Text is compared by code point in every database, because each column and index of ours names its collation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, defineTables, openScratch, tableOf } from '../scratch.ts';
import { databaseOf } from './database.ts';

/** Each column of a table or an index that compares text, and its collation. */
const collations = `SELECT relation.oid::regclass || '.' || attname, named.collname
  FROM pg_attribute JOIN pg_class AS relation ON relation.oid = attrelid JOIN pg_collation AS named ON named.oid = attcollation
  WHERE relation.relnamespace::regnamespace::text LIKE 'rowhouse\\_%'`;

test('every text column and index has the collation "C"', async (t) => {
  const { scratch, connect } = await databaseOf(t);
  const { storage } = await openScratch(t, { place: scratch });
  await storage.spaces.create(2);
  const columns = [
    column('short', { kind: 'varchar', length: 10 }),
    column('long', { kind: 'text' }),
    column('json', { kind: 'json' }),
  ];
  await defineTables(storage, 2, [tableOf('words', columns, [{ columns: ['short'], unique: true }])]);

  const { rows } = await connect().query({ text: collations, values: [] });
  // The installation's id has hexadecimal digits and is only compared for equality.
  const isId = (place: string | null | undefined) => /\.(installation\.id|_identity\.installation)$/.test(place ?? '');
  const others = rows.filter(([place, collation]) => collation !== 'C' && !isId(place));
  assert.deepEqual(others, []);
  const places = rows.map(([place]) => place);
  for (const place of [
    'rowhouse_directory."user".account',
    'rowhouse_directory.user_account.lower',
    'rowhouse_space_2.words.json',
  ]) {
    assert.ok(places.includes(place), `${place} of ${places.join(' ')}`);
  }
});

/** Stored data compared with the answers: every difference is reported. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from '../../lab/prove/installation.ts';

const found = { errors: [], records: 3, transactions: 2, strangers: 0, halves: 0 };
const answered = { records: 3, transactions: 2 };

test('exactly the answered data are stored', () => {
  assert.deepEqual(differences(found, answered), []);
});

test('each difference is reported', () => {
  assert.match(differences({ ...found, records: 4 }, answered).join(), /^There are 4 records; 3 were answered\.$/);
  assert.match(differences({ ...found, transactions: 1 }, answered).join(), /^The history has 1 transactions; 2 were/);
  assert.match(
    differences({ ...found, strangers: 1 }, answered).join(),
    /^1 records have the mark of a transaction that/,
  );
  assert.match(differences({ ...found, halves: 1 }, answered).join(), /^Of 1 batches of several tables, only a part/);
  assert.match(differences({ ...found, errors: ['row 7'] }, answered).join(), /^integrity check: row 7$/);
});

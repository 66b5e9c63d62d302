/** How SQLite finds records by their terms: by the rarest one, within the time limit; and which entries it keeps for them. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { newTerms } from '../../../src/schema/full-text.ts';
import type { NumberedTable } from '../../../src/schema/model.ts';
import { systemColumns } from '../../../src/schema/system.ts';
import { queryTerms, storedTerms } from '../../../src/schema/terms.ts';
import { createIndexes, createTable, termsIndexName } from '../../../src/storage/layout.ts';
import { sqliteDialect, sqliteLayout } from '../../../src/storage/sqlite/dialect.ts';
import { CallMemory, DeadlinePassed, registerFunctions } from '../../../src/storage/sqlite/functions.ts';
import { TermEntries } from '../../../src/storage/sqlite/terms.ts';

const text = { name: 'text', type: { kind: 'text' }, required: false, system: false, number: 9 } as const;
const terms = newTerms(text, 10);
const table: NumberedTable = {
  id: 1,
  name: 'Note',
  columns: [...systemColumns(), text, terms],
  indexes: [],
  lockFree: false,
};
const index = termsIndexName(table, terms);

/** Every text has "all", every tenth "some", and each a unique word. */
const rows = 20_000;
let isLate = false;
let looks = 0;
const db = new DatabaseSync(':memory:');
// Creates the table for the planner's statistics on indexes.
db.exec('ANALYZE');
const deadline = {
  passed: () => isLate,
  hasPassedNow() {
    looks++;
    return isLate;
  },
};
registerFunctions(db, deadline, () => 1, new CallMemory(2 ** 20));
db.exec(createTable(sqliteLayout, table).replaceAll(/("server\w+Time" INTEGER) NOT NULL/g, '$1'));
const insert = db.prepare(
  `INSERT INTO "Note" ("objectId", "text", "${terms.stored}", _audience, _seq) VALUES (?, ?, ?, 'a', 0)`,
);
db.exec('BEGIN');
for (let row = 0; row < rows; row++) {
  const words = `all ${row % 10 === 0 ? 'some ' : ''}w${row}`;
  insert.run(`r${row}`, words, storedTerms(words));
}
db.exec('COMMIT');
for (const sql of createIndexes(sqliteLayout, table)) db.exec(sql);

const search = `SELECT count(*) AS count FROM "Note" WHERE ${sqliteDialect.foundByTerms({ table, column: terms, terms: '?1' })}
  AND ${sqliteDialect.hasTerms(`"${terms.stored}"`, '?1')}`;

function find(words: string): number {
  looks = 0;
  return Number(db.prepare(search).get(sqliteDialect.boundTerms(queryTerms(words)) as string)?.count);
}

test('records are found by entries of the rarest term, and no other is read', () => {
  const plan = db
    .prepare(`EXPLAIN QUERY PLAN ${search}`)
    .all('[" all "]')
    .map(({ detail }) => String(detail));
  assert.ok(
    plan.some((step) => step.startsWith('SEARCH Note USING INDEX') && step.includes('(objectId=?)')),
    plan.join('\n'),
  );
  assert.ok(
    plan.some((step) => /^SEARCH found USING .*term>\? AND term<\?/.test(step)),
    plan.join('\n'),
  );
  assert.ok(!plan.some((step) => step.startsWith('SCAN Note')), plan.join('\n'));
});

test('a search reads about as many entries as the rarest term has', () => {
  assert.equal(find('all w77'), 1);
  assert.ok(looks <= 1, `${looks}`);
  assert.equal(find('w77 all'), 1);
  assert.ok(looks <= 1, `${looks}`);
  assert.equal(find('all some'), rows / 10);
  assert.ok(looks < rows / 10 / 4, `${looks}`);
  assert.equal(find('all'), rows);
  assert.ok(looks > rows / 64, `${looks}`);
});

test('a search in many entries ends at its time limit', () => {
  isLate = true;
  assert.throws(() => find('all'), DeadlinePassed);
  assert.throws(() => find('w*'), DeadlinePassed);
  isLate = false;
});

test('for a changed text only different entries are written, and no old one remains', () => {
  const entries = new TermEntries(db, index);
  const of = (id: string) =>
    db
      .prepare(`SELECT term FROM "${index}" WHERE id = ? ORDER BY term`)
      .all(id)
      .map(({ term }) => term);
  assert.deepEqual(of('r70'), ['all', 'some', 'w70']);
  const before = Number(db.prepare('SELECT total_changes() AS n').get()?.n);
  entries.change('r70', storedTerms('all some w70'), storedTerms('some all new'));
  assert.deepEqual(of('r70'), ['all', 'new', 'some']);
  assert.equal(Number(db.prepare('SELECT total_changes() AS n').get()?.n), before + 2);
  entries.change('r70', storedTerms('some all new'), null);
  assert.deepEqual(of('r70'), []);
  entries.change('r70', null, storedTerms('!?'));
  assert.deepEqual(of('r70'), []);
});

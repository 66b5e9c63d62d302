/** Which rows of a statement check the time: enough of any set, even one chosen by a tenant. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { drawFactor, everyRow } from '../../../src/storage/sqlite/deadline.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/dialect.ts';
import { CallMemory, DeadlinePassed, registerFunctions } from '../../../src/storage/sqlite/functions.ts';

/** A table `t` with these row numbers, a way to visit them all, and the number of checks of the time. */
function visitor(rowids: Iterable<number>, factor: number) {
  const db = new DatabaseSync(':memory:');
  const seen = { asked: 0, late: false };
  const ask = () => {
    seen.asked++;
    return seen.late;
  };
  registerFunctions(db, { passed: ask, hasPassedNow: ask }, () => factor, new CallMemory(1024 * 1024));
  db.exec('CREATE TABLE t (x); BEGIN');
  const insert = db.prepare('INSERT INTO t (rowid) VALUES (?)');
  for (const rowid of rowids) insert.run(rowid);
  db.exec('COMMIT');
  const condition = sqliteDialect.withinDeadline('t', true);
  const visit = db.prepare(`SELECT count(*) AS count FROM t WHERE ${condition}`);
  return { db, seen, visit: () => visit.get()!.count };
}

const drawn = () => drawFactor({ random: (bytes) => randomBytes(bytes) });

test('about one row in sixteen checks the time, and with the factor for tests every row does', () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1);
  const some = visitor(numbers, drawn());
  assert.equal(some.visit(), 20_000);
  assert.ok(some.seen.asked > 20_000 / 32 && some.seen.asked < 20_000 / 8, `${some.seen.asked} asked`);
  some.seen.late = true;
  assert.throws(some.visit, DeadlinePassed);
  const all = visitor(numbers, everyRow);
  assert.equal(all.visit(), 20_000);
  assert.equal(all.seen.asked, 20_000);
});

test('whichever rows a tenant keeps without knowing the factor, some of 200 check the time', () => {
  for (let round = 0; round < 15; round++) {
    const factor = drawn();
    const first = 1 + (randomBytes(4).readUInt32LE() % 1_000_000);
    for (let stride = 1; stride <= 16; stride++) {
      const kept = Array.from({ length: 200 }, (_, index) => first + index * stride);
      const { seen, visit } = visitor(kept, factor);
      visit();
      assert.ok(seen.asked > 0, `factor ${factor}, first ${first}, stride ${stride}`);
    }
  }
});

test('rows without a check under one factor have checks under another, since it differs between processes', () => {
  const silent = visitor(
    Array.from({ length: 4_000 }, (_, index) => index + 1),
    drawn(),
  );
  const deleted = silent.db.prepare('DELETE FROM t WHERE (rowid * deadline_factor() & 983040) = 0').run();
  assert.ok(deleted.changes > 0);
  silent.visit();
  assert.equal(silent.seen.asked, 0, 'with the factor known, the gate is defeated');
  let asked = 0;
  for (let round = 0; round < 20; round++) {
    const again = visitor(
      silent.db
        .prepare('SELECT rowid AS id FROM t')
        .all()
        .map(({ id }) => Number(id)),
      drawn(),
    );
    again.visit();
    if (again.seen.asked >= 40) asked++;
  }
  assert.ok(asked >= 18, `with ${asked} of 20 other factors the rows ask`);
});

test('in joins some of the pairs check the time, whatever their rows', () => {
  const { seen, db } = visitor(
    Array.from({ length: 60 }, (_, index) => index + 1),
    drawn(),
  );
  const inTime = (name: string) => sqliteDialect.withinDeadline(name, false);
  const pairs = db.prepare(
    `SELECT count(*) AS count FROM (SELECT rowid FROM t WHERE ${inTime('t')}) CROSS JOIN (SELECT rowid FROM t WHERE ${inTime('t')})`,
  );
  assert.equal(pairs.get()!.count, 3_600);
  // About 228; each is drawn independently.
  assert.ok(seen.asked > 100 && seen.asked < 400, `${seen.asked} asked`);
});

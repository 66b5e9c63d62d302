/** The memory kept by function calls: bounded for any query, with the same answer when it must run in steps. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Settings } from '../../../src/config.ts';
import { ServiceError } from '../../../src/errors.ts';
import { check } from '../../../src/query/check.ts';
import { compileCount, compileRows } from '../../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../../src/query/expression-form.ts';
import { foldLower, foldUpper } from '../../../src/schema/fold.ts';
import { zoneOf } from '../../../src/schema/time.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { wholeOf } from '../../engines/json-text.ts';
import { column, defineTables, openScratch, tableOf } from '../scratch.ts';

const mebibyte = 1024 * 1024;
const keptMax = 64 * mebibyte;

const fewBodies = `iif(i % 1000 = 0, 'Ä' || printf('%.3000c', 'b') || (i / 1000 % 7), NULL)`;

/** Data space 1 with two tables of this many records; every third title has only ASCII characters. */
async function filled(test: TestContext, rows: number, bounds: Partial<Settings> = {}, body = fewBodies) {
  const opened = await openScratch(test, { settings: { queryTimeMs: 120_000, ...bounds } });
  const { storage, settings } = opened;
  await storage.spaces.create(1);
  const columns = [
    column('title', { kind: 'varchar', length: 200 }),
    column('body', { kind: 'text' }),
    column('size', { kind: 'long' }),
  ];
  const definition = await defineTables(storage, 1, [tableOf('doc', columns), tableOf('part', columns)]);
  const folder = settings.storage.replace('sqlite:', '');
  const db = new DatabaseSync(pathOf(folder, 1));
  const own: Record<string, string> = {
    objectId: `'d' || i`,
    title: `iif(i % 3 = 0, 'Title ', 'TITLE Äé') || (i % 100) || printf('%.80c', 'X')`,
    body,
    size: 'i',
    _audience: `iif(i % 10 = 1, 'u9', 'a')`,
    _seq: 'i',
  };
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').all('doc');
  const values = names.map(({ name }) => own[name as string] ?? '1').join(', ');
  for (const table of ['doc', 'part']) {
    db.exec(`WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < ${rows})
      INSERT INTO ${table} SELECT ${values} FROM k`);
  }
  db.close();
  const rules = { ...settings, zone: zoneOf('UTC') };
  const inputs = { members: ['u1', 'a'], offset: 0, limit: 3 };
  return async (form: Omit<ExpressionForm, 'from'>, wanted: 'rows' | 'count') => {
    const whole = { from: { phyName: 'doc', alias: 'd' }, ...form };
    const { query, parameters } = readExpressionForm(whole, settings);
    const checked = check(query, definition, settings);
    const statement = (wanted === 'rows' ? compileRows : compileCount)(checked, storage.dialect, rules);
    const bound = { statement, values: statement.bind({ ...inputs, parameters }), inputs: { ...inputs, parameters } };
    const { arrays, count } = await storage.spaces.select(1, { [wanted]: bound });
    return wanted === 'count'
      ? count
      : (JSON.parse(wholeOf(arrays[0])) as { objectId: string }[]).map(({ objectId }) => objectId);
  };
}

const where = (source: string, ...params: string[]) => ({ where: { expression: { source, params } } });

/** The records as made by SQL, for the expected answers. */
function recordsOf(rows: number) {
  return Array.from({ length: rows }, (_, index) => index + 1)
    .filter((i) => i % 10 !== 1)
    .map((i) => ({
      id: `d${i}`,
      title: `${i % 3 === 0 ? 'Title ' : 'TITLE Äé'}${i % 100}${'X'.repeat(80)}`,
      body: i % 1000 === 0 ? `Ä${'b'.repeat(3000)}${Math.floor(i / 1000) % 7}` : null,
    }));
}

test('a long text can be compared by LIKE many times, and, if computed, as often as memory allows', async (t) => {
  const ask = await filled(t, 3, { valueBytesMax: mebibyte }, `printf('%.${mebibyte}c', 'b')`);
  const likes = (count: number, operand: string) =>
    where(Array.from({ length: count }, (_, n) => `${operand} LIKE '%b${n}x'`).join(' OR '));
  assert.equal(await ask(likes(200, 'UPPER(#d.body)'), 'count'), 0);
  assert.equal(await ask(likes(20, 'TRIM(#d.body)'), 'count'), 0);
  await assert.rejects(ask(likes(21, 'TRIM(#d.body)'), 'count'), /22020096 bytes of text .*functionBytesMax/);
});

test('a query keeps at most 64 MiB, and answers the same in steps', async (t) => {
  const rows = 90_000;
  const ask = await filled(t, rows);
  const records = recordsOf(rows);
  const most = { bytes: 0 };
  const matching = (isMatch: (record: (typeof records)[number]) => boolean) => records.filter(isMatch);
  const asked = async (form: Omit<ExpressionForm, 'from'>, wanted: 'rows' | 'count', expected: unknown) => {
    const before = process.resourceUsage().maxRSS;
    assert.deepEqual(await ask(form, wanted), expected, JSON.stringify(form));
    most.bytes = Math.max(most.bytes, (process.resourceUsage().maxRSS - before) * 1024);
  };
  const folded = (title: string) => foldLower(title) === foldLower(`title äé7${'X'.repeat(80)}`);
  const sevens = matching(({ title }) => folded(title));
  assert.ok(sevens.length > 100);
  const lower = 'LOWER(#d.title) = LOWER(?)';
  const value = `TITLE ÄÉ7${'X'.repeat(80)}`;
  const many = Array.from({ length: 8 }, (_, n) => `UPPER(#d.title) = '${n}'`).join(' OR ');
  await asked(where(`${lower} OR ${many}`, value), 'count', sevens.length);
  const order = { orderBy: [{ column: '#d.size', type: 'DESC' }], range: { offset: '0', limit: '3' } };
  const last = sevens.slice(-3).reverse();
  await asked(
    { ...where(lower, value), ...order } as never,
    'rows',
    last.map(({ id }) => id),
  );
  const upper = (title: string) => foldUpper(title).startsWith('TITLE ÄÉ7') && title.includes('X');
  await asked(
    where("NOT (UPPER(LOWER(#d.title)) LIKE 'TITLE ÄÉ7%X')"),
    'count',
    matching((r) => !upper(r.title)).length,
  );
  await asked(where("#d.size * 2 + 0 > 1 AND #d.title <> ''"), 'count', records.length);

  const join = (source: string) => ({
    join: [{ entity: 'part', entityAlias: 'p', type: 'LEFT OUTER JOIN', expression: { source, params: [] } }],
  });
  const both = 'LOWER(#p.title) = LOWER(UPPER(TRIM(#d.title)))';
  const joined = join(`#p.objectId = #d.objectId AND ${both}`);
  await asked({ ...joined, ...where('#p.objectId IS NOT NULL') } as never, 'count', records.length);
  const chosen = "COALESCE(#p.body, #d.body, LOWER(#d.title)) LIKE '%b3'";
  const bodies = matching(({ body }) => body?.endsWith('b3') === true);
  await asked({ ...joined, ...where(chosen) } as never, 'count', bodies.length);
  await asked({ ...joined, ...where(`NOT ${chosen}`) } as never, 'count', records.length - bodies.length);
  const found = (condition: string) =>
    where(`EXISTS (SELECT 1 FROM part p WHERE ${condition} AND LOWER(#p.title) = LOWER(?))`, value);
  await asked(found('#p.objectId = #d.objectId'), 'count', sevens.length);
  await asked(found('#p.size = #d.size AND LOWER(#p.title) = LOWER(#d.title)'), 'count', sevens.length);
  const full = { join: joined.join.map((one) => ({ ...one, type: 'FULL JOIN' })) };
  await asked({ ...full, ...where(`${lower} AND ${both}`, value) } as never, 'count', sevens.length);
  assert.ok(most.bytes <= keptMax, `${Math.round(most.bytes / mebibyte)} MiB were kept.`);
});

test('a single text too long for functions to keep is refused, and the error names the setting', async (t) => {
  // For the only body, 3 002 characters, the function keeps its text, its result, and 64 bytes for the call.
  const keptBytes = 64 + 2 * 2 * 3_002;
  const form = where("LOWER(#d.body) <> 'x'");
  const atLimit = await filled(t, 1_000, { functionBytesMax: keptBytes });
  assert.equal(await atLimit(form, 'count'), 1);
  const beyond = await filled(t, 1_000, { functionBytesMax: keptBytes - 1 });
  await assert.rejects(beyond(form, 'count'), (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.deepEqual([error.reason, error.details.status], [212, 413]);
    assert.match(error.message, new RegExp(`${keptBytes - 1} bytes .*\\(setting functionBytesMax\\)`));
    return true;
  });
});

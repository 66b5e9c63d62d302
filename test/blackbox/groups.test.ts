/** Groups of a select query over HTTP (docs/reference/queries.md#groups): aggregates, having, distinct, pages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { salesTable } from '../../lab/questions/groups-oracle.ts';
import { askOracle, describe as describeDifference } from '../../lab/questions/groups-run.ts';
import { engine } from '../engines/engine.ts';
import { assertEnvelope, assertNothingForeign } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, type QueryBody, send } from '../harness/requests.ts';
import { startWorld, type Who, type World } from '../harness/world.ts';
import { from, joined, where } from './queries.cases.ts';
import { itemRows, itemTable, kindRows, kindTable, valuesTable } from './tables.ts';

type Row = Readonly<Record<string, unknown>>;
type Body = QueryBody & Readonly<Record<string, unknown>>;

const value = (name: string, source: string, ...params: unknown[]) => ({ name, expression: { source, params } });
const having = (source: string, ...params: unknown[]) => ({ expression: { source, params } });

const groupsMax = 70;

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'], settings: { groupsMax } });
  await defineTables(world, 'alice', [itemTable, kindTable, valuesTable, salesTable]);
  const open = (rows: readonly object[]) => rows.map((row) => ({ ...row, scopeType: '3' }));
  await addRecords(world, 'alice', 'Item', open(itemRows));
  await addRecords(world, 'alice', 'Kind', open(kindRows));
});
after(() => world.close());

const ask = (body: Body, who: Who = 'alice') => send(world, who, 'POST', `data/select/${body.from.phyName}`, body);

async function selected(body: Body, who?: Who): Promise<{ rows: Row[]; next: string | null }> {
  const answer = await ask(body, who);
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  assertEnvelope(answer, 0);
  assertNothingForeign(world, who ?? 'alice', answer);
  return { rows: valueAt(answer.json, 'rows') as Row[], next: valueAt(answer.json, 'next') as string | null };
}

async function pages(body: Body): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { rows: Row[]; next: string | null } = await selected({ ...body, after: cursor });
    rows.push(...page.rows);
    cursor = page.next;
  }
  return rows;
}

async function refused(body: Body, description: RegExp): Promise<void> {
  const answer = await ask(body);
  assertEnvelope(answer, 132);
  assert.match(String(valueAt(answer.json, 'description')), description);
}

describe('aggregates of all rows', () => {
  const most = '9223372036854775807';
  const least = '-9223372036854775808';
  const numbers = [
    { objectId: 'n1', l: most, i: 2147483647, dec: '9999999999999999.99', whole: '1', b: true, v5: 'b' },
    { objectId: 'n2', l: most, i: 2147483647, dec: '9999999999999999.99', whole: '1', b: false, v5: '😀' },
    { objectId: 'n3', l: most, i: 2147483647, dec: '0.01', whole: '2', b: null, v5: '\ufffd' },
    { objectId: 'n4', l: null, i: null, dec: null, whole: null, v5: null, j: { a: 1 } },
  ];
  before(() =>
    addRecords(
      world,
      'alice',
      'Value',
      numbers.map((row) => ({ ...row, scopeType: '3' })),
    ),
  );
  const of = (...values: object[]) => from('Value', 'v', { select: values }) as Body;

  test('sums are exact beyond 64 bits, and averages rounded half away from zero', async () => {
    const body = of(
      value('l', 'SUM(#v.l)'),
      value('i', 'SUM(#v.i)'),
      value('dec', 'SUM(#v.dec)'),
      value('meanL', 'AVG(#v.l)'),
      value('meanDec', 'AVG(#v.dec)'),
      value('mean', 'AVG(#v.whole)'),
      value('below', 'AVG(0 - #v.i)'),
      value('third', 'AVG(#v.i - 2147483646 + LENGTH(#v.v5) - #v.i + 2147483645)'),
    );
    assert.deepEqual((await selected(body)).rows, [
      {
        l: '27670116110564327421',
        i: '6442450941',
        dec: '19999999999999999.99',
        meanL: '9223372036854775807.000000',
        meanDec: '6666666666666666.66333333',
        mean: '1.333333',
        below: '-2147483647.000000',
        third: '0.000000',
      },
    ]);
    const half = [`${most}`, least].map((l, index) => ({ objectId: `h${index}`, l, v5: 'half' }));
    await addRecords(world, 'alice', 'Value', half);
    const averages = of(value('mean', 'AVG(#v.l)'), value('sum', 'SUM(#v.l)'));
    const rows = async (source: string) => (await selected({ ...averages, where: where(source) })).rows;
    assert.deepEqual(await rows("#v.objectId LIKE 'h%'"), [{ mean: '-0.500000', sum: '-1' }]);
    assert.deepEqual(await rows("#v.objectId = 'h1'"), [{ mean: `${least}.000000`, sum: least }]);
  });

  test('an average halfway between two numbers is rounded away from zero', async () => {
    const one = (amount: string, paid: boolean) =>
      Array.from({ length: 128 }, (_, n) => ({
        objectId: `${amount}/128-${n}`,
        note: 'half',
        paid,
        amount: n === 0 ? amount : '0',
      }));
    await addRecords(world, 'alice', 'Sale', [...one('-1', false), ...one('1', true)]);
    const body = from('Sale', 's', {
      select: [value('mean', 'AVG(#s.amount)')],
      where: where("#s.note = 'half'"),
      groupBy: ['#s.paid'],
    }) as Body;
    assert.deepEqual((await selected(body)).rows, [{ mean: '-0.007813' }, { mean: '0.007813' }]);
  });

  test('counts are numbers, and nulls do not count', async () => {
    const body = of(
      value('rows', 'COUNT(*)'),
      value('values', 'COUNT(#v.whole)'),
      value('different', 'COUNT(DISTINCT #v.whole)'),
      value('json', 'COUNT(#v.j)'),
      value('twice', 'COUNT(*) * 2'),
      value('none', 'COUNT(*) / 0'),
      value('rest', 'COUNT(*) % (COUNT(*) - 4)'),
    );
    const { rows } = await selected({ ...body, where: where("#v.objectId LIKE 'n%'") });
    assert.deepEqual(rows, [{ rows: 4, values: 3, different: 2, json: 1, twice: '8', none: null, rest: null }]);
  });

  test('minimum and maximum, for every ordered type', async () => {
    const body = of(
      value('text', 'MAX(#v.v5)'),
      value('least', 'MIN(#v.v5)'),
      value('bool', 'MAX(#v.b)'),
      value('none', 'MIN(#v.b)'),
      value('long', 'MIN(#v.l)'),
      value('decimal', 'MIN(#v.dec)'),
      value('upper', 'LOWER(MAX(UPPER(#v.v5)))'),
    );
    const { rows } = await selected({ ...body, where: where("#v.objectId LIKE 'n%'") });
    const expected = { text: '😀', least: 'b', bool: true, none: false, long: most, decimal: '0.01', upper: '😀' };
    assert.deepEqual(rows, [expected]);
  });

  test('without rows null, except counts', async () => {
    const body = of(value('n', 'COUNT(*)'), value('s', 'SUM(#v.l)'), value('a', 'AVG(#v.l)'), value('m', 'MAX(#v.v5)'));
    const none = { ...body, where: where('1 = 0') };
    assert.deepEqual((await selected(none)).rows, [{ n: 0, s: null, a: null, m: null }]);
    assert.deepEqual((await selected({ ...none, select: [value('s', 'COALESCE(SUM(#v.l), 7)')] })).rows, [{ s: '7' }]);
    const paged = { ...none, range: { limit: 1 }, after: '' };
    assert.deepEqual(await selected(paged), { rows: [{ n: 0, s: null, a: null, m: null }], next: null });
  });

  test('as text, if requested', async () => {
    const body = { ...of(value('n', 'COUNT(*)'), value('b', 'MAX(#v.b)')), where: where('#v.b'), values: 'text' };
    assert.deepEqual((await selected(body)).rows, [{ n: '1', b: 'true' }]);
  });
});

describe('groups', () => {
  const byKind = from('Item', 't', {
    join: [joined('LEFT JOIN', 'Kind', 'k', '#t.kindId = #k.objectId')],
    select: [value('kind', '#k.objectId'), value('n', 'COUNT(*)')],
    groupBy: ['kind'],
  }) as Body;
  const counted = () => {
    const known = new Set(kindRows.map(({ objectId }) => objectId));
    const counts = new Map<string | null, number>();
    for (const { kindId } of itemRows) {
      const kind = known.has(String(kindId)) ? String(kindId) : null;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const kinds = [...counts].sort(([one], [other]) => (String(one ?? '') < String(other ?? '') ? -1 : 1));
    return kinds.map(([kind, n]) => ({ kind, n }));
  };

  test('are ordered by their keys, nulls first, and may be joined rows', async () => {
    assert.deepEqual((await selected(byKind)).rows, counted());
    assert.equal(counted()[0]?.kind, null);
  });

  test('having and order accept names, aggregates that are not in select, and parameters', async () => {
    const body = {
      ...byKind,
      having: having('n >= ? AND COUNT(#t.n) >= 0', '1'),
      orderBy: [{ column: 'COUNT(*)', type: 'DESC' }, { column: 'kind' }],
    };
    const expected = counted().sort((one, other) => other.n - one.n);
    assert.deepEqual((await selected(body)).rows, expected);
    assert.deepEqual(await pages({ ...body, range: { limit: 1 } }), expected);
  });

  test('a computed key, named or repeated, and an expression of it', async () => {
    const select = [value('low', 'LOWER(#t.name)'), value('size', 'LENGTH(LOWER(#t.name))'), value('n', 'COUNT(*)')];
    const named = await selected(from('Item', 't', { select, groupBy: ['low'] }) as Body);
    const repeated = await selected(from('Item', 't', { select, groupBy: ['LOWER(#t.name)'] }) as Body);
    assert.deepEqual(named.rows, repeated.rows);
    const apple = named.rows.find(({ low }) => low === 'apple');
    assert.equal(apple?.size, 5);
    assert.equal(apple?.n, itemRows.filter(({ name }) => String(name).toLowerCase() === 'apple').length);
  });

  test('a sum compares and sorts as a number with other numbers', async () => {
    const select = [value('kind', '#t.kindId'), value('sum', 'SUM(#t.price)'), value('n', 'SUM(#t.n)')];
    const sums = from('Item', 't', { select, groupBy: ['kind'] }) as Body;
    const { rows } = await selected({ ...sums, orderBy: [{ column: 'sum' }] });
    const numbers = rows.map(({ sum }) => (sum === null ? Number.NEGATIVE_INFINITY : Number(sum)));
    assert.deepEqual(
      numbers,
      [...numbers].sort((one, other) => one - other),
    );
    const most = Math.max(...numbers);
    const greatest = await selected({ ...sums, having: having('SUM(#t.price) >= ?', String(most)) });
    assert.deepEqual(
      greatest.rows.map(({ sum }) => Number(sum)),
      [most],
    );
    const aboveLeast = { ...sums, having: having('AVG(#t.price) > MIN(#t.price) OR SUM(#t.n) > COUNT(*)') };
    assert.ok((await selected(aboveLeast)).rows.length > 0);
  });

  test('distinct rows', async () => {
    const body = from('Item', 't', { select: [value('kind', '#t.kindId'), value('open', '#t.open')] }) as Body;
    const all = (await selected(body)).rows.map((row) => JSON.stringify(row));
    const { rows } = await selected({ ...body, distinct: true });
    assert.deepEqual(rows.map((row) => JSON.stringify(row)).sort(), [...new Set(all)].sort());
    assert.ok(rows.length < all.length);
  });

  test('cover the rows that the caller sees', async () => {
    await addRecords(world, 'bob', 'Kind', [{ objectId: 'hidden', scopeType: '1', label: 'secret', rank: 1 }]);
    world.secrets.push({ text: 'secret', what: "a record of bob's", known: ['bob'] });
    const body = from('Kind', 'k', { select: [value('n', 'COUNT(*)'), value('last', 'MAX(#k.label)')] }) as Body;
    const [mine, bobs] = [await selected(body), await selected(body, 'bob')];
    assert.equal(Number(bobs.rows[0]?.n), Number(mine.rows[0]?.n) + 1);
  });

  test('more than groupsMax are refused, however few remain after having and the range', async () => {
    const many = Array.from({ length: groupsMax + 1 }, (_, n) => ({ objectId: `many${n}`, grade: n, note: 'many' }));
    await addRecords(world, 'alice', 'Sale', many);
    const body = from('Sale', 's', { select: [value('n', 'COUNT(*)')], groupBy: ['#s.grade'] }) as Body;
    const within = { ...body, where: where("#s.note = 'many' AND #s.grade > 0") };
    assert.equal((await selected(within)).rows.length, groupsMax);
    const beyond = { ...body, having: having('n > 1'), range: { limit: 1 } };
    const answer = await ask(beyond);
    assert.equal(answer.status, 413);
    assertEnvelope(answer, 212);
    assert.match(String(valueAt(answer.json, 'description')), /more than 70 groups \(setting groupsMax\)/);
    assert.equal((await selected(within)).rows.length, groupsMax);
  });

  test('random queries have the answers of an oracle', async (t) => {
    const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 2_147_483_648);
    t.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
    let round = 0;
    const differences = await askOracle(
      {
        async fill(records) {
          round++;
          const { rows } = await selected(from('Sale', 's') as Body);
          const objectIds = rows
            .map(({ s }) => s as Row)
            .map(({ objectId, serverUpdateTime }) => ({ objectId, serverUpdateTime }));
          const body = { objectName: 'Sale', objectIds };
          if (rows.length > 0) assertEnvelope(await send(world, 'alice', 'POST', 'data/batch/deleteData', body), 0);
          const data = records.map((record, n) => ({ ...record, objectId: `${round}-${n}` }));
          if (data.length > 0) await addRecords(world, 'alice', 'Sale', data);
        },
        ask: async ({ body }) => ({
          [engine]: 'after' in body ? await pages(body as Body) : (await selected(body as Body)).rows,
        }),
      },
      { seed, cases: 200 },
    );
    assert.deepEqual(
      differences.map((difference) => describeDifference(difference, seed)),
      [],
    );
  });
});

describe('what is refused', () => {
  const item = (extra: object) => from('Item', 't', extra) as Body;
  const count = value('c', 'COUNT(*)');
  const cases: readonly (readonly [string, object, RegExp])[] = [
    [
      'a column that is neither grouped nor aggregated',
      { select: [value('n', '#t.n + 1'), count] },
      /^select\[0\]\.expression\.source, character 1: the column "n" of table "Item" \(integer\) has many values in a group: list #t\.n in groupBy, or write MIN\(#t\.n\)/,
    ],
    [
      'the same in having',
      { select: [count], having: having('#t.n > 1') },
      /^having\.expression\.source, character 1: the col/,
    ],
    [
      'the same in orderBy',
      { select: [count], orderBy: [{ column: '#t.n' }] },
      /^orderBy\[0\]\.column, character 1: the col/,
    ],
    [
      'an aggregate in a condition on rows',
      { where: where('COUNT(*) > 1') },
      /^where\.expression\.source, character 1: COUNT\(\.\.\.\) is not a value of a row; it may stand in select, having/,
    ],
    [
      'an aggregate in another',
      { select: [value('m', 'MAX(SUM(#t.n))')] },
      /character 5: SUM\(\.\.\.\) is not a value of a row/,
    ],
    ['an aggregate to group by', { select: [count], groupBy: ['c'] }, /COUNT\(\.\.\.\) is not a value of a row/],
    [
      'a sum of doubles',
      { select: [value('s', 'SUM(#t.ratio)')] },
      /character 5: SUM: expected an integer, a long or a decimal, got the column "ratio".*\(double\).*decimals/,
    ],
    [
      'a sum of text',
      { select: [value('s', 'AVG(#t.name)')] },
      /AVG: expected an integer, a long or a decimal, got the column "name"/,
    ],
    [
      'json to group by',
      { select: [value('j', '#t.extra')], distinct: true },
      /a value of type json can't be grouped by/,
    ],
    ['json to compare', { select: [value('j', 'MAX(#t.extra)')] }, /a value of type json can't be compared/],
    [
      'json to count by its values',
      { select: [value('j', 'COUNT(DISTINCT #t.extra)')] },
      /json can't be counted by its values/,
    ],
    [
      'an unknown name',
      { select: [count], orderBy: [{ column: 'd' }] },
      /^orderBy\[0\]\.column, character 1: unknown word "d", select has "c"/,
    ],
    [
      'a parameter in groupBy',
      { select: [count], groupBy: ['#t.n + ?'] },
      /^groupBy\[0\]: expected no "\?", but the name/,
    ],
    ['groups of whole records', { groupBy: ['#t.n'] }, /^select: expected values beside "groupBy"/],
    ['distinct whole records', { distinct: true }, /^select: expected values beside "distinct"/],
    ['distinct beside groups', { select: [count], distinct: true }, /^distinct: expected none beside groupBy/],
    ['an empty groupBy', { select: [count], groupBy: [] }, /^groupBy/],
    [
      'an aggregate without its value',
      { select: [value('s', 'SUM(*)')] },
      /character 5: SUM takes a value; COUNT\(\*\) counts rows/,
    ],
    [
      'COUNT without anything',
      { select: [value('s', 'COUNT()')] },
      /character 7: COUNT: expected a value, got none; COUNT\(\*\) counts rows\.$/,
    ],
    [
      'an aggregate without anything',
      { select: [value('s', 'SUM()')] },
      /character 5: SUM: expected a value, got none\.$/,
    ],
    [
      'a name of select in the order of rows without groups',
      { select: [value('v', '#t.n')], orderBy: [{ column: 'v' }] },
      /^orderBy\[0\]\.column: expected a column .* got "v"\. Names of select work only with groupBy, distinct or an/,
    ],
    [
      'another word there',
      { select: [value('v', '#t.n')], orderBy: [{ column: 'w' }] },
      /^orderBy\[0\]\.column: expected a column like #alias\.column, got "w"\.$/,
    ],
    [
      'distinct in another aggregate',
      { select: [value('s', 'SUM(DISTINCT #t.n)')] },
      /DISTINCT can only stand in COUNT/,
    ],
    ['several values', { select: [value('s', 'SUM(#t.n, 1)')] }, /character 1: SUM: expected one value, got several/],
    ['an aggregate of a condition', { select: [value('s', 'COUNT(#t.n > 1)')] }, /expected a value, got a condition/],
    [
      'sums of other digits',
      { select: [count], having: having('SUM(#t.price) > AVG(#t.price)') },
      /they have 8 and 2 digits after the point|they have 2 and 8 digits after the point/,
    ],
    [
      'a name of select in a condition on rows',
      { select: [value('a', '#t.n')], where: where('a > 1') },
      /unknown word "a"/,
    ],
    [
      'many counts of different values',
      { select: Array.from({ length: 9 }, (_, n) => value(`c${n}`, `COUNT(DISTINCT #t.n + ${n})`)) },
      /The query has 9 counts of distinct values; at most 8 are possible\./,
    ],
  ];
  for (const [what, extra, description] of cases) test(what, () => refused(item(extra), description));
});

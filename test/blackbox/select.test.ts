/** Select queries over HTTP (docs/reference/queries.md#selecting): rows, values of every type, pages by cursor. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { assertEnvelope, assertNothingForeign } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, type QueryBody, send } from '../harness/requests.ts';
import { startWorld, type Who, type World } from '../harness/world.ts';
import { holds } from '../query/seeded.ts';
import { from, joined, where } from './queries.cases.ts';
import { itemRows, itemTable, kindRows, kindTable, valuesTable } from './tables.ts';

type Row = Readonly<Record<string, unknown>>;
type Body = QueryBody & Readonly<Record<string, unknown>>;

const value = (name: string, source: string, ...params: unknown[]) => ({ name, expression: { source, params } });

const pagedTable = {
  name: 'Paged',
  primary_key: 'objectId',
  columns: [
    { colName: 'a', type: 'integer' },
    { colName: 'b', type: 'varchar', fieldLength: 5 },
    { colName: 'price', type: 'decimal', precision: 10, scale: 2 },
    { colName: 'ratio', type: 'double' },
    { colName: 'open', type: 'bool' },
    { colName: 'at', type: 'datetime' },
    { colName: 'must', type: 'long', required: true },
  ],
  indexes: [{ columns: ['a', 'b'], unique: false }],
};

/** Few different values, including nulls, so that keys tie. */
const pagedRows = Array.from({ length: 60 }, (_, n) => ({
  objectId: `p${String((n * 37) % 60).padStart(2, '0')}`,
  a: n % 4 === 3 ? null : n % 3,
  b: n % 5 === 4 ? null : ['x', 'Y', 'ä', '😀'][n % 4],
  price: n % 7 === 6 ? null : `${(n % 5) - 2}.50`,
  ratio: n % 6 === 5 ? null : (n % 3) / 8,
  open: n % 3 === 2 ? null : n % 2 === 0,
  at: n % 8 === 7 ? null : `2026-0${1 + (n % 3)}-01T00:00:00Z`,
  must: String(n % 4),
}));

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob', 'dave'] });
  await defineTables(world, 'alice', [itemTable, kindTable, valuesTable, pagedTable]);
  const open = (rows: readonly object[]) => rows.map((row) => ({ ...row, scopeType: '3' }));
  await addRecords(world, 'alice', 'Item', open(itemRows));
  await addRecords(world, 'alice', 'Kind', open(kindRows));
  await addRecords(world, 'alice', 'Paged', open(pagedRows));
  await addRecords(
    world,
    'bob',
    'Paged',
    pagedRows.map((row) => ({ ...row, objectId: `bob-${row.objectId}`, scopeType: '1' })),
  );
  world.secrets.push({ text: 'bob-', what: "a record of bob's", known: ['bob'] });
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

async function refused(body: Body, ...has: RegExp[]): Promise<void> {
  const answer = await ask(body);
  assertEnvelope(answer, 132);
  assertNothingForeign(world, 'alice', answer);
  for (const pattern of has) assert.match(String(valueAt(answer.json, 'description')), pattern);
}

describe('what a row holds', () => {
  test('the record of each alias, null on the missing side of a join', async () => {
    const join = [joined('LEFT JOIN', 'Kind', 'k', '#t.kindId = #k.objectId')];
    const { rows, next } = await selected(from('Item', 't', { join, values: 'text' }) as Body);
    const older = await send(world, 'alice', 'POST', 'data/query/Item', from('Item', 't', { join }));
    const arrays = older.json as unknown as Record<'t' | 'k', Row[]>;
    const expected = arrays.t.map((record, index) => {
      const kind = arrays.k[index];
      return { t: record, k: kind?.objectId === null ? null : kind };
    });
    assert.deepEqual(rows, expected);
    assert.ok(rows.some(({ k }) => k === null) && rows.some(({ k }) => k !== null));
    assert.equal(next, null);
  });

  test('values under names: columns of every alias, expressions, literals and parameters', async () => {
    const body = from('Item', 't', {
      join: [joined('INNER JOIN', 'Kind', 'k', '#t.kindId = #k.objectId')],
      where: where('#t.objectId = ?', 'i1'),
      select: [
        value('id', '#t.objectId'),
        value('kind', '#k.objectId'),
        value('upper', 'UPPER(TRIM(#t.name))'),
        value('next', '#t.n + ?', '1'),
        value('length', 'LENGTH(#t.name)'),
        value('chosen', "COALESCE(NULL, ?, 'b')", 'a'),
        value('yes', 'TRUE'),
        value('half', '0.5'),
        value('nothing', 'NULL'),
        value('digits', 'COALESCE(#t.n, #t.price)'),
      ],
    }) as Body;
    const item = itemRows.find(({ objectId }) => objectId === 'i1') as Row;
    assert.deepEqual((await selected(body)).rows, [
      {
        id: 'i1',
        kind: item.kindId,
        upper: String(item.name).trim().toUpperCase(),
        next: String(Number(item.n) + 1),
        length: [...String(item.name)].length,
        chosen: 'a',
        yes: true,
        half: 0.5,
        nothing: null,
        digits: `${item.n}.00`,
      },
    ]);
  });

  test('a json value that LOWER and LIKE also read', async () => {
    const body = from('Item', 't', {
      where: where("LOWER(#t.name) LIKE '%'"),
      select: [value('low', 'LOWER(#t.name)'), value('extra', '#t.extra')],
      orderBy: [{ column: '#t.objectId', type: 'DESC' }],
    }) as Body;
    const named = itemRows.filter(({ name }) => typeof name === 'string').toReversed();
    const { rows } = await selected(body);
    assert.deepEqual(
      rows.map(({ low }) => low),
      named.map(({ name }) => String(name).toLowerCase()),
    );
  });

  test('range without a cursor counts its offset from 0', async () => {
    const body = from('Item', 't', { select: [value('id', '#t.objectId')], range: { offset: 1, limit: 2 } }) as Body;
    assert.deepEqual(await selected(body), { rows: [{ id: 'i2' }, { id: 'i3' }], next: null });
  });
});

describe('values', () => {
  const record = {
    objectId: 'v',
    scopeType: '3',
    v5: 'a"\\ä',
    t: 'line\nbreak 😀',
    i: -5,
    l: '9007199254740993',
    d: '1e+21',
    f: 0.1,
    dec: '1234567890123456.78',
    whole: '12345',
    b: false,
    at: '2026-02-03T04:05:06.007Z',
    j: { b: [1, 'x', null, true], a: { ü: 0.5 } },
  };
  before(() => addRecords(world, 'alice', 'Value', [record]));

  test('are JSON of their type; long, decimal and datetime are text', async () => {
    const { rows } = await selected(from('Value', 'v') as Body);
    const row = rows[0]?.v as Row;
    for (const name of ['v5', 't', 'i', 'l', 'f', 'dec', 'whole', 'b', 'j'] as const) {
      assert.deepEqual(row[name], record[name], name);
    }
    assert.equal(row.d, 1e21);
    assert.equal(new Date(String(row.at)).toISOString(), record.at);
    assert.equal(typeof row.scopeType, 'number');
  });

  test('of a single record are too, if requested', async () => {
    const { rows } = await selected(from('Value', 'v', { where: where("#v.objectId = 'v'") }) as Body);
    const one = async (query: string) =>
      valueAt((await send(world, 'alice', 'GET', `data/Value/v${query}`)).json, 'Value');
    assert.deepEqual(await one('?values=typed'), [rows[0]?.v]);
    const { v } = (await selected(from('Value', 'v', { where: where("#v.objectId = 'v'"), values: 'text' }) as Body))
      .rows[0] as Row;
    assert.deepEqual([await one(''), await one('?values=text'), await one('?values=')], [[v], [v], [v]]);
  });

  test('are texts as in the other queries, if requested', async () => {
    const { rows } = await selected(from('Value', 'v', { values: 'text' }) as Body);
    const older = await send(world, 'alice', 'POST', 'data/query/Value', from('Value', 'v'));
    assert.deepEqual(
      rows.map(({ v }) => v),
      valueAt(older.json, 'v'),
    );
    const columns = ['i', 'd', 'b', 'j'].map((name) => value(name, `#v.${name}`));
    const few = await selected(from('Value', 'v', { values: 'text', select: columns }) as Body);
    assert.deepEqual(
      Object.values(few.rows[0] as Row).map((text) => typeof text),
      ['string', 'string', 'string', 'string'],
    );
  });

  test('that are computed have the documented type and digits', async () => {
    const sources = {
      sum: '#v.dec + 0.05',
      product: '#v.i * 1.20',
      quotient: '#v.i / 4',
      rest: '#v.i % 3',
      rounded: 'ROUND(#v.dec, 1)',
      magnitude: 'ABS(#v.i)',
      mixed: 'CASE WHEN #v.b THEN #v.dec ELSE #v.i END',
      text: "SUBSTR(#v.v5, 1, 2) || '…'",
      year: 'YEAR(#v.at)',
      json: `JSON_NUMBER(#v.j, '$.a."ü"')`,
      none: '#v.i / 0',
    };
    const select = Object.entries(sources).map(([name, source]) => value(name, source));
    const body = from('Value', 'v', { where: where("#v.objectId = 'v'"), select }) as Body;
    assert.deepEqual((await selected(body)).rows, [
      {
        sum: '1234567890123456.83',
        product: '-6.00',
        quotient: '-1.250000',
        rest: '-2',
        rounded: '1234567890123456.8',
        magnitude: '5',
        mixed: '-5.00',
        text: 'a"…',
        year: 2026,
        json: 0.5,
        none: null,
      },
    ]);
  });

  test('a large json value is complete', async () => {
    const large = { list: Array.from({ length: 1_000 }, (_, n) => `${n} "${'ä'.repeat(100)}"`) };
    await addRecords(world, 'alice', 'Value', [{ objectId: 'large', scopeType: '3', j: large }]);
    const body = from('Value', 'v', {
      where: where("#v.objectId = 'large'"),
      select: [value('j', '#v.j'), value('id', '#v.objectId')],
    }) as Body;
    assert.deepEqual((await selected(body)).rows, [{ j: large, id: 'large' }]);
    const single = await send(world, 'alice', 'GET', 'data/Value/large?values=typed');
    assert.deepEqual((valueAt(single.json, 'Value') as Row[])[0]?.j, large);
  });
});

describe('pages by cursor', () => {
  /** All rows of a query, page by page. */
  async function pages(body: Body, limit: number, who?: Who): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { rows: Row[]; next: string | null } = await selected(
        { ...body, range: { limit }, after: cursor },
        who,
      );
      assert.ok(page.rows.length <= limit);
      assert.equal(page.next !== null, page.rows.length === limit);
      rows.push(...page.rows);
      cursor = page.next;
    }
    return rows;
  }

  const columns = ['objectId', 'a', 'b', 'price', 'ratio', 'open', 'at', 'must'];
  const keys = fc.uniqueArray(fc.tuple(fc.constantFrom(...columns), fc.constantFrom('ASC', 'DESC')), {
    selector: ([column]) => column,
    maxLength: 3,
  });

  const joinTypes = fc.constantFrom(null, 'LEFT JOIN', 'FULL JOIN');

  test('together they are the whole result in its order, for any order', (t) =>
    holds(
      t,
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 25 }), joinTypes, async (sort, limit, type) => {
        const orderBy = sort.map(([column, direction]) => ({ column: `#t.${column}`, type: direction }));
        const isJoined = type !== null;
        const join = isJoined ? { join: [joined(type, 'Paged', 'o', '#o.must = #t.a AND #o.open')] } : {};
        const names = [value('t', '#t.objectId'), ...(isJoined ? [value('o', '#o.objectId')] : [])];
        const body = from('Paged', 't', {
          ...join,
          orderBy,
          select: names,
          where: where("COALESCE(#t.b, 'y') <> 'x'"),
        }) as Body;
        const whole = await selected(body);
        assert.ok(whole.rows.length > 20);
        assert.deepEqual(await pages(body, isJoined ? limit * 10 : limit), whole.rows);
      }),
      40,
    ));

  test('nulls come first, or last if descending; equal keys by objectId in the direction of the last key', async () => {
    const rank = ({ b, objectId }: (typeof pagedRows)[number]) => [b ?? '', objectId] as const;
    const expected = pagedRows
      .map(rank)
      .sort(
        ([b, id], [otherB, otherId]) => Buffer.compare(Buffer.from(b), Buffer.from(otherB)) || (id < otherId ? -1 : 1),
      )
      .map(([, id]) => id);
    for (const type of ['ASC', 'DESC']) {
      const body = from('Paged', 't', { orderBy: [{ column: '#t.b', type }], select: [value('id', '#t.objectId')] });
      const ids = (await pages(body as Body, 7)).map(({ id }) => id);
      assert.deepEqual(ids, type === 'ASC' ? expected : expected.toReversed());
    }
  });

  test('each caller gets the pages of their visible records', async () => {
    const body = from('Paged', 't', { select: [value('id', '#t.objectId')] }) as Body;
    assert.equal((await pages(body, 9)).length, 60);
    assert.equal((await pages(body, 9, 'bob')).length, 120);
  });

  test('a record added or deleted meanwhile does not move others', async () => {
    const body = from('Paged', 't', {
      where: where("#t.objectId LIKE 'm%'"),
      select: [value('id', '#t.objectId')],
      range: { limit: 2 },
    }) as Body;
    const added = await addRecords(
      world,
      'alice',
      'Paged',
      ['m2', 'm4', 'm6'].map((objectId) => ({ objectId, must: '1', scopeType: '1' })),
    );
    const first = await selected({ ...body, after: '' });
    await addRecords(world, 'alice', 'Paged', [
      { objectId: 'm1', must: '1' },
      { objectId: 'm5', must: '1' },
    ]);
    const { objectId, serverUpdateTime } = added[1] as (typeof added)[number];
    await send(world, 'alice', 'POST', 'data/batch/deleteData', {
      objectName: 'Paged',
      objectIds: [{ objectId, serverUpdateTime }],
    });
    const second = await selected({ ...body, after: first.next });
    assert.deepEqual([...first.rows, ...second.rows], [{ id: 'm2' }, { id: 'm4' }, { id: 'm5' }, { id: 'm6' }]);
  });

  test('a cursor is valid for one query of one caller', async () => {
    const body = from('Paged', 't', { where: where('#t.must >= ?', '0'), range: { limit: 5 } }) as Body;
    const { next } = await selected({ ...body, after: '' });
    assert.ok(next !== null);
    const belongs = /^after: this cursor belongs to another query, other parameters, or another user\.$/;
    await refused({ ...body, where: where('#t.must >= ?', '1'), after: next }, belongs);
    await refused({ ...body, orderBy: [{ column: '#t.a' }], after: next }, belongs);
    await refused({ ...body, values: 'text', after: next }, belongs);
    const bobs = await ask({ ...body, after: next }, 'bob');
    assert.match(String(valueAt(bobs.json, 'description')), belongs);
    assert.equal((await selected({ ...body, range: { limit: 7 }, after: next })).rows.length, 7);
    await refused({ ...body, after: 'garbage' }, /^after: expected "" or the "next" of the previous page/);
    await refused({ ...body, after: `${next.slice(0, -2)}AA` }, /^after: expected/);
  });

  test('NOW() is the same time on all of them', async () => {
    const body = (after: string) =>
      from('Paged', 't', { select: [value('now', 'NOW()')], range: { limit: 20 }, after }) as Body;
    const first = await selected(body(''));
    const second = await selected(body(first.next as string));
    const times = new Set([...first.rows, ...second.rows].map(({ now }) => now));
    assert.equal(first.rows.length + second.rows.length, 40);
    assert.equal(times.size, 1);
  });

  test('they need a limit, and accept no offset', async () => {
    await refused(from('Paged', 't', { after: '' }) as Body, /^range: expected a limit beside "after"/);
    await refused(
      from('Paged', 't', { after: '', range: { offset: 1, limit: 1 } }) as Body,
      /^range\.offset: expected none beside "after"/,
    );
  });

  test('keys that are too long for a cursor are refused, and only where another page follows', async () => {
    const long = 'x'.repeat(9_000);
    await addRecords(
      world,
      'alice',
      'Value',
      ['long1', 'long2'].map((objectId) => ({ objectId, t: long, v5: 'long' })),
    );
    const body = from('Value', 'v', {
      where: where("#v.v5 = 'long'"),
      orderBy: [{ column: '#v.t' }],
      select: [value('id', '#v.objectId')],
    }) as Body;
    assert.equal((await selected({ ...body, after: '', range: { limit: 3 } })).rows.length, 2);
    await refused({ ...body, after: '', range: { limit: 1 } }, /8192 bytes.*cursorBytesMax/);
  });
});

describe('a cursor when tables change', () => {
  const columns = [
    ...['i', 'p', 'q'].map((colName) => ({ colName, type: 'integer' })),
    ...['x', 'y'].map((colName) => ({ colName, type: 'varchar', fieldLength: 5 })),
    ...['j', 'k'].map((colName) => ({ colName, type: 'json' })),
  ];
  const count = 12;
  const rows = Array.from({ length: count }, (_, n) => {
    const [up, down] = [String(10 + n), String(99 - n)];
    return { i: n + 1, p: n, q: count - n, x: up, y: down, j: { t: up }, k: { t: down }, scopeType: '3' };
  });
  const query = (more: object) => from('Turned', 'a', { range: { limit: 5 }, ...more }) as Body;
  const sorted = (column: string, more: object = {}) => query({ orderBy: [{ column: `#a.${column}` }], ...more });
  const queries = {
    'no key': query({}),
    i: sorted('i'),
    'x, joined': sorted('x', { join: [joined('INNER JOIN', 'TurnedToo', 'b', '#a.q = #b.q')] }),
    x: sorted('x'),
    'a group by x': query({ select: [value('x', '#a.x')], groupBy: ['x'] }),
    'a sum of p': query({
      select: [value('i', '#a.i'), value('p', 'SUM(#a.p)')],
      groupBy: ['i'],
      orderBy: [{ column: 'p' }],
    }),
    'a path of j': query({ select: [value('t', "JSON_TEXT(#a.j, '$.t')")], distinct: true }),
  };
  const names = Object.keys(queries) as (keyof typeof queries)[];
  const change = async (...changes: readonly object[]) => {
    const revision = Number(valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'revision'));
    const answer = await send(world, 'alice', 'POST', 'schemas/changes', { revision, changes });
    assert.equal(answer.status, 200, answer.text);
  };
  const swapped = (op: object, member: string, one: string, other: string) => [
    { ...op, [member]: one, to: 'between' },
    { ...op, [member]: other, to: one },
    { ...op, [member]: 'between', to: other },
  ];

  /** @returns the queries whose cursors, made before the change, are refused after it */
  async function refusedAfter(changes: readonly object[]): Promise<string[]> {
    const firsts = new Map<string, string | null>();
    for (const name of names) firsts.set(name, (await selected({ ...queries[name], after: '' })).next);
    await change(...changes);
    const gone: string[] = [];
    for (const name of names) {
      const answer = await ask({ ...queries[name], after: firsts.get(name) });
      if (answer.status === 200) continue;
      assertEnvelope(answer, 132);
      const description = valueAt(answer.json, 'description');
      assert.equal(
        description,
        'after: the tables have changed since this cursor was made; begin with the first page.',
      );
      gone.push(name);
    }
    return gone;
  }

  test('is refused where its order has other columns or types, whatever their names, and only there', async () => {
    const tables = ['Turned', 'TurnedToo'].map((name) => ({ name, primary_key: 'objectId', columns }));
    await defineTables(world, 'alice', tables);
    for (const { name } of tables) await addRecords(world, 'alice', name, rows);
    const ofTurned = { op: 'renameColumn', table: 'Turned' };
    const swaps = [
      ['x', 'y'],
      ['p', 'q'],
      ['j', 'k'],
    ].flatMap(([one, other]) => swapped(ofTurned, 'column', one as string, other as string));
    assert.deepEqual(await refusedAfter(swaps), ['x, joined', 'x', 'a group by x', 'a sum of p', 'a path of j']);
    const more = { op: 'addColumn', table: 'Turned', column: { colName: 'more', type: 'integer', default: 1 } };
    assert.deepEqual(await refusedAfter([more]), []);
    const text = { op: 'changeColumn', table: 'Turned', column: 'i', type: 'varchar', fieldLength: 5 };
    const back = { op: 'changeColumn', table: 'Turned', column: 'i', type: 'integer' };
    assert.deepEqual(await refusedAfter([text]), ['i', 'a sum of p']);
    assert.deepEqual(await refusedAfter([back]), ['i', 'a sum of p']);
    assert.deepEqual(await refusedAfter(swapped({ op: 'renameTable' }, 'table', 'Turned', 'TurnedToo')), names);
  });
});

describe('sub-queries', () => {
  const hasTwin = 'EXISTS (SELECT 1 FROM Paged q WHERE #q.a = #p.a AND #q.b = #p.b AND #q.objectId < #p.objectId)';
  const isTwin = (row: (typeof pagedRows)[number]) =>
    pagedRows.some(
      ({ objectId, a, b }) => a !== null && a === row.a && b !== null && b === row.b && objectId < row.objectId,
    );
  const paged = { from: { phyName: 'Paged', alias: 'p' } };
  const byId = [...pagedRows].sort((one, other) => (one.objectId < other.objectId ? -1 : 1));

  test('in values, and in the condition of pages by cursor', async () => {
    const body = {
      ...paged,
      select: [value('id', '#p.objectId'), value('twin', `CASE WHEN ${hasTwin} THEN ? ELSE 'no' END`, 'yes')],
      where: { expression: { source: '#p.b NOT IN (SELECT #k.b FROM Paged k WHERE #k.b = ?)', params: ['x'] } },
      range: { limit: 7 },
    };
    const rows: Row[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: { rows: Row[]; next: string | null } = await selected({ ...body, after: next });
      rows.push(...page.rows);
      next = page.next;
    }
    const expected = byId
      .filter(({ b }) => b !== null && b !== 'x')
      .map((row) => ({ id: row.objectId, twin: isTwin(row) ? 'yes' : 'no' }));
    assert.deepEqual(rows, expected);
  });

  test('in conditions on keys and aggregates of groups', async () => {
    const grouped = {
      ...paged,
      select: [value('a', '#p.a'), value('rows', 'COUNT(*)')],
      groupBy: ['a'],
    };
    const having = async (source: string, ...params: unknown[]) =>
      (await selected({ ...grouped, having: { expression: { source, params } } })).rows.map((row) => row.a);
    assert.deepEqual(await having('EXISTS (SELECT 1 FROM Paged q WHERE #q.a = a AND #q.must = ?)', '0'), [0, 1, 2]);
    assert.deepEqual(await having('EXISTS (SELECT 1 FROM Paged q WHERE #q.a = #p.a AND #q.a > 0)'), [1, 2]);
    assert.deepEqual(await having('a NOT IN (SELECT #q.a FROM Paged q WHERE #q.a = 1) OR a IS NULL'), [null, 0, 2]);
    assert.deepEqual(await having('COUNT(*) IN (SELECT 15 + #q.a * 0 FROM Paged q WHERE #q.a = a)'), [0, 1, 2]);
    // A text with non-ASCII characters is folded by a function, which SQLite may call beforehand.
    assert.deepEqual(
      await having("EXISTS (SELECT 1 FROM Paged q WHERE LOWER(#q.b) = 'ä' AND #q.a = a) AND a > 0"),
      [1, 2],
    );
    await refused(
      { ...grouped, having: { expression: { source: 'EXISTS (SELECT 1 FROM Paged q WHERE #q.a = SUM(#p.a))' } } },
      /SUM\(\.\.\.\) is about groups, and a sub-query has none/,
    );
    await refused(
      { ...grouped, having: { expression: { source: 'EXISTS (SELECT 1 FROM Paged q WHERE #q.b = #p.b)' } } },
      /has many values in a group/,
    );
  });
});

describe('what is refused', () => {
  const item = (extra: object) => from('Item', 't', extra) as Body;
  test('unknown members, whatever the preference of the request', async () => {
    const answer = await ask(item({ orderby: [] }));
    assertEnvelope(answer, 132);
    assert.match(String(valueAt(answer.json, 'description')), /orderby.*orderBy/);
  });
  test('an empty select, a repeated or invalid name, a condition, an unknown column, other values', async () => {
    await refused(item({ select: [] }), /^select/);
    await refused(item({ select: [value('a', '#t.n'), value('a', '#t.n')] }), /select\[1\]\.name.*"a"/);
    await refused(item({ select: [value('a b', '#t.n')] }), /select\[0\]\.name/);
    await refused(item({ select: [value('a', '#t.n > 1')] }), /select\[0\]\.expression\.source.*expected a value/);
    await refused(item({ select: [value('a', '#t.nn')] }), /unknown column "nn".*"n"/);
    await refused(item({ select: [value('a', '#t.n + ?')] }), /select\[0\]\.expression\.params: expected 1.*got 0/);
    await refused(item({ values: 'json' }), /^values: expected "typed" or "text", got "json"\.$/);
  });
  test('a table that another company has', async () => {
    const answer = await ask(from('Paged', 't') as Body, 'dave');
    assertEnvelope(answer, 102);
  });
});

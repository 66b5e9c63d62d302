/** Queries of the client against a service: their answers, and the types of the answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { Invalid } from '../../packages/client/src/errors.ts';
import * as q from '../../packages/client/src/expression.ts';
import { exists, isIn } from '../../packages/client/src/query.ts';
import { type Service, start, stop } from './service.ts';
import { tables } from './tables.ts';
import type { BookRow, Tables } from './types.ts';

let service: Service<'alice'>;
let db: ReturnType<typeof createClient<Tables>>['db'];

before(async () => {
  service = await start({ people: ['alice'], tables });
  const client = createClient<Tables>({ ...service.place, session: service.people.alice.token });
  db = client.db;
  const outcome = await client.batch((to) => {
    const lem = to.Author.add({ objectId: 'lem', name: 'Lem', born: '1921-09-12T00:00:00Z', scopeType: 1 });
    to.Author.add({ objectId: 'vian', name: 'Vian', scopeType: 1 });
    const years = [1961, 1965, 1971, 1986, 1987];
    for (const [number, year] of years.entries()) {
      const more = { price: `${number}.50`, copies: '9007199254740993', sold: number > 2, weight: number / 2 };
      const extra = { pages: 100 * number };
      to.Book.add({ objectId: `b${number}`, title: `The ${year}`, year, ...more, extra, author: lem, scopeType: 1 });
    }
    to.Book.add({ objectId: 'b5', title: 'Without', scopeType: 1, sold: null });
  });
  assert.ok(outcome.ok);
});
after(() => stop(service));

test('whole records have values of their types', async () => {
  const books: BookRow[] = await db.Book.select({ where: (b) => b.year.eq(1961) });
  const [book] = books;
  assert.deepEqual(
    [books.length, book?.title, book?.year, book?.copies, book?.price, book?.sold, book?.extra],
    [1, 'The 1961', 1961, '9007199254740993', '0.50', false, { pages: 0 }],
  );
});

test('names of columns narrow the row', async () => {
  const rows = await db.Book.select({ select: ['title', 'year'], orderBy: (b) => b.year.desc(), limit: 1 });
  const typed: { title: string; year: number | null }[] = rows;
  assert.deepEqual(typed, [{ title: 'The 1987', year: 1987 }]);
});

test('expressions define rows, and a function converts values', async () => {
  const row = await db.Book.first({
    select: (b) => ({
      copies: b.copies.as(BigInt),
      upper: q.upper(b.title),
      none: b.added.as((text) => new Date(text)),
    }),
    orderBy: (b) => [b.year.desc()],
  });
  const typed: { copies: bigint | null; upper: string; none: Date | null } | null = row;
  assert.deepEqual(typed, { copies: 9007199254740993n, upper: 'THE 1987', none: null });
});

const conditions: readonly [name: string, ids: string, where: (b: Columns) => q.Where][] = [
  ['and', 'b3', (b) => q.and(b.price.gte('2'), b.title.like('%6'), b.sold)],
  ['or', 'b0 b4', (b) => q.or(b.year.lt(1962), b.year.gt(1986))],
  ['not', 'b0 b1 b2', (b) => q.not(b.sold)],
  ['nothing to meet', 'b0 b1 b2 b3 b4 b5', () => q.and()],
  ['nothing that could be met', '', () => q.or()],
  ['in', 'b0 b2', (b) => b.year.in([1961, 1971])],
  ['in no values', '', (b) => b.year.in([])],
  ['between', 'b1 b2', (b) => b.year.between(1962, 1980)],
  ['isNull', 'b5', (b) => b.year.isNull()],
  ['isNotNull', 'b0 b1 b2 b3 b4', (b) => b.year.isNotNull()],
  ['ne', 'b1 b2 b3 b4', (b) => b.year.ne(1961)],
  ['a long in full', 'b0 b1 b2 b3 b4', (b) => b.copies.eq(9007199254740993n)],
  ['a long that is another one', '', (b) => b.copies.lte(9007199254740992n)],
  ['ilike', 'b5', (b) => b.title.ilike('with%')],
  ['match', 'b5', (b) => b.title.match('without')],
  ['columns', 'b1 b2 b3 b4', (b) => q.and(b.weight.lt(b.year), b.weight.gt(0))],
  ['a time', 'b0 b1 b2 b3 b4 b5', (b) => b.serverCreateTime.gt(new Date(0))],
  ['coalesce', 'b0 b5', (b) => q.coalesce(b.year, 0).lte(1961)],
  ['a condition of one’s own', 'b5', (b) => q.condition`LENGTH(${b.title}) < ${8}`],
  ['an expression of one’s own', 'b4', (b) => q.expression<'double'>`JSON_NUMBER(${b.extra}, '$.pages')`.gt(350)],
  ['quotes', '', (b) => b.title.eq(`' OR TRUE --`)],
  ['exists', 'b0 b1 b2 b3 b4', (b) => exists(db.Author, (a) => q.and(a.objectId.eq(b.author), a.name.eq('Lem')))],
  [
    'isIn',
    'b0 b1 b2 b3 b4',
    (b) =>
      isIn(
        b.author,
        db.Author,
        (a) => a.objectId,
        (a) => a.born.isNotNull(),
      ),
  ],
  [
    'a sub-query in another',
    'b0',
    (b) =>
      exists(db.Author, (a) =>
        q.and(
          a.objectId.eq(b.author),
          exists(db.Book, (o) => o.year.eq(b.year)),
          b.year.eq(1961),
        ),
      ),
  ],
];
/** Combined conditions keep their meaning; each is true for Books of the years written here. */
const parts: readonly [where: (b: Columns) => q.Where, isTrue: (year: number) => boolean][] = [
  [(b) => q.condition`${b.year} = 1961 OR ${b.year} = 1965`, (year) => year <= 1965],
  [(b) => q.condition`${b.year} > 1970 AND ${b.sold}`, (year) => year > 1971],
  [(b) => b.sold, (year) => year > 1971],
  [(b) => b.year.eq(1971), (year) => year === 1971],
  [(b) => b.year.between(1965, 1986), (year) => year >= 1965 && year <= 1986],
  [(b) => b.year.in([1961, 1987]), (year) => year === 1961 || year === 1987],
];

test('each condition can be part of each other one', async () => {
  for (const [one, isOne] of parts) {
    for (const [other, isOther] of parts) {
      const row = await db.Book.select({
        select: ['year'],
        where: (b) =>
          q.and(b.year.isNotNull(), q.or(q.and(one(b), q.not(other(b))), q.condition`${other(b)} AND NOT ${one(b)}`)),
        orderBy: (b) => b.year.asc(),
      });
      const expected = [1961, 1965, 1971, 1986, 1987].filter((year) => isOne(year) !== isOther(year));
      assert.deepEqual(
        row.map(({ year }) => year),
        expected,
      );
    }
  }
});

type Columns = Parameters<NonNullable<NonNullable<Parameters<typeof db.Book.select>[0]>['where']>>[0];

for (const [name, ids, where] of conditions) {
  test(`a condition: ${name}`, async () => {
    const rows = await db.Book.select({ select: ['objectId'], where });
    assert.equal(rows.map(({ objectId }) => objectId).join(' '), ids);
    assert.equal(await db.Book.count({ where }), rows.length);
  });
}

test('a query has the same text each time, so that the service has it compiled', () => {
  const make = () => db.Book.reading({ where: (b) => exists(db.Author, (a) => a.objectId.eq(b.author)) }).key;
  assert.equal(make(), make());
});

test('a joined table without a match is null', async () => {
  const joined = db.Book.leftJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author));
  const rows = await joined.select({
    where: (b) => q.or(b.year.isNull(), b.year.eq(1961)),
    orderBy: (b) => b.year.asc(),
  });
  const names: (string | null)[] = rows.map(({ by }) => by?.name ?? null);
  const titles: string[] = rows.map(({ Book }) => Book.title);
  assert.deepEqual(
    [names, titles],
    [
      [null, 'Lem'],
      ['Without', 'The 1961'],
    ],
  );
  const named = await joined.select({ select: (b, { by }) => ({ title: b.title, name: by.name }), limit: 1 });
  const typed: { title: string; name: string | null }[] = named;
  assert.deepEqual(typed, [{ title: 'The 1961', name: 'Lem' }]);
});

test('in a right join the table may be missing, in an inner join nothing', async () => {
  const right = await db.Book.rightJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author)).select({
    where: (b) => b.objectId.isNull(),
  });
  const [row] = right;
  assert.deepEqual([right.length, row?.Book?.title, row?.by.name], [1, undefined, 'Vian']);
  const inner = await db.Book.join('by', 'Author', (b, { by }) => by.objectId.eq(b.author)).select({ limit: 1 });
  const name: string | undefined = inner[0]?.by.name;
  assert.equal(name, 'Lem');
  const full = await db.Book.fullJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author)).select({});
  assert.equal(full.filter(({ Book, by }) => Book === null || by === null).length, 2);
});

test('the types of values match the answers', async () => {
  const row = await db.Book.first({
    select: (b) => ({
      both: q.coalesce(b.added, b.added),
      price: q.coalesce(b.year, b.price),
      copies: q.coalesce(b.year, b.copies),
      year: q.coalesce(b.year, 0),
      title: q.coalesce(b.author, b.title),
    }),
    where: (b) => b.objectId.eq('b0'),
  });
  const typed: {
    both: string | null;
    price: string | null;
    copies: string | null;
    year: number;
    title: string;
  } | null = row;
  assert.deepEqual(typed, { both: null, price: '1961.00', copies: '1961', year: 1961, title: 'lem' });
  // @ts-expect-error: both may be null.
  const never: string | undefined = row?.price;
  assert.ok(never);
  const right = db.Book.rightJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author));
  const missing: { title: string | null }[] = await right.select({
    select: ['title'],
    where: (b) => b.objectId.isNull(),
  });
  assert.deepEqual(missing, [{ title: null }]);
});

test('a join may have any alias beside a sub-query', async () => {
  const joined = db.Book.join('sub1', 'Author', (b, { sub1 }) => sub1.objectId.eq(b.author));
  const rows = await joined.select({
    where: (b, { sub1 }) => exists(db.Author, (a) => q.and(a.objectId.eq(sub1.objectId), b.year.eq(1961))),
  });
  assert.equal(rows.length, 1);
});

test('groups and aggregates', async () => {
  const rows = await db.Book.select({
    select: (b) => ({
      sold: b.sold,
      books: q.count(),
      years: q.countDistinct(b.year),
      sum: q.sum(b.price),
      least: q.min(b.year),
    }),
    groupBy: (b) => [b.sold],
    having: (b) => b.sold.isNotNull(),
    orderBy: (b) => b.sold.desc(),
  });
  const typed: { sold: boolean | null; books: number; years: number; sum: string | null; least: number | null }[] =
    rows;
  assert.deepEqual(typed, [
    { sold: true, books: 2, years: 2, sum: '8.00', least: 1986 },
    { sold: false, books: 3, years: 3, sum: '4.50', least: 1961 },
  ]);
  assert.equal((await db.Book.first({ select: (b) => ({ price: q.avg(b.price) }) }))?.price, '2.50000000');
  assert.equal((await db.Book.select({ select: ['author'], distinct: true })).length, 2);
});

test('a value with parameters serves to group and sort under its name in select', async () => {
  const sold = (b: { sold: q.Typed<'bool' | null> }) => q.coalesce(b.sold, false);
  const rows = await db.Book.select({
    select: (b) => ({ books: q.count(), sold: sold(b) }),
    groupBy: (b) => [sold(b)],
    orderBy: (b) => [sold(b).desc(), q.count().asc()],
  });
  assert.deepEqual(rows, [
    { books: 2, sold: true },
    { books: 4, sold: false },
  ]);
  const orderBy = (b: Parameters<typeof sold>[0]) => sold(b).asc();
  const different = await db.Book.select({ select: (b) => ({ sold: sold(b) }), distinct: true, orderBy });
  assert.deepEqual(different, [{ sold: false }, { sold: true }]);
  const other = db.Book.select({ select: (b) => ({ sold: sold(b) }), groupBy: (b) => [q.coalesce(b.sold, true)] });
  await assert.rejects(other, (error) => error instanceof Invalid && /is not in select/.test(error.message));
});

test('json has no order: sorting by it does not compile, and the service refuses it', async () => {
  const orders: readonly ((b: Columns) => q.ColumnOrder)[] = [
    // @ts-expect-error: json has no order.
    (b) => b.extra.asc(),
    // @ts-expect-error: json has no order.
    (b) => b.extra.desc(),
  ];
  for (const orderBy of orders) {
    await assert.rejects(
      db.Book.select({ orderBy }),
      (error) => error instanceof Invalid && /json/.test(error.message),
    );
  }
});

test('pages have every row once, including one added later', async () => {
  const seen: string[] = [];
  for await (const page of db.Book.pages({ limit: 2, orderBy: (b) => b.title.asc(), select: ['objectId', 'title'] })) {
    if (seen.length === 0) await db.Book.add({ objectId: 'first of all', title: 'A', scopeType: 1 });
    seen.push(...page.map(({ objectId }) => objectId));
  }
  assert.deepEqual(seen, ['b0', 'b1', 'b2', 'b3', 'b4', 'b5']);
  const page = await db.Book.page({ limit: 6 });
  const next = await db.Book.page({ limit: 6, after: page.next ?? '' });
  assert.deepEqual([page.rows.length, next.rows.map(({ title }) => title), next.next], [6, ['A'], null]);
});

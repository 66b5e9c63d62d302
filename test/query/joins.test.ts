/** Joins of every kind, visibility per table, order and ranges, against a plain nested-loop join in JavaScript. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { type Arbitrary } from 'fast-check';
import { fullJoinsMax } from '../../src/query/bounds.ts';
import type { ExpressionForm } from '../../src/query/expression-form.ts';
import { holds } from './seeded.ts';
import { openWorld, table, types, type WireRow } from './world.ts';

interface Stored {
  readonly objectId: string;
  readonly x: number | null;
  readonly y: number | null;
  readonly audience: string;
}

/** The audiences of records, and the members that see them; `g1,2` and `g2,4` belong to two groups each. */
const seenBy: Readonly<Record<string, readonly string[]>> = {
  a: ['a'],
  u7: ['u7'],
  u8: ['u8'],
  g1: ['g1'],
  g2: ['g2'],
  'g1,2': ['g1', 'g2'],
  'g2,4': ['g2', 'g4'],
};
const audiences = Object.keys(seenBy);
/** The last caller's members are only prefixes of those in audiences. */
const callers = [
  ['u7', 'g1', 'a'],
  ['u8', 'g2', 'a'],
  ['u7'],
  ['u9', 'g4'],
  ['u7', 'u8', 'g1', 'g2', 'a'],
  ['u77', 'g12', 'g40'],
];

const tableNames = ['A', 'B', 'C'] as const;
const stored: Record<string, readonly Stored[]> = {};
const columns = { x: types.integer, y: types.integer };
const world = await openWorld(table('A', columns, [['x']]), table('B', columns, [['x'], ['y']]), table('C', columns));
for (const [number, name] of tableNames.entries()) {
  const count = [14, 11, 6][number]!;
  stored[name] = Array.from({ length: count }, (_, index): Stored => {
    const some = (index * 7 + number * 3) % 5;
    const other = (index * 3 + number) % 4;
    return {
      objectId: `${name}${String.fromCharCode(97 + ((index * 5) % count))}`,
      x: some === 4 ? null : some,
      y: other === 3 ? null : other,
      audience: audiences[(index * 3 + number) % audiences.length]!,
    };
  });
  for (const { audience, ...record } of stored[name]) await world.insert(name, record, audience);
}

/** Larger results take long, and may be refused. */
const rowsMax = 20_000;

type Tuple = Readonly<Record<string, Stored | null>>;

interface Test {
  readonly source: string;
  holds(tuple: Tuple): boolean;
}

/** Conditions on some aliases; a comparison with null is not true, nor is its negation. */
function testOver(aliases: readonly string[]): Arbitrary<Test> {
  const alias = fc.constantFrom(...aliases);
  const name = fc.constantFrom<'x' | 'y'>('x', 'y');
  const value = (tuple: Tuple, from: string, column: 'x' | 'y') => tuple[from]?.[column] ?? null;
  const equal = fc.tuple(alias, name, alias, name).map(
    ([left, a, right, b]): Test => ({
      source: `#${left}.${a} = #${right}.${b}`,
      holds: (tuple) => value(tuple, left, a) !== null && value(tuple, left, a) === value(tuple, right, b),
    }),
  );
  const constant = fc.tuple(alias, name, fc.integer({ min: 0, max: 3 })).map(
    ([from, column, number]): Test => ({
      source: `NOT #${from}.${column} = ${number}`,
      holds: (tuple) => value(tuple, from, column) !== null && value(tuple, from, column) !== number,
    }),
  );
  const isNull = fc.tuple(alias, name, fc.boolean()).map(
    ([from, column, negated]): Test => ({
      source: `#${from}.${column} IS ${negated ? 'NOT ' : ''}NULL`,
      holds: (tuple) => (value(tuple, from, column) === null) !== negated,
    }),
  );
  const always: Test = { source: '1 = 1', holds: () => true };
  const one = fc.oneof({ weight: 6, arbitrary: equal }, constant, isNull, fc.constant(always));
  return fc.tuple(one, fc.option(fc.tuple(fc.constantFrom('AND', 'OR'), one))).map(([first, more]): Test => {
    if (more === null) return first;
    const [operator, second] = more;
    const either = (tuple: Tuple) => first.holds(tuple) || second.holds(tuple);
    const both = (tuple: Tuple) => first.holds(tuple) && second.holds(tuple);
    return { source: `${first.source} ${operator} ${second.source}`, holds: operator === 'AND' ? both : either };
  });
}

interface Step {
  readonly table: string;
  readonly alias: string;
  readonly kind: 'INNER JOIN' | 'LEFT OUTER JOIN' | 'RIGHT OUTER JOIN' | 'FULL OUTER JOIN';
  readonly on: Test;
}

interface Case {
  readonly first: string;
  readonly steps: readonly Step[];
  readonly where: Test | null;
  readonly orderBy: readonly {
    readonly alias: string;
    readonly column: 'x' | 'y' | 'objectId';
    readonly type: string;
  }[];
  readonly range: { readonly offset: number; readonly limit: number } | null;
  readonly members: readonly string[];
}

const aliasesOf = (count: number) => ['p', 'q', 'r', 's', 't'].slice(0, count);

const cases: Arbitrary<Case> = fc.integer({ min: 0, max: 4 }).chain((joins) => {
  const tableName = fc.constantFrom<string>(...tableNames);
  const steps = aliasesOf(joins + 1)
    .slice(1)
    .map((alias, index) =>
      fc.record<Step>({
        table: tableName,
        alias: fc.constant(alias),
        kind: fc.constantFrom('INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN', 'FULL OUTER JOIN'),
        on: testOver(aliasesOf(index + 2)),
      }),
    );
  const key = fc.record({
    alias: fc.constantFrom(...aliasesOf(joins + 1)),
    column: fc.constantFrom<'x' | 'y' | 'objectId'>('x', 'y', 'objectId'),
    type: fc.constantFrom('ASC', 'DESC'),
  });
  const fullJoins = (taken: readonly Step[]) => taken.filter(({ kind }) => kind === 'FULL OUTER JOIN').length;
  return fc.record<Case>({
    first: tableName,
    steps: fc.tuple(...steps).filter((taken) => fullJoins(taken) <= fullJoinsMax),
    where: fc.option(testOver(aliasesOf(joins + 1))),
    orderBy: fc.array(key, { maxLength: 3 }),
    range: fc.option(fc.record({ offset: fc.integer({ min: 0, max: 12 }), limit: fc.integer({ min: 1, max: 12 }) })),
    members: fc.constantFrom(...callers),
  });
});

function visible(name: string, members: readonly string[]): readonly Stored[] {
  return stored[name]!.filter(({ audience }) => seenBy[audience]!.some((member) => members.includes(member)));
}

/** Every row of the joins, by the definition of each kind. */
function joinedRows({ first, steps, members }: Case): Tuple[] {
  let tuples: Tuple[] = visible(first, members).map((record) => ({ p: record }));
  let nothing: Tuple = { p: null };
  for (const { table: name, alias, kind, on } of steps) {
    const records = visible(name, members);
    const next: Tuple[] = [];
    const met = new Set<Stored>();
    for (const tuple of tuples) {
      const partners = records.filter((record) => on.holds({ ...tuple, [alias]: record }));
      for (const record of partners) {
        met.add(record);
        next.push({ ...tuple, [alias]: record });
      }
      if (partners.length === 0 && (kind === 'LEFT OUTER JOIN' || kind === 'FULL OUTER JOIN'))
        next.push({ ...tuple, [alias]: null });
    }
    if (kind === 'RIGHT OUTER JOIN' || kind === 'FULL OUTER JOIN') {
      for (const record of records) if (!met.has(record)) next.push({ ...nothing, [alias]: record });
    }
    tuples = next;
    nothing = { ...nothing, [alias]: null };
  }
  return tuples;
}

function answer(one: Case): Tuple[] {
  const { where, orderBy, range, steps } = one;
  const ids = aliasesOf(steps.length + 1).map((alias) => ({ alias, column: 'objectId' as const, type: 'ASC' }));
  const order = (left: Tuple, right: Tuple): number => {
    for (const { alias, column, type } of [...orderBy, ...ids]) {
      const [a, b] = [left[alias]?.[column] ?? null, right[alias]?.[column] ?? null];
      if (a === b) continue;
      const ascending = a === null || (b !== null && a < b) ? -1 : 1;
      return type === 'ASC' ? ascending : -ascending;
    }
    return 0;
  };
  const rows = joinedRows(one)
    .filter((tuple) => where === null || where.holds(tuple))
    .sort(order);
  return range === null ? rows : rows.slice(range.offset, range.offset + range.limit);
}

function formOf({ first, steps, where, orderBy, range }: Case): ExpressionForm {
  return {
    from: { phyName: first, alias: 'p' },
    join: steps.map(({ table: entity, alias, kind, on }) => ({
      entity,
      entityAlias: alias,
      type: kind,
      expression: { source: on.source },
    })),
    ...(where === null ? {} : { where: { expression: { source: where.source } } }),
    orderBy: orderBy.map(({ alias, column, type }) => ({ column: `#${alias}.${column}`, type })),
    ...(range === null ? {} : { range }),
  };
}

test('joins, visibility, order and ranges agree with a nested loop', async (context) => {
  const property = fc.asyncProperty(cases, async (one) => {
    const form = formOf(one);
    const expected = answer(one);
    fc.pre(expected.length <= rowsMax);
    const actual = await world.query(form, one.members);
    for (const alias of aliasesOf(one.steps.length + 1)) {
      const ids = expected.map((tuple) => tuple[alias]?.objectId ?? null);
      assert.deepEqual(
        actual[alias]!.map((row) => row.objectId),
        ids,
        JSON.stringify(form),
      );
    }
    assert.equal(await world.count(form, one.members), answer({ ...one, range: null }).length, JSON.stringify(form));
  });
  await holds(context, property, 1_500);
});

test('an entry without a match has every column null', async () => {
  const form: ExpressionForm = {
    from: { phyName: 'A', alias: 'a' },
    join: [{ entity: 'B', entityAlias: 'b', type: 'left join', expression: { source: '1 = 0' } }],
    range: { offset: 0, limit: 1 },
  };
  const { a, b } = (await await world.query(form)) as { a: WireRow[]; b: WireRow[] };
  assert.deepEqual(Object.keys(b[0]!), Object.keys(a[0]!));
  assert.ok(Object.values(b[0]!).every((value) => value === null));
});

test('one record is read with the same filter', async () => {
  for (const members of callers) {
    for (const name of tableNames) {
      const seen = new Set(visible(name, members).map((record) => record.objectId));
      for (const { objectId } of stored[name]!) {
        assert.equal(
          (await world.record(name, objectId, members))?.objectId ?? null,
          seen.has(objectId) ? objectId : null,
        );
      }
    }
  }
  assert.equal(await world.record('A', 'nobody'), null);
  assert.equal(await world.record('A', stored.A![0]!.objectId, []), null);
});

test('sixteen tables are joined', async () => {
  const join = Array.from({ length: 15 }, (_, index) => ({
    entity: tableNames[index % 3]!,
    entityAlias: `j${index}`,
    type: ['INNER JOIN', 'LEFT JOIN', 'RIGHT JOIN'][index % 3]!,
    expression: { source: `#j${index}.x = #${index === 0 ? 'a' : `j${index - 1}`}.x AND #j${index}.y = 0` },
  }));
  const rows = await world.query({ from: { phyName: 'A', alias: 'a' }, join, range: { offset: 0, limit: 5 } });
  assert.equal(Object.keys(rows).length, 16);
});

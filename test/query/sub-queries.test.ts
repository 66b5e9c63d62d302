/** EXISTS and IN (SELECT …): results and visibility, nested and in joins, against their meaning in plain JavaScript. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { type Arbitrary } from 'fast-check';
import { defaults } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import type { ExpressionForm } from '../../src/query/expression-form.ts';
import { holds } from './seeded.ts';
import { openWorld, table, types } from './world.ts';

interface Stored {
  readonly objectId: string;
  readonly x: number | null;
  readonly y: number | null;
  readonly audience: string;
}

/** The audiences of records, and the members that see them. */
const seenBy: Readonly<Record<string, readonly string[]>> = { a: ['a'], u7: ['u7'], g1: ['g1'], 'g1,2': ['g1', 'g2'] };
const audiences = Object.keys(seenBy);
const callers = [['u7', 'g1', 'a'], ['u8', 'g2', 'a'], ['u7'], ['u9']];

const tableNames = ['A', 'B', 'C'] as const;
const columns = { x: types.integer, y: types.integer };
const world = await openWorld(table('A', columns, [['x']]), table('B', columns, [['x'], ['y']]), table('C', columns));
const stored: Record<string, readonly Stored[]> = {};
for (const [number, name] of tableNames.entries()) {
  const count = [9, 8, 5][number]!;
  stored[name] = Array.from({ length: count }, (_, index): Stored => {
    const [x, y] = [(index * 7 + number * 3) % 4, (index * 3 + number) % 3];
    const audience = audiences[(index * 3 + number) % audiences.length]!;
    // All records of C visible to user 8 have a value.
    const isFull = name === 'C' && seenBy[audience]!.some((member) => callers[1]!.includes(member));
    return {
      objectId: `${name}${index}`,
      x: x === 3 && !isFull ? null : x,
      y: y === 2 && !isFull ? null : y,
      audience,
    };
  });
  for (const { audience, ...record } of stored[name]) await world.insert(name, record, audience);
}

type Tuple = Readonly<Record<string, Stored | null>>;

/** A condition, and whether it is true, false or unknown for the records that a caller sees. */
interface Meaning {
  readonly source: string;
  of(tuple: Tuple, members: readonly string[]): boolean | null;
}

const visible = (name: string, members: readonly string[]) =>
  stored[name]!.filter(({ audience }) => seenBy[audience]!.some((member) => members.includes(member)));

const not = (truth: boolean | null) => (truth === null ? null : !truth);
const some = (truths: readonly (boolean | null)[]) =>
  truths.includes(true) ? true : truths.includes(null) ? null : false;
const equal = (left: unknown, right: unknown) => (left === null || right === null ? null : left === right);

interface Operand {
  readonly source: string;
  of(tuple: Tuple): number | null;
}

function operandOver(aliases: readonly string[]): Arbitrary<Operand> {
  const column = fc
    .tuple(fc.constantFrom(...aliases), fc.constantFrom<'x' | 'y'>('x', 'y'))
    .map(([alias, name]): Operand => ({ source: `#${alias}.${name}`, of: (tuple) => tuple[alias]?.[name] ?? null }));
  const number = fc.integer({ min: 0, max: 3 }).map((value): Operand => ({ source: `${value}`, of: () => value }));
  return fc.oneof({ weight: 6, arbitrary: column }, number, fc.constant<Operand>({ source: 'NULL', of: () => null }));
}

/** A sub-query over the outer aliases, and its own alias, which shows its depth. */
function subQuery(aliases: readonly string[], depth: number) {
  const alias = `s${depth}`;
  const inner = [...aliases, alias];
  return fc.tuple(fc.constantFrom(...tableNames), fc.option(conditionOver(inner, depth + 1))).map(([name, where]) => ({
    alias,
    inner,
    source: `FROM ${name} ${alias}${where === null ? '' : ` WHERE ${where.source}`}`,
    found: (tuple: Tuple, members: readonly string[]) =>
      visible(name, members)
        .map((record): Tuple => ({ ...tuple, [alias]: record }))
        .filter((one) => where === null || where.of(one, members) === true),
  }));
}

function exists(aliases: readonly string[], depth: number): Arbitrary<Meaning> {
  return subQuery(aliases, depth).map(({ source, found }) => ({
    source: `EXISTS (SELECT 1 ${source})`,
    of: (tuple, members) => found(tuple, members).length > 0,
  }));
}

function among(aliases: readonly string[], depth: number): Arbitrary<Meaning> {
  const value = operandOver([...aliases, `s${depth}`]);
  return fc
    .tuple(operandOver(aliases), value, subQuery(aliases, depth), fc.boolean())
    .map(([operand, selected, { source, found }, negated]) => ({
      source: `${operand.source} ${negated ? 'NOT IN' : 'IN'} (SELECT ${selected.source} ${source})`,
      of: (tuple, members) => {
        const is = some(found(tuple, members).map((one) => equal(operand.of(tuple), selected.of(one))));
        return negated ? not(is) : is;
      },
    }));
}

function conditionOver(aliases: readonly string[], depth: number): Arbitrary<Meaning> {
  const operand = operandOver(aliases);
  const comparison = fc.tuple(operand, operand).map(
    ([left, right]): Meaning => ({
      source: `${left.source} = ${right.source}`,
      of: (tuple) => equal(left.of(tuple), right.of(tuple)),
    }),
  );
  const predicate =
    depth > 2
      ? comparison
      : fc.oneof(
          comparison,
          { weight: 3, arbitrary: fc.constant(null).chain(() => exists(aliases, depth)) },
          { weight: 3, arbitrary: fc.constant(null).chain(() => among(aliases, depth)) },
        );
  return fc
    .tuple(fc.array(predicate, { minLength: 1, maxLength: 2 }), fc.constantFrom('AND', 'OR'), fc.boolean())
    .map(([parts, operator, negated]): Meaning => {
      const inner = parts.map((part) => `(${part.source})`).join(` ${operator} `);
      return {
        source: negated ? `NOT (${inner})` : inner,
        of: (tuple, members) => {
          const truths = parts.map((part) => part.of(tuple, members));
          const truth = operator === 'OR' ? some(truths) : not(some(truths.map(not)));
          return negated ? not(truth) : truth;
        },
      };
    });
}

interface Case {
  readonly first: string;
  readonly join: {
    readonly table: string;
    readonly type: 'JOIN' | 'LEFT JOIN' | 'FULL JOIN';
    readonly on: Meaning;
  } | null;
  readonly where: Meaning;
  readonly members: readonly string[];
}

const cases: Arbitrary<Case> = fc.boolean().chain((isJoin) =>
  fc.record<Case>({
    first: fc.constantFrom<string>(...tableNames),
    join: isJoin
      ? fc.record({
          table: fc.constantFrom<string>(...tableNames),
          type: fc.constantFrom('JOIN', 'LEFT JOIN', 'FULL JOIN'),
          on: conditionOver(['p', 'q'], 1),
        })
      : fc.constant(null),
    where: conditionOver(isJoin ? ['p', 'q'] : ['p'], 0),
    members: fc.constantFrom(...callers),
  }),
);

function joined({ first, join, members }: Case): Tuple[] {
  const left = visible(first, members).map((p): Tuple => ({ p }));
  if (join === null) return left;
  const right = visible(join.table, members);
  const pairs = left.flatMap(({ p }) =>
    right.map((q): Tuple => ({ p: p!, q })).filter((pair) => join.on.of(pair, members) === true),
  );
  const lonely = left.filter(({ p }) => join.type !== 'JOIN' && !pairs.some((pair) => pair.p === p));
  const others = right.filter((q) => join.type === 'FULL JOIN' && !pairs.some((pair) => pair.q === q));
  return [
    ...pairs,
    ...lonely.map(({ p }): Tuple => ({ p: p!, q: null })),
    ...others.map((q): Tuple => ({ p: null, q })),
  ];
}

const idsOf = ({ p, q }: Tuple) => `${p?.objectId ?? ''} ${q?.objectId ?? ''}`;

function formOf({ first, join, where }: Case): ExpressionForm {
  return {
    from: { phyName: first, alias: 'p' },
    ...(join && {
      join: [{ entity: join.table, entityAlias: 'q', type: join.type, expression: { source: join.on.source } }],
    }),
    where: { expression: { source: where.source } },
  };
}

test('sub-queries agree with their meaning, for every caller', async (context) => {
  const property = fc.asyncProperty(cases, async (one) => {
    const form = formOf(one);
    fc.pre(JSON.stringify(form).split('SELECT').length + 1 <= defaults.queryTablesMax);
    const expected = joined(one).filter((tuple) => one.where.of(tuple, one.members) === true);
    const { p, q } = await world.query(form, one.members);
    const found = p!.map((record, index) => `${record.objectId ?? ''} ${q?.[index]?.objectId ?? ''}`);
    assert.deepEqual(found, expected.map(idsOf).sort(), JSON.stringify(form));
    assert.equal(await world.count(form, one.members), expected.length, JSON.stringify(form));
    if (one.join !== null) return;
    const sorted = { ...form, orderBy: [{ column: '#p.x' }], range: { offset: 1, limit: 2 } };
    const byX = [...expected].sort((a, b) => (a.p!.x ?? -1) - (b.p!.x ?? -1) || (idsOf(a) < idsOf(b) ? -1 : 1));
    assert.deepEqual(
      (await world.query(sorted, one.members)).p!.map(({ objectId }) => `${objectId} `),
      byX.map(idsOf).slice(1, 3),
      JSON.stringify(sorted),
    );
  });
  await holds(context, property, 700);
});

const all = { from: { phyName: 'A', alias: 'p' } };
const where = (source: string, ...params: unknown[]) => ({ ...all, where: { expression: { source, params } } });

test('a record invisible to the caller is in no sub-query', async () => {
  const hidden = stored.B!.find(({ audience }) => audience === 'u7')!;
  const byId = where('EXISTS (SELECT 1 FROM B b WHERE #b.objectId = ?)', hidden.objectId);
  assert.ok((await world.count(byId, ['u7', 'a'])) > 0);
  assert.equal(await world.count(byId, ['u8', 'a']), 0);
  const listed = where('? IN (SELECT #b.objectId FROM B b)', hidden.objectId);
  assert.ok((await world.count(listed, ['u7', 'a'])) > 0);
  assert.equal(await world.count(listed, ['u8', 'a']), 0);
});

test('NOT IN is never true with a null, and always true without records', async () => {
  const outer = visible('A', ['a']).length;
  const seenNull = { source: "99 NOT IN (SELECT #c.x FROM B c WHERE #c.objectId = 'B0' OR #c.x IS NULL)" };
  assert.equal(await world.count({ ...all, where: { expression: seenNull } }, ['u7', 'g1', 'a']), 0);
  assert.equal(await world.count(where('NULL NOT IN (SELECT #c.x FROM C c WHERE 1 = 0)'), ['a']), outer);
  assert.equal(await world.count(where('NULL NOT IN (SELECT 1 FROM C c)'), ['a']), 0);
});

test('parameters are bound in the order in which they are written', async () => {
  const source = '? = 5 AND #p.objectId IN (SELECT ? FROM B b WHERE #b.objectId = ? AND ? = 7) AND ? = 8';
  const found = async (...params: unknown[]) =>
    (await world.query(where(source, ...params), callers[0])).p!.map(({ objectId }) => objectId);
  const id = visible('A', callers[0]!)[0]!.objectId;
  const other = visible('B', callers[0]!)[0]!.objectId;
  assert.deepEqual(await found('5', id, other, '7', '8'), [id]);
  assert.deepEqual(await found('5', other, id, '7', '8'), []);
});

test('the tables of sub-queries, also nested ones, count towards those of the query', async () => {
  const nested = (count: number): string =>
    count === 0 ? '1 = 1' : `EXISTS (SELECT 1 FROM A s${count} WHERE #s${count}.x = #p.x AND ${nested(count - 1)})`;
  const beside = (count: number) =>
    Array.from({ length: count }, () => 'EXISTS (SELECT 1 FROM A s WHERE #s.x = #p.x)').join(' OR ');
  for (const write of [nested, beside]) {
    assert.ok((await world.count(where(write(15)), callers[0])) > 0);
    await assert.rejects(world.count(where(write(16)), callers[0]), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.match(error.message, /^The query has 17 tables; at most 16 \(queryTablesMax\) are possible\.$/);
      return true;
    });
  }
});

test('accepted queries are never too deep for the engine', async () => {
  const nested = (depth: number, inner: string): string =>
    depth === 0
      ? inner
      : `EXISTS (SELECT 1 FROM A s${depth} WHERE #s${depth}.x = #p.x AND NOT (${nested(depth - 1, inner)}))`;
  const counted = async (depth: number, levels: number) => {
    const inner = `${'COALESCE('.repeat(levels)}#p.x${', 1)'.repeat(levels)} > 9`;
    try {
      await world.count(where(nested(depth, inner)), callers[0]);
      return 'answered';
    } catch (error) {
      assert.match(String(error), /at most 940 are possible|deeper than 200 levels/);
      return 'refused';
    }
  };
  const few = await Promise.all([1, 5, 10, 15].map((depth) => counted(depth, 10)));
  assert.deepEqual(few, ['answered', 'answered', 'answered', 'answered']);
  for (const depth of [5, 10, 15]) {
    const all: string[] = [];
    for (let levels = 20; levels <= 160; levels += 10) all.push(await counted(depth, levels));
    assert.deepEqual(all, all.toSorted(), 'from some depth on all are refused');
    assert.equal(all.at(-1), 'refused');
  }
});

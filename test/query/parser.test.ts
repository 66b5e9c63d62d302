/** The tree of an expression, and expressions designed to break the parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../src/errors.ts';
import type { Expression, SubQuery } from '../../src/query/ast.ts';
import { parseColumn, parseExpression } from '../../src/query/expression/parser.ts';
import { isOperator } from '../../src/query/language.ts';
import { holds } from './seeded.ts';

const parse = (source: string, depthMax = 200): Expression => parseExpression(source, 'field', 0, depthMax).expression;

/** A tree as text with every parenthesis, so that precedence shows. */
function shape(node: Expression): string {
  switch (node.kind) {
    case 'column':
      return `#${node.alias}.${node.column}`;
    case 'parameter':
      return `?${node.index}`;
    case 'number':
      return node.text;
    case 'text':
      return `'${node.value}'`;
    case 'bool':
      return node.value ? 'TRUE' : 'FALSE';
    case 'null':
      return 'NULL';
    case 'logical':
      return `(${node.operands.map(shape).join(` ${node.operator} `)})`;
    case 'not':
      return `NOT ${shape(node.operand)}`;
    case 'comparison':
      return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
    case 'like':
      return `(${shape(node.operand)}${node.negated ? ' NOT' : ''} ${node.ignoreCase ? 'ILIKE' : 'LIKE'} ${shape(node.pattern)} ESCAPE ${node.escape})`;
    case 'match':
      return `MATCH(${shape(node.column)}, ${shape(node.words)})`;
    case 'in':
      return `(${shape(node.operand)}${node.negated ? ' NOT' : ''} IN [${node.list.map(shape).join(', ')}])`;
    case 'between':
      return `(${shape(node.operand)}${node.negated ? ' NOT' : ''} BETWEEN ${shape(node.low)} & ${shape(node.high)})`;
    case 'isNull':
      return `(${shape(node.operand)} IS ${node.negated ? 'NOT ' : ''}NULL)`;
    case 'exists':
      return `EXISTS ${subQuery(node.query, '1')}`;
    case 'inQuery':
      return `(${shape(node.operand)}${node.negated ? ' NOT' : ''} IN ${subQuery(node.query, shape(node.query.value))})`;
    case 'case': {
      const whens = node.choices.map(({ when, value }) => `WHEN ${shape(when)} THEN ${shape(value)}`);
      const last = node.otherwise === null ? '' : ` ELSE ${shape(node.otherwise)}`;
      return `CASE ${whens.join(' ')}${last} END`;
    }
    case 'call': {
      const operands = node.arguments.map(shape);
      return isOperator(node.name) ? `(${operands.join(` ${node.name} `)})` : `${node.name}(${operands.join(', ')})`;
    }
    case 'aggregate':
      return `${node.name}(${node.distinct ? 'DISTINCT ' : ''}${node.operand === null ? '*' : shape(node.operand)})`;
    case 'name':
      return node.name;
  }
}

function subQuery({ from, where }: SubQuery<unknown>, selected: string): string {
  const condition = where === null ? '' : ` WHERE ${shape(where)}`;
  return `{SELECT ${selected} FROM ${from.table} ${from.alias}${condition}}`;
}

const shapes: readonly (readonly [string, string])[] = [
  ["NOT match(#a.x, ?) OR MATCH(#a.y, 'b c*')", "(NOT MATCH(#a.x, ?0) OR MATCH(#a.y, 'b c*'))"],
  ['#a.x = 1', '(#a.x = 1)'],
  ['#a.x != 1', '(#a.x <> 1)'],
  ['1=1 OR 2=2 AND 3=3', '((1 = 1) OR ((2 = 2) AND (3 = 3)))'],
  ['1=1 AND 2=2 OR 3=3 AND 4=4', '(((1 = 1) AND (2 = 2)) OR ((3 = 3) AND (4 = 4)))'],
  ['(1=1 OR 2=2) AND 3=3', '(((1 = 1) OR (2 = 2)) AND (3 = 3))'],
  ['1=1 or 2=2 Or 3=3', '((1 = 1) OR (2 = 2) OR (3 = 3))'],
  ['NOT 1=1 AND 2=2', '(NOT (1 = 1) AND (2 = 2))'],
  ['NOT NOT 1=1', 'NOT NOT (1 = 1)'],
  ['NOT (1=1 AND 2=2)', 'NOT ((1 = 1) AND (2 = 2))'],
  ['1 + 2 * 3 - 4 = 5', '(((1 + (2 * 3)) - 4) = 5)'],
  ['8 / 4 % 3 - 1 = 5', '((((8 / 4) % 3) - 1) = 5)'],
  ["'a' || 'b' || ? = 'c'", "((('a' || 'b') || ?0) = 'c')"],
  ["#a.x ILIKE 'b%'", "(#a.x ILIKE 'b%' ESCAPE null)"],
  ["#a.x not ilike ? escape '!'", '(#a.x NOT ILIKE ?0 ESCAPE !)'],
  [
    'case when #a.x = 1 or #a.y then 2 when 3 = 3 then ? end + 1 > 4',
    '((CASE WHEN ((#a.x = 1) OR #a.y) THEN 2 WHEN (3 = 3) THEN ?0 END + 1) > 4)',
  ],
  [
    'CASE WHEN TRUE THEN CASE WHEN FALSE THEN 1 END ELSE 2 END = 2',
    '(CASE WHEN TRUE THEN CASE WHEN FALSE THEN 1 END ELSE 2 END = 2)',
  ],
  ['NOW() > #a.x', '(NOW() > #a.x)'],
  ['SUBSTR(#a.x, 2) = SUBSTR(#a.x, 1, 3)', '(SUBSTR(#a.x, 2) = SUBSTR(#a.x, 1, 3))'],
  ['(1 + 2) * 3 < -4', '(((1 + 2) * 3) < -4)'],
  ['1 - -2 = 3', '((1 - -2) = 3)'],
  ['#a.x-1=2', '((#a.x - 1) = 2)'],
  ['-#a.x = 1', '((0 - #a.x) = 1)'],
  ['- - 1 = 1', '((0 - -1) = 1)'],
  ['-(1 + 2) = 3', '((0 - (1 + 2)) = 3)'],
  ['.5 < 1.5e-3', '(.5 < 1.5e-3)'],
  ["'it''s' = ''", "('it's' = '')"],
  ["'a%'''='b'", "('a%'' = 'b')"],
  ['? = ? AND ? <> 1', '((?0 = ?1) AND (?2 <> 1))'],
  ["#a.x LIKE 'a%'", "(#a.x LIKE 'a%' ESCAPE null)"],
  ["#a.x not like ? escape '!'", '(#a.x NOT LIKE ?0 ESCAPE !)'],
  ["#a.x LIKE 'a' ESCAPE '😀'", "(#a.x LIKE 'a' ESCAPE 😀)"],
  ['#a.x IN (1, ?, #a.y + 1)', '(#a.x IN [1, ?0, (#a.y + 1)])'],
  ['#a.x NOT IN (1)', '(#a.x NOT IN [1])'],
  ['#a.x BETWEEN 1 AND 2 AND #a.y = 3', '((#a.x BETWEEN 1 & 2) AND (#a.y = 3))'],
  ['#a.x NOT BETWEEN 1 + 1 AND ? OR 1=1', '((#a.x NOT BETWEEN (1 + 1) & ?0) OR (1 = 1))'],
  ['#a.x IS NULL OR #a.y is not null', '((#a.x IS NULL) OR (#a.y IS NOT NULL))'],
  ['NOT #a.x IS NULL', 'NOT (#a.x IS NULL)'],
  ['lower(#a.x) = Upper(?)', '(LOWER(#a.x) = UPPER(?0))'],
  ['COALESCE(#a.x, 1, NULL) = 1', '(COALESCE(#a.x, 1, NULL) = 1)'],
  ['#a.open AND NOT true', '(#a.open AND NOT TRUE)'],
  ['#and.or = #in.like', '(#and.or = #in.like)'],
  ['exists (select 1 from Task t)', 'EXISTS {SELECT 1 FROM Task t}'],
  [
    'NOT EXISTS (SELECT 1 FROM Task order WHERE #order.a = #a.x OR ? = 1) AND 1=1',
    '(NOT EXISTS {SELECT 1 FROM Task order WHERE ((#order.a = #a.x) OR (?0 = 1))} AND (1 = 1))',
  ],
  [
    '? + 1 NOT IN (SELECT #t.a * ? FROM Task t WHERE #t.b IN (SELECT ? FROM Exists in)) OR ? = 1',
    '(((?0 + 1) NOT IN {SELECT (#t.a * ?1) FROM Task t WHERE (#t.b IN {SELECT ?2 FROM Exists in})}) OR (?3 = 1))',
  ],
  ['\t#a.x\n=\r\n1 ', '(#a.x = 1)'],
];

for (const [source, expected] of shapes) test(`parsed: ${source}`, () => assert.equal(shape(parse(source)), expected));

test('positions count characters, not code units', () => {
  const tree = parse("'😀é' = #a.x AND ? = 1");
  assert.ok(tree.kind === 'logical');
  const [first, second] = tree.operands;
  assert.ok(first?.kind === 'comparison' && second?.kind === 'comparison');
  const at = [first.left, first, first.right, tree, second.left, second.right].map((node) => node.position.at);
  assert.deepEqual(at, [1, 6, 8, 13, 17, 21]);
});

test('parameters are counted over the whole query', () => {
  const parsed = parseExpression('? = ?', 'field', 5, 200);
  assert.equal(shape(parsed.expression), '(?5 = ?6)');
  assert.equal(parsed.parameters, 2);
});

test('a value of select may be named select, and a sub-query begins where that name is not allowed', () => {
  const parsed = (source: string) => shape(parseExpression(source, 'field', 0, 200, 'values').expression);
  assert.equal(parsed('exists = 1 AND select IN (select)'), '((exists = 1) AND (select IN [select]))');
  assert.equal(parsed('1 IN (select + 1, select, 2)'), '(1 IN [(select + 1), select, 2])');
  assert.equal(parsed('1 IN (select - 1)'), '(1 IN [(select - 1)])');
  assert.equal(parsed('1 IN (SELECT total FROM Task t)'), '(1 IN {SELECT total FROM Task t})');
  assert.equal(parsed('1 IN (SELECT (#t.a) FROM Task t)'), '(1 IN {SELECT #t.a FROM Task t})');
  assert.equal(
    parsed('EXISTS (SELECT 1 FROM Task t WHERE #t.a = total)'),
    'EXISTS {SELECT 1 FROM Task t WHERE (#t.a = total)}',
  );
});

test('the tables of sub-queries are listed in the order in which they are written', () => {
  const source = 'EXISTS (SELECT 1 FROM A a WHERE EXISTS (SELECT 1 FROM B b)) OR EXISTS (SELECT 1 FROM C c)';
  const { tables } = parseExpression(source, 'field', 0, 200);
  assert.deepEqual(
    tables.map(({ table, alias, position }) => [table, alias, position.at]),
    [
      ['A', 'a', 23],
      ['B', 'b', 55],
      ['C', 'c', 86],
    ],
  );
});

test('a sort key is one column', () => {
  const position = { source: 'field', at: 0 };
  assert.deepEqual(parseColumn(' #a.Name ', 'field'), { kind: 'column', alias: 'a', column: 'Name', position });
});

test('chains of AND and OR are one flat node', () => {
  const tree = parse(Array.from({ length: 5_000 }, () => '#a.x = 1').join(' OR '));
  assert.ok(tree.kind === 'logical');
  assert.equal(tree.operands.length, 5_000);
});

const deep = /nested deeper than 200 levels \(expressionDepthMax\)/;

/** Each shape at the allowed depth, just above it, and at a depth that would break an unguarded parser. */
const nestings: readonly (readonly [string, (depth: number) => string])[] = [
  ['parentheses', (depth) => `${'('.repeat(depth)}1=1${')'.repeat(depth)}`],
  ['NOT', (depth) => `${'NOT '.repeat(depth)}1=1`],
  ['NOT with parentheses', (depth) => `${'NOT ('.repeat(depth / 2)}1=1${')'.repeat(depth / 2)}`],
  ['signs', (depth) => `${'- '.repeat(depth)}#a.x = 1`],
  ['sums', (depth) => `#a.x${' + 1'.repeat(depth)} = 1`],
  ['products within sums', (depth) => `#a.x${' * 1'.repeat(depth / 2)}${' + 1'.repeat(depth / 2)} = 1`],
  ['functions', (depth) => `${'LOWER('.repeat(depth)}#a.x${')'.repeat(depth)} = 'x'`],
  ['COALESCE', (depth) => `${'COALESCE(1,'.repeat(depth)}#a.x${')'.repeat(depth)} = 1`],
  ['EXISTS', (depth) => `${'EXISTS (SELECT 1 FROM T t WHERE '.repeat(depth)}1=1${')'.repeat(depth)}`],
  ['IN of sub-queries', (depth) => `${'1 IN (SELECT 1 FROM T t WHERE '.repeat(depth)}1=1${')'.repeat(depth)}`],
  ['AND within OR', (depth) => `${'(1=1 OR 1=1 AND '.repeat(depth / 2)}1=1${')'.repeat(depth / 2)}`],
];

for (const [name, nested] of nestings) {
  test(`depth is bounded: ${name}`, () => {
    parse(nested(200));
    assert.throws(() => parse(nested(202)), deep);
    assert.throws(() => parse(nested(60_000)), deep);
  });
}

test('depth adds up over a chain whose first operand is deep', () => {
  let source = '#a.x';
  for (let level = 0; level < 20; level++) source = `(${source}${' + 1'.repeat(15)})`;
  assert.throws(() => parse(`${source} = 1`), deep);
});

const broken = [
  '(',
  'NOT ',
  '-',
  '- ',
  'LOWER(',
  '1 + ',
  "'",
  '#',
  '#a.',
  '?',
  ',',
  'IN (',
  'BETWEEN ',
  'AND ',
  '1=1 OR ',
  'EXISTS (SELECT 1 FROM T t WHERE ',
  '1 IN (SELECT ',
];

for (const piece of broken) {
  test(`60 001 times ${JSON.stringify(piece)} gives a clear error`, () => {
    assert.throws(() => parse(piece.repeat(60_001)), { name: 'ServiceError', reason: 132 });
  });
}

test('any text is parsed, or refused with a position in it', (context) => {
  const pieces = fc.constantFrom(
    ...['#a.x', '#b.y', '?', '1', '-1.5', "'t'", '(', ')', ',', '=', '<>', '<', '+', '-', '*', 'AND', 'OR', 'NOT'],
    ...['IN', 'IN (', 'LIKE', 'ESCAPE', 'BETWEEN', 'IS', 'NULL', 'TRUE', 'LOWER(', 'COALESCE(', '😀', '"', ' '],
    ...['EXISTS (', 'SELECT', 'SELECT 1 FROM T t', 'FROM', 'WHERE'],
  );
  const sources = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((list) => list.join(' ')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const property = fc.property(sources, (source) => {
    try {
      parse(source);
    } catch (error) {
      assert.ok(error instanceof ServiceError && error.reason === 132, String(error));
      const at = /^field(?:, character (\d+))?: .+[.?]$/s.exec(error.message);
      assert.ok(at !== null, error.message);
      assert.ok(at[1] === undefined || Number(at[1]) <= [...source].length + 1, error.message);
    }
  });
  holds(context, property, 3_000);
});

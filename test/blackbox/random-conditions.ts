/**
 * Random conditions with their meaning, written from docs/reference/expression-language.md and independently of the
 * product.
 */
import fc from 'fast-check';

export type Cell = bigint | string | null;
export interface FuzzRow {
  readonly objectId: string;
  readonly a: bigint | null;
  readonly b: bigint | null;
  readonly x: bigint | null;
  readonly s: string | null;
  readonly u: string | null;
}
/** One row under each alias; null if an outer join found no match. */
export type Combination = ReadonlyMap<string, FuzzRow | null>;

type Truth = boolean | null;

/** A piece of an expression: its text, its `?`, its precedence, and its meaning. */
interface Node<Result> {
  readonly source: string;
  readonly params: readonly string[];
  readonly binding: number;
  readonly evaluate: (rows: Combination) => Result;
}
export type Condition = Node<Truth>;
type Numeric = Node<bigint | null>;
type Text = Node<string | null>;

/** The precedence of each kind in SQL. */
export const binds = { or: 1, and: 2, not: 3, comparison: 4, sum: 5, product: 6, primary: 7 } as const;

export function node<Result>(
  binding: number,
  source: string,
  params: readonly string[],
  evaluate: (rows: Combination) => Result,
): Node<Result> {
  return {
    source,
    params,
    binding,
    evaluate,
    [fc.toStringMethod]: () => `${source} ${JSON.stringify(params)}`,
  } as Node<Result>;
}

/** The text of a part, in parentheses if its precedence is lower than required. */
function inside(part: Node<unknown>, least: number): string {
  return part.binding < least ? `(${part.source})` : part.source;
}

const paramsOf = (...parts: readonly Node<unknown>[]) => parts.flatMap((part) => part.params);

// Values

function compareText(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function compareCells(left: Cell, right: Cell): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return left === right ? 0 : (left as bigint) < (right as bigint) ? -1 : 1;
}

/** 64 bit; overflow is null. */
function fitting(value: bigint): bigint | null {
  return BigInt.asIntN(64, value) === value ? value : null;
}

function likeMatches(text: string, pattern: string, escapeCharacter: string | null): boolean {
  let expression = '';
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    let character = characters[index] as string;
    const isEscaped = character === escapeCharacter;
    if (isEscaped) character = characters[++index] as string;
    if (!isEscaped && character === '%') expression += '.*';
    else if (!isEscaped && character === '_') expression += '.';
    else expression += character.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
  }
  return new RegExp(`^${expression}$`, 'su').test(text);
}

// Generators

export const numberColumns = ['a', 'b', 'x'] as const;
const textColumns = ['s', 'u'] as const;
const texts = [
  '',
  'a',
  'A',
  'ab',
  'aB',
  'ä',
  'Ä',
  'b',
  '%',
  '_',
  'a%',
  '*',
  '[a]',
  '?',
  ' a ',
  "it's",
  '😀',
  '\uffee',
  'zz',
] as const;
const patterns = [
  '%',
  '_',
  'a%',
  '%a%',
  '%B',
  'A_',
  '*',
  '[a]',
  '%?',
  '__',
  '',
  '!%',
  '%!_%',
  'a!%',
  '!!',
  '%😀',
  'ä%',
] as const;

const column = (aliases: readonly string[], names: readonly (keyof FuzzRow)[]) =>
  fc.tuple(fc.constantFrom(...aliases), fc.constantFrom(...names));

function numeric(aliases: readonly string[], depth: number): fc.Arbitrary<Numeric> {
  const leaf = fc.oneof(
    {
      weight: 4,
      arbitrary: column(aliases, numberColumns).map(([alias, name]) =>
        node(binds.primary, `#${alias}.${name}`, [], (rows) => (rows.get(alias)?.[name] ?? null) as bigint | null),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: -3, max: 12 })
        .map((value) => node(value < 0 ? binds.sum : binds.primary, String(value), [], () => BigInt(value))),
    },
  );
  if (depth === 0) return leaf;
  const deeper = numeric(aliases, depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('+', '-', '*'), deeper, deeper).map(([operator, left, right]) => {
        const binding = operator === '*' ? binds.product : binds.sum;
        const source = `${inside(left, binding)} ${operator} ${inside(right, binding + 1)}`;
        return node(binding, source, paramsOf(left, right), (rows) => {
          const [l, r] = [left.evaluate(rows), right.evaluate(rows)];
          if (l === null || r === null) return null;
          return fitting(operator === '+' ? l + r : operator === '-' ? l - r : l * r);
        });
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(deeper, deeper)
        .map(([left, right]) =>
          node(
            binds.primary,
            `COALESCE(${left.source}, ${right.source})`,
            paramsOf(left, right),
            (rows) => left.evaluate(rows) ?? right.evaluate(rows),
          ),
        ),
    },
    {
      weight: 1,
      arbitrary: text(aliases, depth - 1).map((part) =>
        node(binds.primary, `LENGTH(${part.source})`, part.params, (rows) => {
          const value = part.evaluate(rows);
          return value === null ? null : BigInt([...value].length);
        }),
      ),
    },
  );
}

function text(aliases: readonly string[], depth: number): fc.Arbitrary<Text> {
  const leaf = fc.oneof(
    {
      weight: 4,
      arbitrary: column(aliases, textColumns).map(([alias, name]) =>
        node(binds.primary, `#${alias}.${name}`, [], (rows) => (rows.get(alias)?.[name] ?? null) as string | null),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...texts)
        .map((value) => node(binds.primary, `'${value.replaceAll("'", "''")}'`, [], () => value)),
    },
  );
  if (depth === 0) return leaf;
  const deeper = text(aliases, depth - 1);
  const mapped = (name: string, change: (value: string) => string) =>
    deeper.map((part) =>
      node(binds.primary, `${name}(${part.source})`, part.params, (rows) => {
        const value = part.evaluate(rows);
        return value === null ? null : change(value);
      }),
    );
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: mapped('LOWER', (value) => value.toLowerCase()) },
    { weight: 1, arbitrary: mapped('upper', (value) => value.toUpperCase()) },
    { weight: 1, arbitrary: mapped('Trim', (value) => value.replace(/^ +| +$/g, '')) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(deeper, deeper)
        .map(([left, right]) =>
          node(
            binds.primary,
            `COALESCE(${left.source}, ${right.source})`,
            paramsOf(left, right),
            (rows) => left.evaluate(rows) ?? right.evaluate(rows),
          ),
        ),
    },
  );
}

const operators = ['=', '<>', '!=', '<', '<=', '>', '>='] as const;

export function compared(operator: (typeof operators)[number], left: Cell, right: Cell): Truth {
  if (left === null || right === null) return null;
  const order = compareCells(left, right);
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

const not = (value: Truth): Truth => (value === null ? null : !value);
const and = (left: Truth, right: Truth): Truth =>
  left === false || right === false ? false : left === null || right === null ? null : true;
const or = (left: Truth, right: Truth): Truth => not(and(not(left), not(right)));

/** A column and a `?` of its type, the only position in which a parameter's type is certain. */
function withParameter(aliases: readonly string[]): fc.Arbitrary<Condition> {
  const number = fc.tuple(column(aliases, numberColumns), fc.integer({ min: -3, max: 12 }).map(BigInt));
  const word = fc.tuple(column(aliases, textColumns), fc.constantFrom(...texts));
  return fc
    .tuple(fc.oneof(number, word), fc.constantFrom(...operators))
    .map(([[[alias, name], value], operator]) =>
      node(binds.comparison, `#${alias}.${name} ${operator} ?`, [String(value)], (rows) =>
        compared(operator, rows.get(alias)?.[name] ?? null, value),
      ),
    );
}

function comparison(aliases: readonly string[], depth: number): fc.Arbitrary<Condition> {
  const operand: fc.Arbitrary<readonly [Node<Cell>, Node<Cell>, Node<Cell>]> = fc.oneof(
    fc.tuple(numeric(aliases, depth), numeric(aliases, depth), numeric(aliases, depth)),
    fc.tuple(text(aliases, depth), text(aliases, depth), text(aliases, depth)),
  );
  const simple = fc
    .tuple(operand, fc.constantFrom(...operators))
    .map(([[left, right], operator]) =>
      node(
        binds.comparison,
        `${inside(left, binds.sum)} ${operator} ${inside(right, binds.sum)}`,
        paramsOf(left, right),
        (rows) => compared(operator, left.evaluate(rows), right.evaluate(rows)),
      ),
    );
  const isNull = fc
    .tuple(operand, fc.boolean())
    .map(([[part], negated]) =>
      node(
        binds.comparison,
        `${inside(part, binds.sum)} IS ${negated ? 'NOT ' : ''}NULL`,
        part.params,
        (rows) => (part.evaluate(rows) === null) !== negated,
      ),
    );
  const between = fc.tuple(operand, fc.boolean()).map(([[part, low, high], negated]) =>
    node(
      binds.comparison,
      `${inside(part, binds.sum)} ${negated ? 'NOT ' : ''}BETWEEN ${inside(low, binds.sum)} AND ${inside(high, binds.sum)}`,
      paramsOf(part, low, high),
      (rows) => {
        const value = part.evaluate(rows);
        const within = and(compared('>=', value, low.evaluate(rows)), compared('<=', value, high.evaluate(rows)));
        return negated ? not(within) : within;
      },
    ),
  );
  const among = fc.tuple(operand, fc.boolean(), fc.boolean()).map(([[part, first, second], withNull, negated]) =>
    node(
      binds.comparison,
      `${inside(part, binds.sum)} ${negated ? 'NOT ' : ''}IN (${first.source}, ${second.source}${withNull ? ', NULL' : ''})`,
      paramsOf(part, first, second),
      (rows) => {
        const value = part.evaluate(rows);
        const candidates: Cell[] = [first.evaluate(rows), second.evaluate(rows), ...(withNull ? [null] : [])];
        const found = candidates.map((candidate) => compared('=', value, candidate)).reduce<Truth>(or, false);
        return negated ? not(found) : found;
      },
    ),
  );
  const like = fc
    .tuple(text(aliases, depth), fc.constantFrom(...patterns), fc.boolean(), fc.boolean(), fc.boolean())
    .map(([part, pattern, asParameter, escaped, negated]) => {
      const written = asParameter ? '?' : `'${pattern}'`;
      const source = `${inside(part, binds.sum)} ${negated ? 'NOT ' : ''}LIKE ${written}${escaped ? " ESCAPE '!'" : ''}`;
      return node(binds.comparison, source, [...part.params, ...(asParameter ? [pattern] : [])], (rows) => {
        const value = part.evaluate(rows);
        return value === null ? null : likeMatches(value, pattern, escaped ? '!' : null) !== negated;
      });
    });
  return fc.oneof({ weight: 4, arbitrary: simple }, isNull, between, among, like, {
    weight: 2,
    arbitrary: withParameter(aliases),
  });
}

export function condition(aliases: readonly string[], depth = 3): fc.Arbitrary<Condition> {
  if (depth === 0) return comparison(aliases, 1);
  const deeper = condition(aliases, depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: comparison(aliases, 2) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('AND', 'OR'), deeper, deeper).map(([operator, left, right]) => {
        const binding = operator === 'AND' ? binds.and : binds.or;
        const source = `${inside(left, binding)} ${operator} ${inside(right, binding)}`;
        const combine = operator === 'AND' ? and : or;
        return node(binding, source, paramsOf(left, right), (rows) =>
          combine(left.evaluate(rows), right.evaluate(rows)),
        );
      }),
    },
    {
      weight: 1,
      arbitrary: deeper.map((part) =>
        node(binds.not, `NOT ${inside(part, binds.not)}`, part.params, (rows) => not(part.evaluate(rows))),
      ),
    },
  );
}

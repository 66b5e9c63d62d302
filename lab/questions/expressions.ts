/**
 * Random conditions of the expression language on given tables: most are valid; some are wrong in type, name or form.
 */
import type { Random } from '../machine/random.ts';
import { havingOf } from './having.ts';
import { comparisons, joined, operatorsIn, type Part, plain, quoted, wordsIn } from './parts.ts';
import { spoiled } from './spoil.ts';
import { subQueriesOn, subQueryDepthMax } from './sub-queries.ts';
import { type CompareColumn, type CompareTable, mostlyOwn } from './tables.ts';
import { textTestsOn } from './text-tests.ts';
import { fittingValue, type Kind, type ValueType } from './values.ts';

export interface Source {
  readonly alias: string;
  readonly table: CompareTable;
}

/**
 * Writes conditions on the columns of some tables, with sub-queries of any of the tables.
 * @param mayFail whether some may contain an error
 */
export function expressionsOn(
  sources: readonly Source[],
  tables: readonly CompareTable[],
  random: Random,
  mayFail: boolean,
) {
  const { where, on, value, aggregate, having } = partsOn(sources, tables, random, mayFail, 0);
  /** Writes a part, possibly spoiled. */
  const written = (part: () => Part): Part => {
    const made = part();
    return mayFail && random.chance(0.08) ? spoiled(made, random) : made;
  };
  return {
    where: () => written(where),
    on: () => written(on),
    value: () => written(value),
    aggregate: () => written(aggregate),
    having: (names: readonly string[]) => written(() => having(names)),
  };
}

/** @param depth how many sub-queries enclose the expression */
function partsOn(
  sources: readonly Source[],
  tables: readonly CompareTable[],
  random: Random,
  mayFail: boolean,
  depth: number,
) {
  const columnsOf = (fits: (type: ValueType) => boolean) =>
    sources.flatMap(({ alias, table }) =>
      table.columns.filter(({ type }) => fits(type)).map((column) => ({ alias, column })),
    );
  const all = columnsOf(() => true);
  const use = ({ alias, column }: { alias: string; column: CompareColumn }) => plain(`#${alias}.${column.name}`);
  const word = wordsIn(random);

  /** A literal or a parameter that fits the type. */
  function constant(type: ValueType): Part {
    const value = fittingValue(type, random);
    if (random.chance(0.04)) return plain(word('NULL'));
    if (random.chance(0.5)) return { source: '?', params: [random.chance(0.05) ? null : value] };
    const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (type.kind === 'bool' && random.chance(0.6)) return plain(word(random.pick(['TRUE', 'FALSE'])));
    const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && type.kind !== 'text';
    return plain(isNumber && random.chance(0.8) ? text : quoted(text));
  }

  function column(fits: (type: ValueType) => boolean): { part: Part; type: ValueType } | null {
    const fitting = columnsOf(fits);
    if (fitting.length === 0) return null;
    const found = mostlyOwn(fitting, random);
    return { part: use(found), type: found.column.type };
  }

  const subQueries = subQueriesOn(sources, tables, random, depth, {
    column,
    constant,
    aggregate,
    mayFail,
    within: (inner) => partsOn(inner, tables, random, mayFail, depth + 1),
  });

  const ofKind =
    (...kinds: readonly Kind[]) =>
    (type: ValueType) =>
      kinds.includes(type.kind);

  const tests = textTestsOn(columnsOf(ofKind('text')), random, mayFail, { text, constant });

  /** A call of one of the functions, with one value. */
  const call = (names: readonly string[], value: Part) =>
    joined([value], (part) => `${word(random.pick(names))}(${part})`);
  const fold = (value: Part) => call(['LOWER', 'UPPER'], value);
  const coalesce = (value: () => Part) =>
    joined(random.times(random.between(1, 3), value), (...parts) => `${word('COALESCE')}(${parts.join(', ')})`);
  const between = operatorsIn(random);
  const within = (value: Part) => joined([value], (part) => `(${part})`);

  function text(depth: number): Part {
    const leaf = () => column(ofKind('text'))?.part ?? constant({ kind: 'text' });
    if (depth === 0) return leaf();
    return random.weighted(
      [5, leaf],
      [2, () => constant({ kind: 'text' })],
      [2, () => fold(text(depth - 1))],
      [1, () => call(['TRIM'], text(depth - 1))],
      [1, () => coalesce(() => text(depth - 1))],
      [1, () => within(between(['||'], text(depth - 1), text(depth - 1)))],
      [1, () => substring(depth)],
      [1, () => choice(() => text(depth - 1))],
      [2, () => inJson('JSON_TEXT') ?? leaf()],
    );
  }

  function substring(depth: number): Part {
    const bounds = random.times(random.between(1, 2), () =>
      random.chance(0.7) ? plain(String(random.between(-1, 6))) : whole(depth - 1),
    );
    return joined([text(depth - 1), ...bounds], (...parts) => `${word('SUBSTR')}(${parts.join(', ')})`);
  }

  function choice(value: () => Part): Part {
    const parts = random.times(random.between(1, 2), () => [predicate(), value()]).flat();
    const other = random.chance(0.6) ? [value()] : [];
    return joined([...parts, ...other], (...sources) => {
      const last = sources.length % 2 === 1 ? ` ${word('ELSE')} ${sources.pop()}` : '';
      const whens = sources.map((source, index) => `${word(index % 2 === 0 ? 'WHEN' : 'THEN')} ${source}`);
      return `${word('CASE')} ${whens.join(' ')}${last} ${word('END')}`;
    });
  }

  function inJson(name: string): Part | null {
    const path = random.pick([
      '$.a',
      '$.a',
      '$.b.c',
      '$[0]',
      '$."a"',
      mayFail ? '$.ä' : '$[0].a',
      '$.a[1]',
      '$[1].b',
      '$."ä"."b c"',
      '$.a[0].b',
    ]);
    const found = column(ofKind('json'));
    return found && joined([found.part], (part) => `${word(name)}(${part}, '${path}')`);
  }

  function whole(depth: number): Part {
    const leaf = () => column(ofKind('integer', 'long'))?.part ?? constant({ kind: 'long' });
    if (depth === 0) return leaf();
    return random.weighted(
      [5, leaf],
      [2, () => constant({ kind: random.pick(['integer', 'long']) })],
      [3, () => within(between(['+', '-', '*', '%'], whole(depth - 1), whole(depth - 1)))],
      [1, () => joined([whole(depth - 1)], (part) => `-${part}`)],
      [1, () => call(['LENGTH'], text(depth - 1))],
      [1, () => coalesce(() => whole(depth - 1))],
      [1, () => call(['ABS', 'ROUND'], whole(depth - 1))],
      [1, () => choice(() => whole(depth - 1))],
      [1, () => (column(ofKind('datetime')) === null ? leaf() : call(['YEAR', 'MONTH', 'DAY'], instant()))],
    );
  }

  const instant = () =>
    random.chance(0.1) ? plain(`${word('NOW')}()`) : (column(ofKind('datetime'))?.part ?? plain('NULL'));

  /** Exact numbers with digits after the point. */
  function decimal(depth: number): Part {
    const leaf = () => column(ofKind('decimal', 'integer'))?.part ?? plain('1.50');
    if (depth === 0) return leaf();
    return random.weighted(
      [4, leaf],
      [2, () => plain(random.pick(['0.5', '1.25', '-3.0', '999999999999', '0.001', '2', '128', '-7']))],
      [3, () => within(between(['+', '-', '*', '/', '%'], decimal(depth - 1), decimal(depth - 1)))],
      [
        3,
        () =>
          within(
            between(
              ['/'],
              random.chance(0.7) ? decimal(0) : whole(0),
              plain(random.pick(['2', '3', '128', '-128', '-0.7', '0'])),
            ),
          ),
      ],
      [2, () => call(['ABS'], decimal(depth - 1))],
      [4, () => rounded(decimal(depth - 1), mayFail ? random.below(3) : 0)],
      [1, () => choice(() => decimal(depth - 1))],
      [4, () => coalesce(() => decimal(0))],
    );
  }

  const rounded = (value: Part, digits: number) => joined([value], (part) => `ROUND(${part}, ${digits})`);

  /** A column rounded to digits that it has. */
  function roundedColumn(): Part {
    const found = column(ofKind('decimal'));
    return found === null ? decimal(1) : rounded(found.part, random.below(Math.min(2, found.type.scale ?? 0) + 1));
  }

  /** Two or more values, usually comparable. */
  function comparable(count: number): Part[] {
    return random.weighted(
      [4, () => [text(2), ...random.times(count - 1, () => text(1))]],
      [4, () => [whole(2), ...random.times(count - 1, () => whole(1))]],
      [2, () => [decimal(2), ...random.times(count - 1, () => decimal(1))]],
      [5, () => ofColumn(count)],
      [1, () => [inJson('JSON_TEXT') ?? text(1), ...random.times(count - 1, () => text(0))]],
      [mayFail ? 2 : 0, () => [text(1), whole(1), column(() => true)?.part ?? text(0)].slice(0, Math.max(count, 2))],
    );
  }

  /** A column and values of its type: constants, other columns, sometimes all within a COALESCE. */
  function ofColumn(count: number): Part[] {
    const first = column(({ kind }) => kind !== 'json' || (mayFail && random.chance(0.2)));
    if (first === null) return [text(1), text(1)];
    const { type } = first;
    const others = random.times(count - 1, () => {
      const related = random.chance(0.4)
        ? column(({ kind }) => kind === type.kind || (kind === 'integer' && type.kind !== 'text'))
        : null;
      return related?.part ?? constant(type);
    });
    const parts = [first.part, ...others];
    if (random.chance(0.12))
      parts[0] = joined([first.part, constant(type)], (one, other) => `COALESCE(${one}, ${other})`);
    return random.chance(0.2) ? parts.reverse() : parts;
  }

  function predicate(): Part {
    const not = () => (random.chance(0.3) ? `${word('NOT')} ` : '');
    const isNull = (value: Part) => joined([value], (part) => `${part} ${word('IS')} ${not()}${word('NULL')}`);
    const among = ([first, ...rest]: readonly Part[]) =>
      joined([first!, ...rest], (part, ...others) => `${part} ${not()}${word('IN')} (${others.join(', ')})`);
    const inRange = (values: readonly Part[]) =>
      joined(values, (part, low = '1', high = '2') => `${part} ${not()}${word('BETWEEN')} ${low} AND ${high}`);
    return random.weighted(
      [8, () => between(comparisons, ...(comparable(2) as [Part, Part]))],
      [2, () => isNull(use(mostlyOwn(all, random)))],
      [1, () => isNull(random.chance(0.5) ? text(2) : whole(2))],
      [2, () => among(comparable(random.between(2, 5)))],
      [2, () => inRange(comparable(3))],
      [5, () => tests.like(not())],
      [3, tests.match],
      [2, tests.folded],
      [1, () => column(ofKind('bool'))?.part ?? plain(word('TRUE'))],
      [
        depth < subQueryDepthMax ? 2 : 0,
        () => (random.chance(0.5) ? subQueries.exists() : subQueries.amongFound(not())),
      ],
      [1, () => plain(random.pick(['1 = 1', '1 = 0', 'TRUE', 'NULL', '1 <> 1', "'a' = 'A'"]))],
    );
  }

  /** 1, 0 or null for a condition that is true, false or unknown, so that a query returns its result for each row. */
  function truth(): Part {
    const part = predicate();
    return joined([part, part], (one, other) => `CASE WHEN ${one} THEN 1 WHEN NOT (${other}) THEN 0 END`);
  }

  function condition(depth: number): Part {
    if (depth === 0) return predicate();
    const several = () => {
      const parts = random.times(random.between(2, 3), () => condition(depth - 1));
      return joined(parts, (...sources) => `(${sources.join(` ${word(random.pick(['AND', 'OR']))} `)})`);
    };
    return random.weighted(
      [3, predicate],
      [3, several],
      [1, () => joined([condition(depth - 1)], (part) => `${word('NOT')} (${part})`)],
      [1, () => between(['AND', 'OR'], condition(depth - 1), condition(depth - 1))],
    );
  }

  /** How the last table is joined: mostly by equal values, so that some find partners and some do not. */
  function joining(): Part {
    const { alias, table } = sources.at(-1)!;
    const earlier = sources.slice(0, -1);
    const own = random.pick(table.columns);
    const partners = earlier.flatMap((one) =>
      one.table.columns
        .filter(({ type }) => type.kind === own.type.kind)
        .map((other) => ({ alias: one.alias, column: other })),
    );
    const id = plain(`#${alias}.objectId = #${random.pick(earlier).alias}.objectId`);
    const byColumn = () =>
      partners.length === 0 || own.type.kind === 'json'
        ? id
        : plain(`${use(random.pick(partners)).source} = #${alias}.${own.name}`);
    return random.weighted(
      [5, () => id],
      [4, byColumn],
      [2, () => between(['AND'], id, condition(1))],
      [1, () => condition(1)],
    );
  }

  /** Most conditions are true for few rows, their negations for many. */
  function finding(part: Part): Part {
    const orSome = () => plain(`#${random.pick(sources).alias}.objectId LIKE '%${random.below(4)}'`);
    return random.weighted(
      [3, () => part],
      [2, () => joined([part], (inner) => `NOT (${inner})`)],
      [1, () => between(['OR'], part, orSome())],
    );
  }

  /** An aggregate, usually valid for its operand. */
  function aggregate(): Part {
    const exact = () => column(ofKind('integer', 'long', 'decimal'))?.part ?? whole(1);
    return random.weighted(
      [1, () => plain(`${word('COUNT')}(*)`)],
      [2, () => call(['COUNT', 'MIN', 'MAX'], use(mostlyOwn(all, random)))],
      [1, () => joined([text(1)], (part) => `COUNT(DISTINCT ${part})`)],
      [1, () => call(['MIN', 'MAX'], random.chance(0.5) ? text(2) : whole(2))],
      [1, () => call(['MIN', 'MAX'], inJson('JSON_TEXT') ?? text(1))],
      [3, () => call(['SUM', 'AVG'], mayFail && random.chance(0.1) ? use(mostlyOwn(all, random)) : exact())],
      [1, () => joined([exact()], (part) => `COALESCE(${word('SUM')}(${part}), 0)`)],
    );
  }

  const where = (): Part => finding(condition(random.below(4)));
  return {
    where,
    on: joining,
    value: (): Part =>
      random.weighted(
        [4, () => use(mostlyOwn(all, random))],
        [6, truth],
        [2, () => text(2)],
        [1, () => fold(fold(text(0)))],
        [2, () => whole(2)],
        [3, () => decimal(2)],
        [2, roundedColumn],
        [1, () => call(['YEAR', 'MONTH', 'DAY', 'DAY'], instant())],
        [2, () => inJson('JSON_TEXT') ?? text(1)],
        [2, () => inJson('JSON_NUMBER') ?? decimal(1)],
      ),
    aggregate,
    having: havingOf({ aggregate, ofGroups: subQueries.ofGroups }, random),
  };
}

/**
 * Conditions on the rows of `Item` (tables.ts) with the ids that they find, and conditions that are refused
 * (docs/reference/expression-language.md).
 */

export interface FoundBy {
  readonly source: string;
  readonly params?: readonly unknown[];
  /** Found ids, ascending; 'all' for every row. */
  readonly ids: readonly string[] | 'all';
}

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

function row(source: string, ids: string, ...params: unknown[]): FoundBy {
  return { source, ids: ids === 'all' ? 'all' : words(ids), params };
}

const withNumber = 'i1 i2 i3 i5 i6 i7 i8 i9 ib ic';
const withName = 'i1 i2 i3 i4 i5 i6 i7 i8 i9 ib ic';

export const found: readonly FoundBy[] = [
  // Comparisons
  row('#t.n = 2', 'i2 i3'),
  row('#t.n = ?', 'i2 i3', '2'),
  row('#t.n = ?', 'i2 i3', 2),
  row('? = #t.n', 'i2 i3', '2'),
  row('2 = #t.n', 'i2 i3'),
  row('#t.n <> 2', 'i1 i5 i6 i7 i8 i9 ib ic'),
  row('#t.n != 2', 'i1 i5 i6 i7 i8 i9 ib ic'),
  row('#t.n < 1', 'i6 i9'),
  row('#t.n <= ?', 'i1 i6 i9', '1'),
  row('#t.n > 4', 'i5 i7 i8'),
  row('#t.n >= ?', 'i5 i7 i8 ic', '4'),
  row('#t.n = -5', 'i6'),
  row('#t.n = ?', 'i6', '-5'),
  row('#t.n = #t.big', 'i5 i6 i7 ib ic'),
  row('#t.n<2 AND#t.n>0', 'i1'),

  // Constants
  row('1 = 1', 'all'),
  row('1 = 0', ''),
  row("'it''s' = ?", 'all', "it's"),
  row("'a' < 'b'", 'all'),
  row("? = 'x'", 'all', 'x'),

  // Null and three-valued logic
  row('#t.n IS NULL', 'i4 ia'),
  row('#t.n IS NOT NULL', withNumber),
  row('NOT #t.n IS NULL', withNumber),
  row('#t.n = NULL', ''),
  row('NOT (#t.n = NULL)', ''),
  row('NOT (#t.n = 2)', 'i1 i5 i6 i7 i8 i9 ib ic'),
  row('NOT #t.n = 2', 'i1 i5 i6 i7 i8 i9 ib ic'),
  row('#t.n IS NULL OR #t.n = 2', 'i2 i3 i4 ia'),
  row('#t.extra IS NULL', 'i2 i5 i6 i7 i8 i9 ia ib ic'),
  row('#t.extra IS NOT NULL', 'i1 i3 i4'),

  // Sub-queries
  row('#t.n IN (SELECT #o.n FROM Item o WHERE #o.objectId = ?)', 'i2 i3', 'i2'),
  row("#t.n NOT IN (SELECT #o.n FROM Item o WHERE #o.objectId IN ('i2', 'i4'))", ''),
  row('#t.n NOT IN (SELECT #o.n FROM Item o WHERE #o.n = 2)', 'i1 i5 i6 i7 i8 i9 ib ic'),
  row("EXISTS (SELECT 1 FROM Item o WHERE #o.n = #t.n AND #o.objectId = 'i3')", 'i2 i3'),
  row("NOT EXISTS (SELECT 1 FROM Item o WHERE #o.n = #t.n AND #o.objectId <> 'i3')", 'i4 ia'),
  row('EXISTS (SELECT 1 FROM Item o)', 'all'),

  // IN and BETWEEN
  row('#t.n IN (1, 2, ?)', 'i1 i2 i3 i5', '10'),
  row('#t.n NOT IN (1, 2)', 'i5 i6 i7 i8 i9 ib ic'),
  row('#t.n IN (1, NULL)', 'i1'),
  row('#t.n NOT IN (1, NULL)', ''),
  row("#t.name IN ('apple', 'ÄPFEL', ?)", 'i1 i4 ic', '😀x'),
  row('#t.n BETWEEN 1 AND 3', 'i1 i2 i3 ib'),
  row('#t.n BETWEEN ? AND ? AND #t.n <> 2', 'i1 ib', '1', '3'),
  row('#t.n NOT BETWEEN 1 AND 7', 'i5 i6 i9'),
  row('#t.n BETWEEN 3 AND 1', ''),
  row("#t.name BETWEEN 'a' AND 'b'", 'i1 i7 i8'),

  // Logic
  row("#t.n = 1 OR #t.n = 2 AND #t.name = 'Apple'", 'i1 i2'),
  row("(#t.n = 1 OR #t.n = 2) AND #t.name = 'Apple'", 'i2'),
  row('NOT (#t.n = 2 OR #t.n = 7)', 'i1 i5 i6 i9 ib ic'),
  row('NOT NOT #t.n = 2', 'i2 i3'),
  row("#t.n iN (1) oR #t.name LiKe 'A%'", 'i1 i2'),
  row(' \n\t( ( #t.n\r\n=\t2 ) ) ', 'i2 i3'),

  // Bools
  row('#t.open = TRUE', 'i1 i3 i6'),
  row('#t.open = false', 'i2 i5 i9'),
  row('#t.open <> TRUE', 'i2 i5 i9'),
  row('#t.open = ?', 'i1 i3 i6', 'true'),
  row('#t.open = ?', 'i1 i3 i6', '1'),
  row('#t.open = ?', 'i2 i5 i9', false),
  row('#t.open IS NULL', 'i4 i7 i8 ia ib ic'),

  // Text, by code point and case-sensitively
  row("#t.name = 'apple'", 'i1'),
  row('#t.name = ?', 'i4', 'ÄPFEL'),
  row("#t.name = ''", 'i9'),
  row("#t.name > 'a'", 'i1 i3 i4 i7 i8 ic'),
  row('#t.name >= ?', 'ic', '\u{ffff}'),
  row("#t.name = 'a*b[c]?'", 'i8'),
  row("#t.name <> 'apple'", 'i2 i3 i4 i5 i6 i7 i8 i9 ib ic'),
  row('#t.name = ?', '', "' OR 1 = 1 --"),

  // LIKE
  row("#t.name LIKE 'a%'", 'i1 i7 i8'),
  row("#t.name LIKE 'A%'", 'i2'),
  row("#t.name LIKE '%PF%'", 'i4'),
  row("#t.name LIKE '100%'", 'i5 i6'),
  row("#t.name LIKE '100!%' ESCAPE '!'", 'i5'),
  row("#t.name LIKE ? ESCAPE '\\'", 'i5', '100\\%'),
  row("#t.name LIKE '100\\%'", ''),
  row("#t.name LIKE 'a_b'", 'i7'),
  row("#t.name LIKE 'a!_b' ESCAPE '!'", 'i7'),
  row("#t.name LIKE 'a*%'", 'i8'),
  row("#t.name LIKE '%[c]%'", 'i8'),
  row("#t.name LIKE '%?'", 'i8'),
  row("#t.name LIKE '%]_'", 'i8'),
  row("#t.name LIKE '_x'", 'ic'),
  row("#t.name LIKE '__'", 'ic'),
  row("#t.name LIKE ''", 'i9'),
  row("#t.name LIKE '%'", withName),
  row("#t.name LIKE 'apple'", 'i1'),
  row('#t.name LIKE ?', 'i1 i2', '%e'),
  row("#t.name NOT LIKE '%p%'", 'i4 i5 i6 i7 i8 i9 ic'),
  row("LOWER(#t.name) LIKE '%app%'", 'i1 i2'),

  // Functions
  row("LOWER(#t.name) = 'äpfel'", 'i3 i4'),
  row('UPPER(#t.name) = ?', 'i3 i4', 'ÄPFEL'),
  row("upper('ä') = 'Ä'", 'all'),
  row("LOWER('ЖΩ𐐀') = 'жω𐐨'", 'all'),
  row('LENGTH(#t.name) = 2', 'ic'),
  row('LENGTH(#t.name) = ?', 'i9', '0'),
  row('LENGTH(#t.name) BETWEEN 5 AND 6', 'i1 i2 i3 i4'),
  row("TRIM(#t.name) = 'pad'", 'ib'),
  row('COALESCE(#t.n, 99) = 99', 'i4 ia'),
  row('COALESCE(#t.n, ?) = 99', 'i4 ia', '99'),
  row("COALESCE(#t.name, #t.kindId, 'none') = 'k3'", 'ia'),
  row("COALESCE(LOWER(#t.name), 'x') = 'x'", 'ia'),

  // Integers: 64 bit, overflow is null
  row('#t.n + 1 = 3', 'i2 i3'),
  row('#t.n - 1 = -1', 'i9'),
  row('#t.n - -1 = 1', 'i9'),
  row('#t.n * 2 > 10', 'i5 i7 i8'),
  row('#t.n + #t.n * 2 = 6', 'i2 i3'),
  row('(#t.n + #t.n) * 2 = 8', 'i2 i3'),
  row('#t.n - 1 - 1 = 0', 'i2 i3'),
  row('#t.n * 1000000000 = 10000000000', 'i5'),
  row('#t.n + ? = 3', 'i2 i3', '1'),
  row('(#t.big + 1) IS NULL', 'i1 i4'),
  row('(#t.big - 1) IS NULL', 'i2 i4'),
  row('(#t.big * #t.big) IS NULL', 'i1 i2 i4'),
  row('#t.big + 1 > 0', 'i3 i5 i7 i8 i9 ia ib ic'),
  row('NOT (#t.big + 1 > 0)', 'i2 i6'),
  row('#t.big * -1 = 5', 'i6'),
  row('LENGTH(#t.name) + #t.n = 6', 'i1 ic'),

  // The other types
  row('#t.big = 9223372036854775807', 'i1'),
  row('#t.big = ?', 'i2', '-9223372036854775808'),
  row('#t.big >= ?', 'i1 i5', '10'),
  row('#t.price = 1.5', 'i1'),
  row('#t.price = ?', 'i1', '1.50'),
  row('#t.price = ?', 'i1', '1.5'),
  row('#t.price < 0', 'i2 i6'),
  row('#t.price >= ?', 'i5 i8', '7.01'),
  row('#t.price BETWEEN 0 AND 1.5', 'i1 i3 i9'),
  row('#t.ratio = 0.5', 'i1'),
  row('#t.ratio = ?', 'i3', '1e21'),
  row('#t.ratio > 7', 'i3 i5 i8'),
  row('#t.ratio < ?', 'i2 i6', '0'),
  row('#t.at = ?', 'i1', '2014-01-23T07:44:36.516Z'),
  row('#t.at = ?', 'i1', '2014-01-23 07:44:36.516'),
  row('#t.at = ?', 'i1', '2014-01-23T16:44:36.516+09:00'),
  row('#t.at < ?', 'i4', '2000-01-01T00:00:00Z'),
  row('#t.at <= ?', 'i4 i6', '2000-01-01T00:00:00Z'),
  row('#t.at BETWEEN ? AND ?', 'i1 i2', '2014-01-01T00:00:00Z', '2015-01-01T00:00:00Z'),
  row('#t.at IS NULL', 'i3 i7 i8 i9 ia ib ic'),

  // System fields
  row('#t.objectId = ?', 'i5', 'i5'),
  row("#t.objectId IN ('i1', 'ic', 'nobody')", 'i1 ic'),
  row('#t.scopeType = 3', 'all'),
  row('#t.serverRecordStatus = ?', 'all', '1'),
  row('#t.CreateTime IS NULL', 'all'),
  row('#t.serverCreateTime = #t.serverUpdateTime', 'all'),
  row('#t.createUserId = ?', 'all', '{{alice.id}}'),
];

export interface RefusedBy {
  readonly source: string;
  readonly params?: readonly unknown[];
  /** What the description must contain. */
  readonly has?: RegExp;
  /** A range of characters, from 1, of which the description must name one. */
  readonly between?: readonly [number, number];
}

/** The faulty part of a source is marked with `«` and `»` if its position is certain. */
function wrong(marked: string, has?: RegExp, ...params: unknown[]): RefusedBy {
  const start = marked.indexOf('«');
  const end = marked.indexOf('»') - 1;
  return {
    source: marked.replace('«', '').replace('»', ''),
    params,
    ...(has === undefined ? {} : { has }),
    ...(start === -1 ? {} : { between: [start + 1, Math.max(start + 1, end)] as const }),
  };
}

export const refused: readonly RefusedBy[] = [
  // Unknown names, with the nearest one
  wrong('#t.n = 1 AND «#t.nme» = 2', /\bname\b|\bn\b/),
  wrong('#t.n = 1 AND «#t.prcie» = 2', /\bprice\b/),
  wrong('«#x.n» = 1', /\bx\b/),
  wrong('«#t._seq» = 1'),
  wrong("«#t._audience» = 'a'"),
  wrong('«#t.rowid» = 1'),
  wrong('«#T.n» = 1'),
  wrong('«#t.N» = 1', /\bn\b/),
  wrong('«#t.groupids» = 1', /\bgroupIds\b/),

  // Not in the language
  wrong('«t».n = 1'),
  wrong('«n» = 1'),
  wrong('#t.n = 1«;» DROP TABLE Item'),
  wrong('#t.n = 1 «--» the rest'),
  wrong('#t.n = 1 «/*» x */'),
  wrong('#t.n = 1 «UNION» SELECT 1'),
  wrong('EXISTS (SELECT 1«)»', /\bFROM\b/),
  wrong('#t.n IN (SELECT 1«)»', /\bFROM\b/),
  wrong('EXISTS (SELECT «*» FROM Item o)', /\bSELECT 1 FROM\b/),
  wrong('#t.n = («SELECT» #o.n FROM Item o)', /\bEXISTS\b.*\bIN\b/),
  wrong('#t.n = «"»x"'),
  wrong('«SLEEP»(1) = 1'),
  wrong('«RANDOM»() = 1'),
  wrong("«load_extension»('x') = 1"),
  wrong('#t.n «^» 2 = 1'),
  wrong('#t.n %«%» 2 = 1'),
  wrong("#t.name «|» 'x' = 'x'"),
  wrong('#t.n «==» 1'),
  wrong("#t.name «GLOB» 'a*'"),
  wrong("#t.name «REGEXP» 'a'"),
  wrong("#t.name «COLLATE» NOCASE = 'a'"),
  wrong('#t.n = «:»name'),
  wrong('#t.n = «$»1'),
  wrong('#t.n = «@»x'),
  wrong('#t.n = «`»x`'),
  wrong('#t.n = [1]'),
  wrong('CASE «#t».n WHEN 1 THEN 1 END = 1'),
  wrong('CAST(#t.n AS TEXT) = 1'),

  // Broken off
  wrong('#t.n ='),
  wrong('(#t.n = 1'),
  wrong('#t.n = 1«)»'),
  wrong("#t.name = «'never closed"),
  wrong('#t.n IN («)»'),
  wrong('#t.n BETWEEN 1'),
  wrong('#t.n = 1 AND'),
  wrong('#t.n = 1 «#t».n = 2'),
  wrong('«AND» #t.n = 1'),
  wrong('#t. n = 1'),
  wrong('# t.n = 1'),
  wrong('#t.n = 1e'),
  wrong('LENGTH() = 1'),
  wrong("LENGTH('a', 'b') = 1"),
  wrong("#t.name LIKE 'a' ESCAPE 'ab'"),
  wrong("#t.name LIKE 'a' ESCAPE ''"),

  // Types that do not fit
  wrong("#t.n = 'abc'"),
  wrong('#t.n'),
  wrong("'text'"),
  wrong('#t.n + 1e2 = 2'),
  wrong('#t.name + 1 = 2'),
  wrong('#t.open + 1 = 2'),
  wrong('#t.open = 5'),
  wrong('#t.at = 5.5'),
  wrong('#t.extra = ?', undefined, '{"a":1}'),
  wrong('#t.extra = #t.extra'),
  wrong("#t.extra LIKE '%a%'"),
  wrong('#t.name = #t.n'),

  // Parameters
  wrong('#t.n = ?', /param/i),
  wrong('#t.n = ?', /param/i, '1', '2'),
  wrong('#t.n = 1', /param/i, '1'),
  wrong('#t.n = ?', /abc/, 'abc'),
  wrong('#t.n = ?', /1\.5/, '1.5'),
  wrong('#t.n = ?', /2147483648/, '2147483648'),
  wrong('#t.big = ?', /9223372036854775808/, '9223372036854775808'),
  wrong('#t.price = ?', /1\.505/, '1.505'),
  wrong('#t.ratio = ?', /NaN/, 'NaN'),
  wrong('#t.open = ?', /maybe/, 'maybe'),
  wrong('#t.at = ?', /yesterday/, 'yesterday'),
  wrong('#t.n = ?', undefined, { a: 1 }),
  wrong('#t.n = ?', undefined, ['1']),
  wrong('COALESCE(#t.n, ?) = 1', /x/, 'x'),
];

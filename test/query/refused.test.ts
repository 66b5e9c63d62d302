/**
 * Expressions that are refused: the error, and its character (docs/reference/expression-language.md#errors).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { ExpressionForm } from '../../src/query/expression-form.ts';
import { openWorld, table, types } from './world.ts';

const world = await openWorld(
  table('Album', {
    Name: types.varchar(50),
    Other: types.text,
    Size: types.integer,
    Big: types.long,
    Price: types.decimal(10, 2),
    Huge: types.decimal(18, 0),
    Fine: types.decimal(18, 9),
    Ratio: types.double,
    Open: types.bool,
    At: types.datetime,
    Extra: types.json,
  }),
);

async function refusal(form: ExpressionForm): Promise<ServiceError> {
  try {
    await world.query(form);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  assert.fail('The query was not refused.');
}

const from = { phyName: 'Album', alias: 'a' };

/** The source, with « before the character named in the error, and the error's text. */
const refused: readonly (readonly [string, string])[] = [
  ["«#a.Nmae = 'x'", 'unknown column "Nmae" of table "Album" (alias "a"); did you mean "Name"?'],
  ["1 = 1 AND «#a.Nmae = 'x'", 'unknown column "Nmae" of table "Album" (alias "a"); did you mean "Name"?'],
  ["«#b.Name = 'x'", 'unknown alias "b"; known are a.'],
  ["«#A.Name = 'x'", 'unknown alias "A"; did you mean "a"?'],
  ["«#a.name = 'x'", 'unknown column "name" of table "Album" (alias "a"); did you mean "Name"?'],
  ["«#a._audience = 'a'", '"#" begins a column, which is written #alias.column; names have letters, digits and "_".'],
  ['«#a.rowid = 1', 'unknown column "rowid" of table "Album" (alias "a").'],
  ["«#album.Name = 'x'", 'unknown alias "album"; known are a.'],
  ["«Name = 'x'", `unknown word "Name", a column is written #alias.column, text 'in single quotes'.`],
  ["«a.Name = 'x'", 'unknown word "a.Name"; a column begins with "#".'],
  ["«#a. Name = 'x'", '"#" begins a column, which is written #alias.column; names have letters, digits and "_".'],
  ["«# a.Name = 'x'", '"#" begins a column, which is written #alias.column; names have letters, digits and "_".'],
  ["«#a = 'x'", '"#" begins a column, which is written #alias.column; names have letters, digits and "_".'],
  ["«#.Name = 'x'", '"#" begins a column, which is written #alias.column; names have letters, digits and "_".'],
  ['#a.Gr«öße = 1', 'unexpected character "ö".'],
  ['#a.Name«.x = 1', 'unexpected character ".".'],
  [
    '#a.Name = «"x"',
    `unexpected character "\\"": text is written 'in single quotes', and a column #alias.column, without quotes.`,
  ],
  [
    `«"Name" = 'x'`,
    `unexpected character "\\"": text is written 'in single quotes', and a column #alias.column, without quotes.`,
  ],
  ["«`Name` = 'x'", 'unexpected character "`": a column is written #alias.column, without quotes.'],
  ["«[Name] = 'x'", 'unexpected character "[": a column is written #alias.column, without quotes.'],
  ["#a.Name = «'x", `the text that begins here has no closing "'".`],
  ["#a.Name = 'x'«'", `the text that begins here has no closing "'".`],
  ["#a.Name = 'x'«;", 'unexpected character ";": an expression is one condition, without ";".'],
  ["#a.Name = 'x' «-- rest", 'comments are not part of an expression. Between two minus signs put a blank.'],
  ["#a.Name = 'x' «/* rest */", 'comments are not part of an expression.'],
  ['#a.Size =«= 1', '"equal" is written with one "=".'],
  ['#a.Size =«== 1', '"equal" is written with one "=".'],
  ['«= 1', 'expected a value or a condition, got "=".'],
  ['#a.Size = 1 «&& #a.Open', 'unexpected character "&": conditions are combined with AND and OR.'],
  ['#a.Size =«< 1', 'expected a value or a condition, got "<".'],
  ['#a.Size «^ 2 = 1', 'unexpected character "^": there is no such operator; between values stand + - || * / and %.'],
  [
    "#a.Name «| 'x' = 'y'",
    'unexpected character "|": there is no such operator; between values stand + - || * / and %.',
  ],
  ['#a.Size = «:size', 'unexpected character ":": a parameter is written "?", without a name.'],
  ['#a.Size = «@size', 'unexpected character "@": a parameter is written "?", without a name.'],
  ['#a.Size = «$1', 'unexpected character "$": a parameter is written "?", without a name.'],
  ['#a.Size = «?1', 'a parameter is written "?", without a number.'],
  ['#a.Size = «1x', '"1x" is not a number.'],
  ['#a.Size = «1.', '"1." is not a number.'],
  ['#a.Size = «1e', '"1e" is not a number.'],
  ['#a.Size = «1.5.2', '"1.5.2" is not a number.'],
  ['#a.Size «! 1', 'unexpected character "!": "not" is written NOT, and "not equal" <> or !=.'],
  ['«!#a.Open', 'unexpected character "!": "not" is written NOT, and "not equal" <> or !=.'],
  ['#a.Size = «', 'expected a value or a condition, got the end.'],
  ['#a.Size = 1 AND«', 'expected a value or a condition, got the end.'],
  ['#a.Size = 1 OR «OR #a.Size = 2', 'expected a value or a condition, got "OR".'],
  ['«AND #a.Size = 1', 'expected a value or a condition, got "AND".'],
  ['NOT«', 'expected a value or a condition, got the end.'],
  ['(#a.Size = 1«', 'expected ")" for the "(" at character 1, got the end.'],
  ['((#a.Size = 1) OR #a.Size = 2«', 'expected ")" for the "(" at character 1, got the end.'],
  ['#a.Size = 1«)', 'this ")" has no "(" before it.'],
  ['(«)', 'expected a value or a condition, got ")".'],
  ['(«)', 'expected a value or a condition, got ")".'],
  ['#a.Size = (1«', 'expected ")" for the "(" at character 11, got the end.'],
  ['#a.Size IN «1', 'IN is followed by a list of values in parentheses.'],
  ['#a.Size IN («)', 'expected a value or a condition, got ")".'],
  ['#a.Size IN (1,«)', 'expected a value or a condition, got ")".'],
  ['#a.Size IN (1 «2)', 'expected ")" for the "(" at character 12, got "2".'],
  ['#a.Size IN (SELECT 1«)', 'expected FROM after what SELECT takes, got ")".'],
  ['#a.Size IN (SELECT #a.Size«, 1 FROM Album b)', 'expected FROM after what SELECT takes, got ",".'],
  ['#a.Size IN (SELECT 1 FROM «#a.Size)', 'expected a table, as in FROM Task t, got "#a.Size".'],
  ['#a.Size IN (SELECT 1 FROM Album«)', 'expected an alias of the table, as in FROM Task t, got ")".'],
  ['EXISTS (SELECT 1 FROM Album «WHERE 1 = 1)', 'expected an alias of the table, as in FROM Task t, got "WHERE".'],
  [
    'EXISTS (SELECT 1 FROM Album b «ORDER BY #b.Size)',
    'expected WHERE or ")" after "b", got "ORDER"; a sub-query has one table and a condition.',
  ],
  ['EXISTS (SELECT 1 FROM Album b WHERE 1 = 1 «LIMIT 1)', 'expected ")" for the "(" at character 8, got "LIMIT".'],
  [
    'EXISTS (SELECT «* FROM Album b)',
    'expected (SELECT 1 FROM <table> <alias> WHERE <condition>) after EXISTS, got "*" after SELECT.',
  ],
  ['EXISTS «(1 = 1)', 'EXISTS is followed by (SELECT 1 FROM <table> <alias> WHERE <condition>).'],
  [
    '1 = («SELECT #b.Size FROM Album b)',
    "SELECT can't stand here; a sub-query is written (SELECT 1 FROM <table> <alias> WHERE <condition>) after EXISTS, or (SELECT <value> FROM <table> <alias> WHERE <condition>) after IN.",
  ],
  ['1 = «EXISTS (SELECT 1 FROM Album b)', 'expected a value, got a condition.'],
  ['#a.Size IN (SELECT «COUNT(*) FROM Album b)', 'COUNT(...) is about groups, and a sub-query has none.'],
  ['EXISTS (SELECT 1 FROM «Album a)', 'the alias "a" already stands for another table.'],
  ['«#b.Size IN (SELECT #b.Size FROM Album b)', 'unknown alias "b"; known are a.'],
  ['EXISTS (SELECT 1 FROM Album b) AND «#b.Size = 1', 'unknown alias "b"; known are a.'],
  ['EXISTS (SELECT 1 FROM Album b WHERE «#c.Size = 1)', 'unknown alias "c"; known are a, b.'],
  [
    'EXISTS (SELECT 1 FROM Album b WHERE «#b.Sise = 1)',
    'unknown column "Sise" of table "Album" (alias "b"); did you mean "Size"?',
  ],
  [
    '#a.Size IN (SELECT «#b.Name FROM Album b)',
    `the column "Name" of table "Album" (varchar(50)) can't be compared with the column "Size" of table "Album" (integer): they are of different kinds.`,
  ],
  [
    '«#a.Extra IN (SELECT #b.Name FROM Album b)',
    'the column "Extra" of table "Album" (json) can only be tested with IS NULL and IS NOT NULL.',
  ],
  ['#a.Size BETWEEN 1«', 'expected AND and a second value for BETWEEN, got the end.'],
  ['#a.Size BETWEEN 1 «, 2', 'expected AND and a second value for BETWEEN, got ",".'],
  ['#a.Size BETWEEN 1 AND«', 'expected a value or a condition, got the end.'],
  ['#a.Size BETWEEN 1 «OR 2', 'expected AND and a second value for BETWEEN, got "OR".'],
  ['#a.Size IS «1', 'IS is followed by NULL or NOT NULL.'],
  ['#a.Size IS NOT «TRUE', 'IS is followed by NULL or NOT NULL.'],
  ['#a.Size NOT «= 1', 'NOT is followed by LIKE, ILIKE, IN or BETWEEN here.'],
  ['#a.Size NOT«', 'NOT is followed by LIKE, ILIKE, IN or BETWEEN here.'],
  ['#a.Name LIKE «#a.Other', 'expected a text in quotes or "?" after LIKE, got "#a.Other".'],
  ["#a.Name LIKE «LOWER('x')", 'expected a text in quotes or "?" after LIKE, got "LOWER".'],
  ['#a.Name LIKE «NULL', 'expected a text in quotes or "?" after LIKE, got "NULL".'],
  ['#a.Name LIKE «5', 'expected a text in quotes or "?" after LIKE, got "5".'],
  ["#a.Name LIKE 'x' ESCAPE «", 'expected one character in quotes after ESCAPE, got the end.'],
  ["#a.Name LIKE 'x' ESCAPE «''", 'expected one character in quotes after ESCAPE, got the text "".'],
  ["#a.Name LIKE 'x' ESCAPE «'ab'", 'expected one character in quotes after ESCAPE, got the text "ab".'],
  ["#a.Name LIKE 'x' ESCAPE «?", 'expected one character in quotes after ESCAPE, got "?".'],
  ["#a.Name LIKE «'x!' ESCAPE '!'", 'the LIKE pattern ends with its escape character "!".'],
  ["«#a.Size LIKE 'x'", 'LIKE: expected text, got the column "Size" of table "Album" (integer).'],
  ["«#a.Open LIKE 'x'", 'LIKE: expected text, got the column "Open" of table "Album" (bool).'],
  ['LENGTH «= 1', 'expected "(" after the function LENGTH.'],
  ['LENGTH(«) = 1', 'expected a value or a condition, got ")".'],
  ["«LENGTH('a', 'b') = 1", 'LENGTH: expected one value, got 2.'],
  [
    "«SUBSTRING(#a.Name, 1) = 'x'",
    'unknown function "SUBSTRING", there are LOWER, UPPER, LENGTH, TRIM, SUBSTR, COALESCE, ABS, ROUND, YEAR, MONTH, DAY, NOW, JSON_TEXT, JSON_NUMBER.',
  ],
  ["«SUBSTR(#a.Name) = 'x'", 'SUBSTR: expected 2 or 3 values, got 1.'],
  ['«NOW(1) = 1', 'NOW: expected 0 values, got 1.'],
  ['CASE «#a.Size WHEN 1 THEN 2 END = 1', 'expected WHEN after CASE, got "#a.Size".'],
  ['CASE WHEN 1 = 1 «ELSE 2 END = 1', 'expected THEN after the condition of a WHEN, got "ELSE".'],
  ['CASE WHEN 1 = 1 THEN 2 = 1«', 'expected END after a value of CASE (or WHEN, or ELSE), got the end.'],
  [
    'CASE WHEN 1 = 1 THEN #a.Size ELSE «#a.Name END = 1',
    `the column "Name" of table "Album" (varchar(50)) can't be compared with the column "Size" of table "Album" (integer): they are of different kinds.`,
  ],
  [
    'CASE WHEN «#a.Size THEN 1 END = 1',
    'expected a condition, got the column "Size" of table "Album" (integer); compare it with something.',
  ],
  [
    "«LOWR(#a.Name) = 'x'",
    'unknown function "LOWR", there are LOWER, UPPER, LENGTH, TRIM, SUBSTR, COALESCE, ABS, ROUND, YEAR, MONTH, DAY, NOW, JSON_TEXT, JSON_NUMBER; did you mean "LOWER"?',
  ],
  [
    '«COUNT(*) = 1',
    'COUNT(...) is not a value of a row; it may stand in select, having and orderBy of a select query, but not in another aggregate.',
  ],
  [
    '«SUMM(#a.Size) = 1',
    'unknown function "SUMM", there are LOWER, UPPER, LENGTH, TRIM, SUBSTR, COALESCE, ABS, ROUND, YEAR, MONTH, DAY, NOW, JSON_TEXT, JSON_NUMBER; did you mean "SUM"?',
  ],
  ['EXISTS (SELECT 1«)', 'expected FROM after what SELECT takes, got ")".'],
  [
    "«CAST(#a.Size AS TEXT) = '1'",
    'unknown function "CAST", there are LOWER, UPPER, LENGTH, TRIM, SUBSTR, COALESCE, ABS, ROUND, YEAR, MONTH, DAY, NOW, JSON_TEXT, JSON_NUMBER.',
  ],
  ['1 < 2 «< 3', `"<" can't follow a comparison; comparisons are combined with AND and OR.`],
  ['#a.Size = 1 «= 1', `"=" can't follow a comparison; comparisons are combined with AND and OR.`],
  ['#a.Size = 1 «#a.Size = 2', 'expected AND, OR or the end, got "#a.Size".'],
  ["#a.Size = 1 «'x'", 'expected AND, OR or the end, got the text "x".'],
  ['#a.Size = 1 «UNION SELECT 1', 'expected AND, OR or the end, got "UNION".'],
  ["#a.Name «COLLATE NOCASE = 'x'", 'expected AND, OR or the end, got "COLLATE".'],
  ["#a.Name «GLOB 'x*'", 'expected AND, OR or the end, got "GLOB".'],
  ['#a.Size = «+1', 'expected a value or a condition, got "+".'],
  ['«#a.Size', 'expected a condition, got the column "Size" of table "Album" (integer); compare it with something.'],
  ["«'text'", 'expected a condition, got the text "text"; compare it with something.'],
  ['«1', 'expected a condition, got the number 1; compare it with something.'],
  ['«LENGTH(#a.Name)', 'expected a condition, got LENGTH(...) (integer); compare it with something.'],
  [
    '#a.Open AND «#a.Name',
    'expected a condition, got the column "Name" of table "Album" (varchar(50)); compare it with something.',
  ],
  [
    'NOT «#a.Size',
    'expected a condition, got the column "Size" of table "Album" (integer); compare it with something.',
  ],
  ['#a.Size = (#a.Size «= 1)', 'expected a value, got a condition.'],
  ['(#a.Size «= 1) = (#a.Size = 1)', 'expected a value, got a condition.'],
  ['(#a.Size «= 1) + 1 = 2', 'expected a value, got a condition.'],
  ['(#a.Size «= 1) IS NULL', 'expected a value, got a condition.'],
  ["LOWER(«#a.Size) = 'x'", 'LOWER: expected text, got the column "Size" of table "Album" (integer).'],
  ["LENGTH(#a.Name «= 'x') = 1", 'expected a value, got a condition.'],
  [
    '#a.Name = «#a.Size',
    `the column "Size" of table "Album" (integer) can't be compared with the column "Name" of table "Album" (varchar(50)): they are of different kinds.`,
  ],
  [
    '#a.Size = «#a.Name',
    `the column "Name" of table "Album" (varchar(50)) can't be compared with the column "Size" of table "Album" (integer): they are of different kinds.`,
  ],
  [
    '#a.Open = «#a.Size',
    `the column "Size" of table "Album" (integer) can't be compared with the column "Open" of table "Album" (bool): they are of different kinds.`,
  ],
  [
    '#a.At = «#a.Big',
    `the column "Big" of table "Album" (long) can't be compared with the column "At" of table "Album" (datetime): they are of different kinds.`,
  ],
  [
    '#a.Ratio = «#a.Big',
    `the column "Big" of table "Album" (long) can't be compared with the column "Ratio" of table "Album" (double): a double cannot hold every long exactly.`,
  ],
  [
    '#a.Big < «#a.Ratio',
    `the column "Ratio" of table "Album" (double) can't be compared with the column "Big" of table "Album" (long): a double cannot hold every long exactly.`,
  ],
  [
    '#a.Price = «#a.Ratio',
    `the column "Ratio" of table "Album" (double) can't be compared with the column "Price" of table "Album" (decimal(10,2)): a double cannot hold every decimal exactly.`,
  ],
  [
    '#a.Price = «#a.Big',
    `the column "Big" of table "Album" (long) can't be compared with the column "Price" of table "Album" (decimal(10,2)): a decimal with digits after the point cannot hold every long.`,
  ],
  [
    '#a.Huge = «#a.Price',
    `the column "Price" of table "Album" (decimal(10,2)) can't be compared with the column "Huge" of table "Album" (decimal(18,0)): 18 digits before and 2 after the point do not fit into 18 together.`,
  ],
  [
    '#a.Fine = «#a.Size',
    `the column "Size" of table "Album" (integer) can't be compared with the column "Fine" of table "Album" (decimal(18,9)): 10 digits before and 9 after the point do not fit into 18 together.`,
  ],
  ["«#a.Extra = 'x'", 'the column "Extra" of table "Album" (json) can only be tested with IS NULL and IS NOT NULL.'],
  [
    "LOWER(«#a.Extra) = 'x'",
    'the column "Extra" of table "Album" (json) can only be tested with IS NULL and IS NOT NULL.',
  ],
  [
    '#a.Name = «5',
    'the number 5 does not fit the column "Name" of table "Album" (varchar(50)): text is written in single quotes.',
  ],
  [
    '#a.Name = «TRUE',
    'TRUE does not fit the column "Name" of table "Album" (varchar(50)): TRUE and FALSE are compared with bool only.',
  ],
  [
    "#a.Size = «'abc'",
    'the text "abc" does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "abc".',
  ],
  [
    '#a.Size = «1.5',
    'the number 1.5 does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "1.5".',
  ],
  [
    '#a.Size = «2147483648',
    'the number 2147483648 does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "2147483648".',
  ],
  [
    '#a.Size = «TRUE',
    'TRUE does not fit the column "Size" of table "Album" (integer): TRUE and FALSE are compared with bool only.',
  ],
  [
    '#a.Big = «9223372036854775808',
    'the number 9223372036854775808 does not fit the column "Big" of table "Album" (long): expected a whole number from -9223372036854775808 to 9223372036854775807, got "9223372036854775808".',
  ],
  [
    '#a.Price = «1.005',
    'the number 1.005 does not fit the column "Price" of table "Album" (decimal(10,2)): expected a decimal number with at most 2 digits after the point, got "1.005".',
  ],
  [
    '#a.Price = «123456789',
    'the number 123456789 does not fit the column "Price" of table "Album" (decimal(10,2)): expected a decimal number with at most 8 digits before and 2 after the point, got "123456789".',
  ],
  [
    '#a.Ratio = «1e999',
    'the number 1e999 does not fit the column "Ratio" of table "Album" (double): expected a number that a double can hold, got "1e999".',
  ],
  [
    '#a.Open = «5',
    'the number 5 does not fit the column "Open" of table "Album" (bool): expected "true" or "false", got "5".',
  ],
  [
    "#a.Open = «'maybe'",
    'the text "maybe" does not fit the column "Open" of table "Album" (bool): expected "true" or "false", got "maybe".',
  ],
  [
    "#a.At = «'yesterday'",
    'the text "yesterday" does not fit the column "At" of table "Album" (datetime): expected a time like 2014-01-23T14:44:36.516+07:00, or whole milliseconds since 1970, of the years 0001 to 9999, got "yesterday".',
  ],
  [
    '#a.At > «1.5',
    'the number 1.5 does not fit the column "At" of table "Album" (datetime): expected a time like 2014-01-23T14:44:36.516+07:00, or whole milliseconds since 1970, of the years 0001 to 9999, got "1.5".',
  ],
  [
    "#a.Size IN (1, «'x')",
    'the text "x" does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "x".',
  ],
  [
    "#a.Size BETWEEN 1 AND «'x'",
    'the text "x" does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "x".',
  ],
  [
    "«'x' = 1",
    'the text "x" does not fit the number 1: expected a whole number from -9223372036854775808 to 9223372036854775807, got "x".',
  ],
  ['#a.Size + «1e2 = 2', '"+": expected an integer, a long or a decimal, got the number 1e2.'],
  [
    "#a.Size + «'1.5' = 2",
    'the text "1.5" does not fit a value of "+" (long): expected a whole number from -9223372036854775808 to 9223372036854775807, got "1.5".',
  ],
  ['ROUND(#a.Price, «3) = 1', 'ROUND: expected the number of digits after the point, from 0 to 2, got "3".'],
  ['ROUND(#a.Price, «?) = 1', 'ROUND: expected the number of digits after the point, from 0 to 2, got a parameter.'],
  [
    'ROUND(«#a.Ratio) = 1',
    'ROUND: expected an integer, a long or a decimal, got the column "Ratio" of table "Album" (double).',
  ],
  ['YEAR(«#a.Size) = 1', 'YEAR: expected a datetime, got the column "Size" of table "Album" (integer).'],
  ['#a.Name || «1 = 2', '"||": expected text, got the number 1.'],
  [
    "#a.Size + «'x' = 2",
    'the text "x" does not fit a value of "+" (long): expected a whole number from -9223372036854775808 to 9223372036854775807, got "x".',
  ],
  [
    '«#a.Name * 2 = 2',
    '"*": expected an integer, a long or a decimal, got the column "Name" of table "Album" (varchar(50)).',
  ],
  [
    '-«#a.Ratio = 1',
    '"-": expected an integer, a long or a decimal, got the column "Ratio" of table "Album" (double).',
  ],
  [
    'COALESCE(#a.Size, «#a.Name) = 1',
    `the column "Name" of table "Album" (varchar(50)) can't be compared with the column "Size" of table "Album" (integer): they are of different kinds.`,
  ],
  [
    "COALESCE(#a.Size, «'x') = 1",
    'the text "x" does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "x".',
  ],
  ['COALESCE(#a.Size «= 1, #a.Open)', 'expected a value, got a condition.'],
  [
    '#a.Size * 2 = «#a.Ratio',
    `the column "Ratio" of table "Album" (double) can't be compared with the result of "*" (long): a double cannot hold every long exactly.`,
  ],
];

for (const [marked, message] of refused) {
  test(`refused: ${marked}`, async () => {
    const source = marked.replace('«', '');
    const params = [...source.matchAll(/\?/g)].map(() => '1');
    const error = await refusal({ from, where: { expression: { source, params } } });
    const at = [...marked].indexOf('«') + 1;
    assert.equal(error.message, `where.expression.source, character ${at}: ${message}`);
    assert.equal(error.reason, 132);
  });
}

/** Parameters: source, values, the error's text. */
const refusedParameters: readonly (readonly [string, readonly unknown[], string])[] = [
  ['#a.Size = ?', [], 'where.expression.params: expected 1, one for each "?" of the expression, got 0.'],
  ['#a.Size = 1', ['1'], 'where.expression.params: expected 0, one for each "?" of the expression, got 1.'],
  ['#a.Size = ?', ['1', '2'], 'where.expression.params: expected 1, one for each "?" of the expression, got 2.'],
  [
    "#a.Name = 'é😀' AND #a.Size = ?",
    ['abc'],
    'where.expression.source, character 30: parameter 1, "abc", does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "abc".',
  ],
  [
    '#a.Name = ? AND #a.Price BETWEEN ? AND ?',
    ['x', '1.00', '1.001'],
    'where.expression.source, character 40: parameter 3, "1.001", does not fit the column "Price" of table "Album" (decimal(10,2)): expected a decimal number with at most 2 digits after the point, got "1.001".',
  ],
  [
    'COALESCE(?, #a.Size) = 1',
    ['x'],
    'where.expression.source, character 10: parameter 1, "x", does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "x".',
  ],
  [
    '#a.Size + ? = 1',
    ['1.5'],
    'where.expression.source, character 11: parameter 1, "1.5", does not fit a value of "+" (long): expected a whole number from -9223372036854775808 to 9223372036854775807, got "1.5".',
  ],
  [
    '?',
    ['perhaps'],
    'where.expression.source, character 1: parameter 1, "perhaps", does not fit a condition (bool): expected "true" or "false", got "perhaps".',
  ],
  [
    "#a.Name LIKE ? ESCAPE '!'",
    ['50!'],
    'where.expression.source, character 14: parameter 1, "50!": the LIKE pattern ends with its escape character "!".',
  ],
  [
    '#a.Name LIKE ?',
    ['x'.repeat(1_001)],
    `where.expression.source, character 14: parameter 1, "${'x'.repeat(55)}...": the LIKE pattern has 1001 characters; at most 1000 (likePatternMax) are allowed.`,
  ],
  [
    Array.from({ length: 101 }, () => '#a.Name LIKE ?').join(' OR '),
    Array.from({ length: 101 }, () => 'x'.repeat(1_000)),
    'The query has 101000 characters in its LIKE patterns; at most 100000 (likePatternsMax) are possible.',
  ],
  ['#a.Size = ?', [{ a: 1 }], 'where.expression.params[0]: expected a string or null, got {"a":1}.'],
  ['#a.Size = ?', [['1']], 'where.expression.params[0]: expected a string or null, got ["1"].'],
  ['#a.Name = ?', ['a\0b'], 'where.expression.params[0]: the text has a NUL character or an unpaired surrogate.'],
  ['#a.Name = ?', ['\ud800'], 'where.expression.params[0]: the text has a NUL character or an unpaired surrogate.'],
  [
    '#a.Big = ?',
    [9_007_199_254_740_992],
    "where.expression.params[0]: The number 9007199254740992 can't be held exactly as a JSON number; send it as a string.",
  ],
];

for (const [source, params, message] of refusedParameters) {
  test(`refused: ${source.slice(0, 200)} with ${JSON.stringify(params).slice(0, 60)}`, async () => {
    const error = await refusal({ from, where: { expression: { source, params } } });
    assert.equal(error.message, message);
    assert.equal(error.reason, 132);
  });
}

const on = (source: string, ...params: unknown[]) => ({ source, params });
const join = (alias: string, source = '1 = 1', type = 'INNER JOIN') => ({
  entity: 'Album',
  entityAlias: alias,
  type,
  expression: on(source),
});

/** The other members of the form. */
const refusedForms: readonly (readonly [string, ExpressionForm, ServiceError['reason'], string])[] = [
  ['no table name', { from: { phyName: '', alias: 'a' } }, 'missing', 'from.phyName: expected a value, got none.'],
  ['no alias', { from: { phyName: 'Album', alias: '' } }, 'missing', 'from.alias: expected a value, got none.'],
  [
    'no source',
    { from, where: { expression: { source: ' \n' } } },
    'missing',
    'where.expression.source: expected a value, got none.',
  ],
  [
    'no joined table',
    { from, join: [{ ...join('b'), entity: '' }] },
    'missing',
    'join[0].entity: expected a value, got none.',
  ],
  [
    'unknown table',
    { from: { phyName: 'Albun', alias: 'a' } },
    'noTable',
    'from: table "Albun" is not defined; did you mean "Album"?',
  ],
  [
    'table name in other case',
    { from, join: [{ ...join('b'), entity: 'album' }] },
    'noTable',
    'join[0]: table "album" is not defined; did you mean "Album"?',
  ],
  [
    'table of the engine',
    { from: { phyName: 'sqlite_schema', alias: 'a' } },
    'noTable',
    'from: table "sqlite_schema" is not defined.',
  ],
  [
    'alias that is no name',
    { from: { phyName: 'Album', alias: 'a b' } },
    132,
    'from: the alias "a b" is not a letter, then letters, digits or _, at most 63 characters in all.',
  ],
  ['alias twice', { from, join: [join('a')] }, 132, 'join[0]: the alias "a" already stands for another table.'],
  [
    'kind of join',
    { from, join: [join('b', '1 = 1', 'CROSS JOIN')] },
    132,
    'join[0].type: expected INNER JOIN, LEFT OUTER JOIN, RIGHT OUTER JOIN or FULL OUTER JOIN, got "CROSS JOIN".',
  ],
  [
    'join that refers to a later one',
    { from, join: [join('b', '#c.Size = 1'), join('c')] },
    132,
    'join[0].expression.source, character 1: the alias "c" is joined later; a join\'s expression refers to the tables up to its own.',
  ],
  [
    'sub-query in a join that refers to a later one',
    { from, join: [join('b', 'EXISTS (SELECT 1 FROM Album s WHERE #s.Size = #c.Size)'), join('c')] },
    132,
    'join[0].expression.source, character 47: the alias "c" is joined later; a join\'s expression refers to the tables up to its own.',
  ],
  [
    'sub-query with the alias of a later join',
    { from, join: [join('b', 'EXISTS (SELECT 1 FROM Album c)'), join('c')] },
    132,
    'join[0].expression.source, character 23: the alias "c" already stands for another table.',
  ],
  [
    'sub-query of no table',
    { from, where: { expression: on('1 = 1 AND EXISTS (SELECT 1 FROM Albun s)') } },
    'noTable',
    'where.expression.source, character 33: table "Albun" is not defined; did you mean "Album"?',
  ],
  [
    'second join, wrong parameter',
    { from, join: [join('b'), { ...join('c'), expression: on('#b.Size = ? AND #c.Size = ?', '1', 'x') }] },
    132,
    'join[1].expression.source, character 27: parameter 2, "x", does not fit the column "Size" of table "Album" (integer): expected a whole number from -2147483648 to 2147483647, got "x".',
  ],
  [
    'order by no column',
    { from, orderBy: [{ column: 'Name' }] },
    132,
    'orderBy[0].column: expected a column like #alias.column, got "Name".',
  ],
  [
    'order by an expression',
    { from, orderBy: [{ column: '#a.Size + 1' }] },
    132,
    'orderBy[0].column: expected a column like #alias.column, got "#a.Size + 1".',
  ],
  [
    'order by an unknown column',
    { from, orderBy: [{ column: '#a.Name' }, { column: '#a.Nam' }] },
    132,
    'orderBy[1].column: unknown column "Nam" of table "Album" (alias "a"); did you mean "Name"?',
  ],
  [
    'order by json',
    { from, orderBy: [{ column: '#a.Extra' }] },
    132,
    'orderBy[0].column: the column "Extra" is json, which has no order.',
  ],
  [
    'direction',
    { from, orderBy: [{ column: '#a.Name', type: 'UP' }] },
    132,
    'orderBy[0].type: expected ASC or DESC, got "UP".',
  ],
  [
    'too many tables',
    { from, join: Array.from({ length: 16 }, (_, index) => join(`b${index}`)) },
    132,
    'The query has 17 tables; at most 16 (queryTablesMax) are possible.',
  ],
  [
    'too many parameters, over several sources',
    {
      from,
      join: [{ ...join('b'), expression: on(`#a.Size IN (${'?,'.repeat(5_999)}?)`, ...Array(6_000).fill('1')) }],
      where: { expression: on(`#a.Size IN (${'?,'.repeat(4_000)}?)`, ...Array(4_001).fill('1')) },
    },
    132,
    'The query has 10001 parameters; at most 10000 (parametersMax) are possible.',
  ],
  [
    'too many sort keys, all the same',
    { from, orderBy: Array(1_001).fill({ column: '#a.Name' }) },
    132,
    'The query has 1001 sort keys; at most 1000 are possible.',
  ],
  [
    'too long an expression, in bytes',
    { from, where: { expression: on(`#a.Name = '${'é'.repeat(32_768)}'`) } },
    132,
    'The query has 65548 bytes of expression; at most 65536 (expressionBytesMax) are possible.',
  ],
  [
    'too long expressions, together',
    {
      from,
      join: [join('b', `#a.Name = '${'x'.repeat(40_000)}'`)],
      where: { expression: on(`#a.Name = '${'x'.repeat(30_000)}'`) },
    },
    132,
    'The query has 70024 bytes of expression; at most 65536 (expressionBytesMax) are possible.',
  ],
  [
    'NUL in an expression',
    { from, where: { expression: on("#a.Name = 'a\0b'") } },
    132,
    'where.expression.source: the text has a NUL character or an unpaired surrogate.',
  ],
];

for (const [name, form, reason, message] of refusedForms) {
  test(`refused: ${name}`, async () => {
    const error = await refusal(form);
    assert.equal(error.message, message);
    assert.equal(error.reason, reason);
  });
}

test('an answer with more columns than an engine supports is refused', async () => {
  const columns = Object.fromEntries(Array.from({ length: 800 }, (_, index) => [`c${index}`, types.integer]));
  const wide = await openWorld(table('Wide', columns));
  const both = { from: { phyName: 'Wide', alias: 'a' }, join: [{ ...join('b'), entity: 'Wide' }] };
  await assert.rejects(wide.query(both), {
    message: 'The query has 1618 columns in its answer; at most 1600 are possible.',
    reason: 132,
  });
});

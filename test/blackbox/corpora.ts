/**
 * Texts that often cause errors in programs. JSON by RFC 8259: every parser must accept `good`, none may accept `bad`,
 * and `either` is open. Strings that are special in SQL, pages, shells, terminals, formats and Unicode.
 */

// biome-ignore format: one a line would be hundreds of lines.
export const goodJson: readonly string[] = [
  '[]', '{}', '[[]]', '[{}]', '{"":{}}', '"a"', '""', ' [1] ', '\t[\n1\r]\n', 'true', 'false', 'null', '-0', '0',
  '-1', '0e1', '0e+1', '1e2', '1E-2', '1.5', '-1.5e+3', '123456789012345', '[1,null,true,"x",{},[]]', '{"a":1,"a":2}',
  '{"a":{"b":{"c":[]}}}', '"\\""', '"\\\\"', '"\\/"', '"\\b\\f\\n\\r\\t"', '"\\u00e9"', '"\\uD83D\\uDE00"',
  '"\\u2028\\u2029"', '"\\uFFFF"', '"\\uFDD0"', '"\u007f"', '"\u2028"', '"😀"', '"é"', '"\\u0001"', '"//"',
  '"/* no comment */"', '{"__proto__":1}', '{"constructor":{"prototype":1}}', '{"\\u0061":1}',
];

// biome-ignore format: one a line would be hundreds of lines.
export const badJson: readonly string[] = [
  '', ' ', '[', ']', '{', '}', '[1', '[1,', '[1,]', '[,1]', '[1,,2]', '[1 2]', '[1:2]', '[1}', '{]', '{"a"', '{"a":',
  '{"a":1', '{"a":1,}', '{,"a":1}', '{"a" 1}', '{"a"::1}', '{"a":1:2}', '{a:1}', "{'a':1}", '{1:1}', '{null:1}',
  '{"a":1 "b":2}', '{"a":1},', '"', '"a', "'a'", '"\\"', '"\\x41"', '"\\a"', '"\\u12"', '"\\u12G4"', '"\\ud83d\\u"',
  '"\n"', '"\t"', '"a\u0000b"', '"\u001f"', '"a" "b"', 'nul', 'nulll', 'True', 'TRUE', 'undefined', 'NaN', '-NaN',
  'Infinity', '-Infinity', 'inf', '+1', '01', '-01', '00', '1.', '.5', '-.5', '1.e1', '-', '--1', '1e', '1e+',
  '1e1.5', '0x1', '1_000', '1,000', '1f', '１', '1 2', '{}{}', '[]]', '[1]x', '/*x*/1', '1//x', '# x', '<a/>',
  '\ufeff1', '\u00a01', '\u20281', '\f1', '[\u00e9]', '*', '$', '`1`', '(1)', '[1;2]', '{"a":b}', '[0,',
  '["a",\n4\n,1,', '{"x":true,', '[\\u0061]', '[\u0000]', '[\u200b]', '["\\u{61}"]', 'async', '@',
];

/** Accepted or refused, never a fault: escapes of unpaired surrogates and of NUL, inexact numbers, deep nesting. */
// biome-ignore format: one a line would be hundreds of lines.
export const eitherJson: readonly string[] = [
  '"\\uD800"', '"\\uDC00"', '"\\uDE00\\uD83D"', '"\\uD800x"', '"\\u0000"', '1e400', '-1e400', '1e-400',
  '1e9999999999', '0.1e-999', '12345678901234567890', '-9223372036854775809', '0.1234567890123456789',
  '1.0000000000000000000', '100000000000000000000000', `${'9'.repeat(400)}`, `0.${'0'.repeat(400)}1`,
  `${'['.repeat(28)}${']'.repeat(28)}`, `${'['.repeat(600)}${']'.repeat(600)}`,
  `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, `"${'\\u0061'.repeat(3_000)}"`,
];

// biome-ignore format: one a line would be hundreds of lines.
export const naughtyStrings: readonly string[] = [
  '', ' ', '  x  ', '\t', '\n', '\r\n', '\u000b', '\u00a0', '\u0085', '\u1680', '\u2003', '\u2028', '\u2029',
  '\u3000', '\ufeff', '\u200b', '\u180e', '\u00ad', 'undefined', 'null', 'NULL', '(null)', 'nil', 'None', 'true',
  'false', 'NaN', 'Infinity', '-Infinity', '0', '-0', '-1', '1.00', '$1.00', '1/2', '1E2', '1e-400', '0x0',
  '0xffffffff', '1,000.00', '1 000', '01', '08', '٠١٢', '１２３', '--1', '9223372036854775808',
  '99999999999999999999999999999999999999', '1;2', '1e309', '__proto__', 'constructor', 'hasOwnProperty', 'toString',
  'prototype', 'then', 'length', 'objectId', 'rowid', 'ctid', '_rowid_', 'sqlite_master', 'pg_class', "'", '"', '`',
  "''", '""', '\'"', "' OR 1=1 --", "'; DROP TABLE item; --", '1 UNION SELECT NULL--', ') OR (1=1', '/* */', '--',
  '#', '?', ':x', '@x', '$1', '$$', '%', '_', '\\', '\\\\', '\\%', '%00', '%0a', '%25', '%s%n%d', '{0}', '{{7*7}}',
  '\u0024{7*7}', '#{7*7}', '<%= 7*7 %>', '$(id)', '`id`', '; id', '| id', '& id', '../../../../etc/passwd',
  '..\\..\\x', 'C:\\CON', 'NUL', 'COM1', '/dev/null', 'file:///etc/passwd', 'http://[::1]:1/', 'javascript:alert(1)',
  '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '&lt;&#x41;&amp;', '<!--', ']]>',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>', '=1+1', '+1', '-1+1',
  '@SUM(1)', "=cmd|' /C calc'!A0", '\u001b[31mred\u001b[0m', '\u0007', '\u0008', '\u007f', '\u009b',
  '\u0001\u0002\u001f', 'a\rb', '\u202eabc\u202c', '\u2066x\u2069', '\u200fאב', 'שלום', 'مرحبا', 'ﷺ', '田中さん', '部落格',
  '사회', '𠜎𠜱', '😀', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '❤️', 'é', 'e\u0301', 'Å', 'Å', 'ǅ', 'ß', 'ẞ', 'İ', 'ı', 'ſ', 'Σσς', 'ﬃ',
  'Ω', 'K', '½', '²', '①', 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324', '\ufffd', '\ufffe',
  '\uffff', '\u{10ffff}', '\u{1f9d1}\u200d\u{1f4bb}', '\ue000', '\ufdd0', '\u0378', 'x'.repeat(201), 'é'.repeat(200),
  '😀'.repeat(100), `${'a'.repeat(63)}b`, 'Handling=strict', 'deadbeef'.repeat(5), '2014-01-23T14:44:36.516+07:00',
  '0000-00-00', '1970-01-01', '24:60:60', 'Thu, 01 Jan 1970 00:00:00 GMT',
];

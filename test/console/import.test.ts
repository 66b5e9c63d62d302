/**
 * The parts of an import that need no browser: CSV, JSON lines, matching of columns, invalid values, and the file of
 * errors.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine, csvRecords, type Field, separatorOf } from '../../console/screens/records/import/csv.ts';
import { checkRows, matchOf, targetsOf } from '../../console/screens/records/import/rows.ts';
import { readSource, rejectedText } from '../../console/screens/records/import/source.ts';

const signal = new AbortController().signal;
const separators = [',', ';', '\t'] as const;

const field: fc.Arbitrary<Field> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\r', '\n', ' ', '日', '\u{1f600}') }),
);
const records = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 });

test('written CSV is read as the same fields, with the line where each record begins', () => {
  fc.assert(
    fc.property(records, fc.constantFrom(...separators), (rows, separator) => {
      const lines = rows.map((row) => csvLine(row, separator));
      const read = [...csvRecords(lines.join(''), separator)];
      assert.deepEqual(
        read.map(({ fields }) => fields),
        rows,
      );
      for (const [index, { line, flaw }] of read.entries()) {
        const before = lines.slice(0, index).join('');
        assert.equal(line, before.split(/\r\n|\r|\n/).length);
        assert.equal(flaw, null);
      }
    }),
  );
});

/** RFC 4180 character by character, slow but simple. */
function oracle(text: string, separator: string): Field[][] {
  const rows: Field[][] = [];
  let row: Field[] = [];
  let value = '';
  let isQuoted = false;
  let wasQuoted = false;
  const endField = () => {
    row.push(value === '' && !wasQuoted ? null : value);
    value = '';
    wasQuoted = false;
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== null) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '"' && text[at + 1] === '"') value += text[at++];
    else if (isQuoted && character === '"') isQuoted = false;
    else if (isQuoted) value += character;
    else if (character === '"' && value === '' && !wasQuoted) isQuoted = wasQuoted = true;
    else if (character === separator) endField();
    else if (character === '\n' || character === '\r') endRow();
    else value += character;
  }
  endRow();
  return rows;
}

test('any text is read as far as possible, and like a simple reader if it has no flaw', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', ';', '\r', '\n', ' '), maxLength: 30 });
  fc.assert(
    fc.property(text, fc.constantFrom(...separators), (any, separator) => {
      const read = [...csvRecords(any, separator)];
      if (read.every(({ flaw }) => flaw === null)) {
        assert.deepEqual(
          read.map(({ fields }) => fields),
          oracle(any, separator),
        );
      }
    }),
  );
  const flaws = [...csvRecords('a,b\n"x"y,1\n"never', ',')].map(({ line, flaw }) => [line, flaw]);
  assert.deepEqual(flaws, [
    [1, null],
    [2, 'trailing'],
    [3, 'open'],
  ]);
  assert.deepEqual(['a,b;c,d', 'a;b;c', 'a\tb', '"a;b;c",d'].map(separatorOf), [',', ';', '\t', ',']);
});

const table = {
  name: 'Task',
  primary_key: 'objectId' as const,
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 20, required: true as const },
    { colName: 'amount', type: 'integer' },
  ],
  indexes: [],
};
const checks = {
  valueFault: (column: string, value: unknown) =>
    column === 'amount' && !/^\d+$/.test(String(value)) ? 'expected a number.' : null,
  required: 'expected a value.',
  flaws: { open: 'open', trailing: 'trailing', fields: 'fields', json: 'json' },
};

async function checkedOf(text: string) {
  const source = await readSource(text, signal);
  const match = matchOf(source.names, targetsOf(table));
  return { source, match, ...(await checkRows(table, source, match, checks, signal)) };
}

test('columns are matched by name, and missing, superfluous or invalid values are reported by row', async () => {
  const { match, items, rejected } = await checkedOf(
    'Amount,TITLE,object id,groupIds,note\n1,Call,t1,3,x\n,"",,,\n2,,,,\nx,Call,,,\n1,Call\n',
  );
  assert.deepEqual(match, ['amount', 'title', 'objectId', null, null]);
  assert.deepEqual(items, [
    { row: 0, item: { amount: '1', title: 'Call', objectId: 't1' } },
    { row: 1, item: { title: '' } },
  ]);
  assert.deepEqual(
    [...rejected],
    [
      [2, 'title: expected a value.'],
      [3, 'amount: expected a number.'],
      [4, 'fields'],
    ],
  );
});

test('JSON lines keep their values, whatever members each has', async () => {
  const { items, rejected } = await checkedOf('{"title":"Call"}\n\n{"amount":2,"title":"b","other":{}}\n[1]\n{"a\n');
  assert.deepEqual(items, [
    { row: 0, item: { title: 'Call' } },
    { row: 1, item: { amount: 2, title: 'b' } },
  ]);
  assert.deepEqual(
    [...rejected],
    [
      [2, 'json'],
      [3, 'json'],
    ],
  );
});

test('rows with errors become a file that, corrected, is imported', async () => {
  const csv = await checkedOf('title;amount\nCall;x\nWrite;2\n"a;b";y\n');
  const text = rejectedText(csv.source, csv.rejected).join('');
  assert.equal(
    text,
    '_error;title;amount\r\namount: expected a number.;Call;x\r\namount: expected a number.;"a;b";y\r\n',
  );
  const corrected = await checkedOf(text.replace(';x', ';1').replace(';y', ';2'));
  assert.deepEqual(
    corrected.items.map(({ item }) => item),
    [
      { title: 'Call', amount: '1' },
      { title: 'a;b', amount: '2' },
    ],
  );
  const again = await checkedOf(text);
  assert.equal(rejectedText(again.source, again.rejected).join(''), text);
  const json = await checkedOf('{"title":"Call","amount":"x"}\n{oops}\n');
  const lines = rejectedText(json.source, json.rejected).join('');
  assert.equal(lines, '{"_error":"amount: expected a number.","title":"Call","amount":"x"}\n{oops}\n');
  assert.equal((await checkedOf(lines.replace('"x"', '1'))).items.length, 1);
});

test('the file of errors keeps JSON lines as they were written', async () => {
  const rows = [
    '"title":"a","amount":9007199254740993 }',
    '"title": "b", "amount":1e400}',
    '"amount":"x","title":"c","amount":"y"}',
    '"title":"\\u00e9 \\"q\\"","amount":[1.0]}  ',
    '}',
  ];
  const { source } = await checkedOf(rows.map((row) => ` { ${row}`).join('\n'));
  const allWith = (fault: string) => rows.map((_, index) => [index, fault] as const);
  const lines = rejectedText(source, allWith('"wrong" \\, at } {'));
  const error = '{"_error":"\\"wrong\\" \\\\, at } {"';
  assert.deepEqual(
    lines,
    rows.map((row) => `${error}${row === '}' ? '' : ','}${row}\n`),
  );
  // The error of an earlier time is replaced.
  const again = rejectedText((await checkedOf(lines.join(''))).source, allWith('still'));
  assert.deepEqual(
    again,
    rows.map((row) => `{"_error":"still"${row === '}' ? '' : ','}${row}\n`),
  );
});

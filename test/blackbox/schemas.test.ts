/** Defining and describing tables over HTTP (docs/reference/values.md#defining-tables). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, type Case, runCases } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, getRecord, type Row, send } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';
import { valuesTable, writesTable } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const define = (name: string, tables: unknown, more: Partial<Case> & Pick<Case, 'code'>, extra: object = {}): Case => ({
  name,
  method: 'POST',
  path: 'schemas',
  body: { tables, ...extra },
  ...more,
});
const table = (name: string, ...columns: object[]) => ({ name, primary_key: 'objectId', columns });
const text = (colName: string, more: object = {}) => ({ colName, type: 'varchar', fieldLength: 20, ...more });
const withIndex = (columns: object[], index: object) => ({ ...table('Indexed', ...columns), indexes: [index] });
const refused = (name: string, tables: unknown, has: readonly (string | RegExp)[] = []): Case =>
  define(`refused: ${name}`, tables, { code: 131, has });

async function described(who: 'alice' | 'dave' = 'alice'): Promise<Record<string, unknown>[]> {
  const answer = await send(world, who, 'GET', 'schemas');
  return valueAt(answer.json, 'results') as Record<string, unknown>[];
}
const columnsOf = async (name: string): Promise<Record<string, unknown>[]> =>
  ((await described()).find((each) => each.name === name)?.columns ?? []) as Record<string, unknown>[];

describe('defining', () => {
  runCases(
    () => world,
    [
      define('a table', [table('First', text('a'))], { code: 0 }),
      define('the same again changes nothing', [table('First', text('a'))], { code: 0 }),
      define('a new column of the same table', [table('First', text('a'), text('b'))], { code: 0 }),
      define('columns that are left out stay', [table('First', text('b'))], { code: 0 }),
      define('several tables in one request', [table('Second', text('a')), table('Third', text('a'))], { code: 0 }),
      define(
        'types in any case, and float for double',
        [
          table(
            'Fourth',
            { colName: 'a', type: 'VARCHAR', fieldLength: '20' },
            { colName: 'b', type: 'Float' },
            { colName: 'c', type: 'double' },
          ),
        ],
        { code: 0 },
      ),
      define(
        'an index, a unique one and one of several columns',
        [
          {
            ...table('Fifth', text('a'), text('b', { fieldLength: 600 })),
            indexes: [{ columns: ['a'], unique: true }, { columns: ['a', 'b'], unique: false }, { columns: ['b'] }],
          },
        ],
        { code: 0 },
      ),
      define('a name of 63 letters', [table(`L${'x'.repeat(62)}`, text(`C${'y'.repeat(62)}`))], { code: 0 }),
      define(
        'the system fields spelled createTime and updateTime',
        [table('Lower', { colName: 'createTime', type: 'text' }, { colName: 'updateTime', type: 'text' }, text('a'))],
        { code: 0 },
      ),
      define('a table of system fields only', [table('Bare')], { code: 0 }),
      define('nothing at all', [], { code: 0 }),
    ],
  );

  test('nothing was dropped', async () => {
    const names = (await described()).map((each) => each.name);
    for (const name of ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Lower', 'Bare'])
      assert.ok(names.includes(name), name);
    const columns = (await columnsOf('First')).map((column) => column.colName);
    assert.ok(columns.includes('a') && columns.includes('b'));
  });

  test('earlier records have null in a new column', async () => {
    await defineTables(world, 'alice', [table('Grows', text('a'))]);
    await addRecords(world, 'alice', 'Grows', [{ objectId: 'old', a: 'x' }]);
    await defineTables(world, 'alice', [table('Grows', text('a'), text('b'))]);
    assert.equal((await getRecord(world, 'alice', 'Grows', 'old')).b, null);
    await addRecords(world, 'alice', 'Grows', [{ objectId: 'new', b: 'y' }]);
    assert.equal((await getRecord(world, 'alice', 'Grows', 'new')).b, 'y');
  });

  test('a definition that spells createTime keeps the spelling', async () => {
    await addRecords(world, 'alice', 'Lower', [{ objectId: 'l1', createTime: '5', updateTime: '6' }]);
    const record = await getRecord(world, 'alice', 'Lower', 'l1');
    assert.equal(record.createTime, '5');
    assert.equal(record.updateTime, '6');
    assert.ok(!('CreateTime' in record) && !('UpdateTime' in record));
    assert.equal(Object.keys(record).length, 10);
  });

  test('a description can be defined again, also elsewhere', async () => {
    await defineTables(world, 'alice', [valuesTable, writesTable]);
    const before = await described();
    await defineTables(world, 'alice', before);
    assert.deepEqual(await described(), before);
    await defineTables(world, 'dave', before);
    const there = await described('dave');
    for (const each of before)
      assert.deepEqual(
        there.find((one) => one.name === each.name),
        each,
        String(each.name),
      );
  });

  test('many simultaneous requests with one definition all succeed, and the tables exist once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(world, 'alice', 'POST', 'schemas', { tables: [table('Once', text('a'))] })),
    );
    for (const answer of answers) assert.equal(valueAt(answer.json, 'errCode'), 0, answer.text);
    assert.equal((await described()).filter((each) => each.name === 'Once').length, 1);
  });

  test('many simultaneous requests with different tables all take effect', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `At${index}`);
    const defineOne = async (name: string): Promise<void> => {
      const answer = await send(world, 'alice', 'POST', 'schemas', { tables: [table(name, text('a'))] });
      // "Busy" is an answer: the same request is sent again (docs/reference/codes.md#where-no-listed-code-fits).
      if (answer.status === 503 && answer.headers['retry-after'] !== undefined) return defineOne(name);
      assert.equal(valueAt(answer.json, 'errCode'), 0, answer.text);
    };
    await Promise.all(names.map(defineOne));
    const there = (await described()).map((each) => each.name);
    for (const name of names) assert.ok(there.includes(name), name);
  });
});

describe('refused, and nothing is changed', () => {
  runCases(
    () => world,
    [
      refused(
        'another type, naming table, column and both types',
        [table('First', { colName: 'a', type: 'integer' })],
        ['First', /\ba\b/, /varchar/, /integer/],
      ),
      refused('a shorter varchar', [table('First', text('a', { fieldLength: 10 }))], ['First', /\ba\b/, '20', '10']),
      refused('a longer varchar', [table('First', text('a', { fieldLength: 30 }))], ['First', /\ba\b/]),
      refused(
        'one bad table of two leaves the good one out',
        [table('NotThere', text('a')), table('First', { colName: 'a', type: 'bool' })],
        ['First'],
      ),
      refused(
        'a system field with a type that its values are not of',
        [table('First', { colName: 'scopeType', type: 'datetime' })],
        ['scopeType'],
      ),
      refused('an unknown type', [table('Bad', { colName: 'a', type: 'blob' })], ['blob']),
      refused('a varchar of length 0', [table('Bad', text('a', { fieldLength: 0 }))], ['fieldLength']),
      refused(
        'a decimal of precision 19',
        [table('Bad', { colName: 'a', type: 'decimal', precision: 19, scale: 2 })],
        ['precision', '18'],
      ),
      refused(
        'a decimal with more scale than precision',
        [table('Bad', { colName: 'a', type: 'decimal', precision: 2, scale: 3 })],
        ['scale'],
      ),
      refused('another primary key', [{ ...table('Bad', text('a')), primary_key: 'a' }], ['primary_key']),
      refused('no name', [{ primary_key: 'objectId', columns: [] }], ['name']),
      refused('a column without a name', [table('Bad', { type: 'text' })], ['colName']),
      refused('a column without a type', [table('Bad', { colName: 'a' })], ['type']),
      refused('one column twice', [table('Bad', text('a'), text('a'))], [/\ba\b/]),
      refused('one column twice but for case', [table('Bad', text('a'), text('A'))], [/\bA\b/]),
      refused('one table twice but for case', [table('Bad', text('a')), table('BAD', text('a'))], ['BAD']),
      refused('a table that is there but for case', [table('FIRST', text('a'))], ['FIRST']),
      refused('a column that is there but for case', [table('First', text('A'))], [/\bA\b/]),
      ...['1abc', 'a-b', '_x', 'a b', 'ä', '', 'a.b', 'a"b', `L${'x'.repeat(63)}`, "x'; DROP TABLE First; --"].flatMap(
        (name) => [
          refused(`the table name ${JSON.stringify(name)}`, [table(name, text('a'))]),
          refused(`the column name ${JSON.stringify(name)}`, [table('Bad', text(name))]),
        ],
      ),
      refused('NUL in a name', [table('Bad\u0000', text('a'))]),
      refused('an index on an unknown column', [withIndex([text('a')], { columns: ['b'], unique: false })], [/\bb\b/]),
      refused(
        'an index on text',
        [withIndex([{ colName: 'a', type: 'text' }], { columns: ['a'], unique: false })],
        [/\ba\b/],
      ),
      refused(
        'an index on json',
        [withIndex([{ colName: 'a', type: 'json' }], { columns: ['a'], unique: false })],
        [/\ba\b/],
      ),
      refused(
        'an index on varchar(601)',
        [withIndex([text('a', { fieldLength: 601 })], { columns: ['a'], unique: false })],
        [/\ba\b/, '600'],
      ),
      refused('an index on nothing', [withIndex([text('a')], { columns: [], unique: false })], ['columns']),
      refused(
        'an index that names a column twice',
        [withIndex([text('a')], { columns: ['a', 'a'], unique: false })],
        [/\ba\b/],
      ),
      refused('tables that is no list', { name: 'Bad' }, ['tables']),
      refused('a table that is a text', ['Bad'], ['tables']),
      refused('columns that is no list', [{ name: 'Bad', primary_key: 'objectId', columns: {} }], ['columns']),
      { name: 'refused: no tables', method: 'POST', path: 'schemas', body: {}, code: 131, has: ['tables'] },
      define('refused: a plain user defines tables', [table('Bad', text('a'))], { code: 122, as: 'bob' }),
      {
        name: 'refused: a plain user reads definitions',
        as: 'carol',
        method: 'GET',
        path: 'schemas',
        code: 122,
        hasNot: ['First'],
      },
    ],
  );

  test('none of these tables exists', async () => {
    const names = (await described()).map((each) => each.name);
    for (const name of ['Bad', 'NotThere', 'Indexed', 'FIRST', 'BAD']) assert.ok(!names.includes(name), name);
  });

  test('a unique index over records that are not unique', async () => {
    await defineTables(world, 'alice', [table('Doubles', text('a'))]);
    await addRecords(world, 'alice', 'Doubles', [{ a: 'same' }, { a: 'same' }]);
    const answer = await send(world, 'alice', 'POST', 'schemas', {
      tables: [{ ...table('Doubles', text('a')), indexes: [{ columns: ['a'], unique: true }] }],
    });
    assert.equal(valueAt(answer.json, 'errCode'), 131, answer.text);
    assert.equal(answer.status, 400);
    assert.ok(!answer.text.includes('same'));
    assert.equal(await countOf(world, 'alice', { from: { phyName: 'Doubles', alias: 'd' } }), 2);
  });

  test('a required column for records without a value', async () => {
    await defineTables(world, 'alice', [table('Later', text('a'))]);
    await addRecords(world, 'alice', 'Later', [{ a: 'x' }]);
    const answer = await send(world, 'alice', 'POST', 'schemas', {
      tables: [table('Later', text('a'), text('b', { required: true }))],
    });
    assert.ok(answer.status < 500, answer.text);
  });
});

test('any user may read the hash of the definition, but none of its tables', async () => {
  const infoOf = async (who: Who) => {
    const answer = await send(world, who, 'GET', 'schemas/info');
    assertEnvelope(answer, 0);
    return valueAt(answer.json, 'results') as { revision: number; hash: string; historyDays: number };
  };
  const before = await infoOf('alice');
  assert.deepEqual(Object.keys(before), ['revision', 'hash', 'historyDays']);
  assert.match(before.hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(await infoOf('bob'), before);
  await send(world, 'alice', 'POST', 'schemas', { tables: [{ name: 'Informed', columns: [] }] });
  const after = await infoOf('bob');
  assert.equal(after.revision, before.revision + 1);
  assert.notEqual(after.hash, before.hash);
  assertEnvelope(await world.call('GET', `${world.prefixOf('alice')}/schemas/info`), 121);
});

describe('isResetDatabase', () => {
  test('drops everything in a version in development, and in no other', async () => {
    await defineTables(world, 'dave', [table('Kept', text('a'))]);
    await addRecords(world, 'dave', 'Kept', [{ objectId: 'k', a: 'x' }]);
    const { versions } = world.server.directory;
    await versions.update(1, app.appId, app.appVersion, { development: false });
    const reset = () =>
      send(world, 'alice', 'POST', 'schemas', { tables: [table('Only', text('a'))], isResetDatabase: 'true' });
    const before = (await described()).length;
    const refusal = await reset();
    assert.ok([122, 131].includes(Number(valueAt(refusal.json, 'errCode'))), refusal.text);
    assert.equal((await described()).length, before);

    await versions.update(1, app.appId, app.appVersion, { development: true });
    const done = await reset();
    assert.equal(valueAt(done.json, 'errCode'), 0, done.text);
    assert.deepEqual(
      (await described()).map((each) => each.name),
      ['Only'],
    );
    assert.equal(await countOf(world, 'dave', { from: { phyName: 'Kept', alias: 'k' } }), 1);
  });

  test('a version that shares its tables is never reset', async () => {
    const { versions } = world.server.directory;
    await versions.create({
      companyId: 1,
      appId: app.appId,
      version: '1.1.0',
      development: true,
      tables: { shareWith: app.appVersion },
    });
    const before = await described();
    const answer = await send(world, 'alice', 'POST', 'schemas', { tables: [], isResetDatabase: true });
    assert.ok([122, 131].includes(Number(valueAt(answer.json, 'errCode'))), answer.text);
    assert.deepEqual(await described(), before);
  });
});

test('every record of a table has the nine system fields', async () => {
  await defineTables(world, 'alice', [table('Nine', text('a'))]);
  await addRecords(world, 'alice', 'Nine', [{ objectId: 'n' }]);
  const record: Row = await getRecord(world, 'alice', 'Nine', 'n');
  assert.deepEqual(Object.keys(record).sort(), [
    'CreateTime',
    'UpdateTime',
    'a',
    'createUserId',
    'groupIds',
    'objectId',
    'scopeType',
    'serverCreateTime',
    'serverRecordStatus',
    'serverUpdateTime',
  ]);
});

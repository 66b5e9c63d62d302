/** A service with everything that can be moved, and its answers before and after a move. */
import assert from 'node:assert/strict';
import { run } from '../../src/cli/run.ts';
import { itemRows, itemTable, kindTable, valuesTable, writesTable } from '../blackbox/tables.ts';
import type { Scratch } from '../engines/scratch.ts';
import type { Answer } from '../harness/client.ts';
import { addRecords, defineTables, getRecord, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

/** The same before and after the move. */
export const secretKey = '7a'.repeat(32);

/** More than a batch. */
export const manyRows = 9_000;

const manyTable = {
  name: 'Many',
  primary_key: 'objectId',
  columns: [
    { colName: 'n', type: 'integer' },
    { colName: 'ctid', type: 'varchar', fieldLength: 20 },
    { colName: 'rowid', type: 'long' },
  ],
  indexes: [
    { columns: ['n'], unique: true },
    { columns: ['ctid', 'rowid'], unique: false },
  ],
};

/** Every type at its limits, and every plane of Unicode. */
const valueRows = [
  { objectId: 'null' },
  {
    objectId: 'highest',
    v5: 'a\u{10ffff}\u{1f600}é\uffff',
    t: 'tab\t "quotes" \\back\\slash {brace,} NULL \r\n \u0001',
    i: '2147483647',
    l: '9223372036854775807',
    d: '1.7976931348623157e308',
    f: '5e-324',
    dec: '9999999999999999.99',
    whole: '99999',
    b: 'true',
    at: '9999-12-31T23:59:59.999+00:00',
    j: { b: [1, 'x', null, { '': '\u2028' }], a: '😀' },
  },
  {
    objectId: 'lowest',
    v5: '',
    t: '',
    i: '-2147483648',
    l: '-9223372036854775808',
    d: '-1.7976931348623157e308',
    f: '0.1',
    dec: '-0.05',
    whole: '-1',
    b: 'false',
    at: '0001-01-01T00:00:00.000+00:00',
    j: 'null',
  },
  { objectId: 'Zwölf "%_\\', t: 'NULL', dec: '0', d: '123456789012345680000', at: '1969-12-31T23:59:59.999+00:00' },
];

const bodyOf = (table: string, more: object = {}) => ({ from: { phyName: table, alias: 'x' }, ...more });

/** Sent before and after; all answers must be the same, byte for byte. */
const questions: readonly (readonly ['alice' | 'bob' | 'carol', string, object?])[] = [
  ['alice', 'schemas'],
  ['alice', 'data/Value/highest'],
  ['alice', 'data/query/Value', bodyOf('Value')],
  ['alice', 'data/query/Item', bodyOf('Item', { orderBy: [{ column: '#x.n', type: 'DESC' }] })],
  ['bob', 'data/query/Kind', bodyOf('Kind')],
  ['bob', 'data/query/Kind', bodyOf('Kind', { where: { expression: { source: "MATCH(#x.label, 'two gr*')" } } })],
  ['carol', 'data/query/Kind', bodyOf('Kind')],
  ['carol', 'data/query/Write', bodyOf('Write')],
  ['bob', 'data/query/Many', bodyOf('Many', { orderBy: [{ column: '#x.ctid' }], range: { offset: 100, limit: 50 } })],
  ['alice', 'data/query/Many/count', bodyOf('Many')],
  ['alice', 'data/query/Write', bodyOf('Write')],
  ['alice', 'schemas/bin'],
  ['alice', 'roles'],
];

export interface Answered {
  readonly texts: readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
  /** Time of the deleted record, which the replay names again. */
  readonly deletedAt: string;
  /** The first answers to the transactions `kept` and `gone`. */
  readonly results: readonly string[];
}

async function ask(world: World, tokens: Readonly<Record<string, string>>): Promise<string[]> {
  const texts: string[] = [];
  for (const [who, path, body] of questions) {
    const options = { token: tokens[who], ...(body === undefined ? {} : { body }) };
    const answer = await world.call(body === undefined ? 'GET' : 'POST', `${world.prefix}/${path}`, options);
    assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 500)}`);
    texts.push(answer.text);
  }
  return texts;
}

/** Makes one change per request, based on the present revision. */
async function changeTables(world: World, changes: readonly object[]): Promise<void> {
  const { revision } = (await send(world, 'alice', 'GET', 'schemas')).json as { revision: number };
  const answer = await send(world, 'alice', 'POST', 'schemas/changes', { revision, changes });
  assert.equal(answer.status, 200, answer.text);
}

const keptBatch = { transactionId: 'kept', objectName: 'Write', data: [{ code: 'a' }, { objectId: 'w2', code: 'b' }] };

const results = ({ json }: Answer) => JSON.stringify((json as { results: unknown }).results);

/** Fills an empty storage location, and returns the answers of a service on it. */
export async function fillHouse(scratch: Scratch): Promise<Answered> {
  const world = await startWorld({ scratch, settings: { secretKey }, people: ['alice', 'bob', 'carol', 'dave'] });
  try {
    await defineTables(world, 'alice', [valuesTable, itemTable, kindTable, writesTable, manyTable]);
    await addRecords(world, 'alice', 'Value', valueRows);
    for (let row = 0; row < 6; row++) {
      // So large that a few fill a batch.
      await addRecords(world, 'alice', 'Value', [{ objectId: `large ${row}`, t: `${row}é`.repeat(340_000) }]);
    }
    await addRecords(
      world,
      'alice',
      'Item',
      itemRows.map((row) => ({ ...row, scopeType: '3' })),
    );
    const groups = world.person('alice').groupIds;
    await addRecords(world, 'alice', 'Kind', [
      { objectId: 'own', scopeType: '1' },
      { objectId: 'first', groupIds: `{${groups[0]}}` },
      { objectId: 'both', groupIds: `{${groups.join(',')}}`, label: 'of two groups' },
    ]);
    for (let from = 0; from < manyRows; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => ({
        n: String(from + index),
        ctid: `c${(from + index) % 7}`,
        rowid: String(from * 1e6),
      }));
      await addRecords(world, 'alice', 'Many', rows);
    }
    const later = { colName: 'later', type: 'text' };
    await defineTables(world, 'alice', [{ ...kindTable, columns: [...kindTable.columns, later] }]);
    await changeTables(world, [
      { op: 'addTable', table: 'Dropped', columns: [{ colName: 'a', type: 'text' }], indexes: [] },
      { op: 'renameColumn', table: 'Item', column: 'extra', to: 'more' },
      { op: 'addColumn', table: 'Item', column: { colName: 'extra', type: 'integer', default: '7' } },
      { op: 'renameTable', table: 'Kind', to: 'Sort' },
      { op: 'renameTable', table: 'Sort', to: 'Kind' },
      { op: 'changeColumn', table: 'Kind', column: 'label', fullText: true },
    ]);
    await addRecords(world, 'alice', 'Dropped', [{ objectId: 'x1', a: 'in the bin', scopeType: '3' }]);
    await changeTables(world, [
      { op: 'dropColumn', table: 'Kind', column: 'later' },
      { op: 'dropTable', table: 'Dropped' },
    ]);
    const kept = await send(world, 'alice', 'POST', 'data/batch/addData', keptBatch);
    const { serverUpdateTime } = await getRecord(world, 'alice', 'Item', 'i1');
    const objectIds = [{ objectId: 'i1', serverUpdateTime }];
    const gone = await send(world, 'alice', 'POST', 'data/batch/deleteData', {
      transactionId: 'gone',
      objectName: 'Item',
      objectIds,
    });
    assert.equal(gone.status, 200, gone.text);
    const tokens = Object.fromEntries(
      (['alice', 'bob', 'carol', 'dave'] as const).map((who) => [who, world.token(who)]),
    );
    assert.equal(
      (await send(world, 'alice', 'POST', 'logs', { logLevel: 'ERROR', message: 'Something “broke”' })).status,
      200,
    );
    return {
      deletedAt: serverUpdateTime as string,
      texts: await ask(world, tokens),
      tokens,
      results: [results(kept), results(gone)],
    };
  } finally {
    await world.close();
  }
}

/** Checks a service on the moved data: the same answers, working tokens, known transactions, and further writes. */
export async function assertSameHouse(scratch: Scratch, before: Answered): Promise<void> {
  const world = await startWorld({ scratch, settings: { secretKey }, people: [] });
  try {
    assert.deepEqual(await ask(world, before.tokens), before.texts);
    const post = (path: string, body: object) =>
      world.call('POST', `${world.prefix}/${path}`, { token: before.tokens.alice, body });
    const repeated = await post('data/batch/addData', keptBatch);
    assert.match(repeated.text, /"errCode":"?211/);
    assert.equal(results(repeated), before.results[0]);
    const objectIds = [{ objectId: 'i1', serverUpdateTime: before.deletedAt }];
    const gone = await post('data/batch/deleteData', { transactionId: 'gone', objectName: 'Item', objectIds });
    assert.match(gone.text, /"errCode":"?211/);
    assert.equal(results(gone), before.results[1]);
    const added = await post('data/batch/addData', { objectName: 'Many', data: [{ n: '-1' }] });
    assert.match(added.text, /"errCode":"?0/);
    const taken = await post('data/batch/addData', { objectName: 'Many', data: [{ n: '5' }] });
    assert.match(taken.text, /"errCode":"?131/, 'The unique index is there.');
    const token = before.tokens.alice as string;
    const get = (path: string) => world.call('GET', `${world.prefix}/${path}`, { token });
    const [{ results: bin }, { revision }] = [(await get('schemas/bin')).json, (await get('schemas')).json] as [
      { results: { id: number }[] },
      { revision: number },
    ];
    const changes = bin.map(({ id }) => ({ op: 'restore', id }));
    assert.match((await post('schemas/changes', { revision, changes })).text, /"errCode":"?0/);
    assert.match((await get('data/Dropped/x1')).text, /in the bin/);
  } finally {
    await world.close();
  }
}

export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** `rowhouse move` with these words, as typed. */
export async function typeMove(...words: string[]): Promise<Ended> {
  const [out, error]: [string[], string[]] = [[], []];
  const status = await run(['move', ...words], {
    variables: { ROWHOUSE_SECRET_KEY: secretKey },
    isTerminal: false,
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
  });
  return { status, out: out.join('\n'), error: error.join('\n') };
}

export interface MoveAnswer {
  readonly tables: readonly {
    readonly room: string | number;
    readonly table: string;
    readonly rows: number;
    readonly checksum: string;
  }[];
  readonly written: number;
  readonly resumed: boolean;
  readonly rows: number;
  readonly keyIds: Readonly<Record<string, number>>;
}

/** A move that must succeed. */
export async function moved(from: Scratch, to: Scratch, ...more: string[]): Promise<MoveAnswer> {
  const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage, '--json', ...more);
  assert.equal(ended.status, 0, ended.error);
  return JSON.parse(ended.out) as MoveAnswer;
}

/** Changing tables over HTTP (docs/reference/changing-tables.md): effects on records, names, indexes and the bin. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engine } from '../engines/engine.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, getRecord, idsOf, select, send, type WrittenItem } from '../harness/requests.ts';
import { startWorld, type Who, type World } from '../harness/world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const table = (name: string, columns: readonly object[], indexes: readonly object[] = []) => {
  return { name, primary_key: 'objectId', columns, indexes };
};
const text = (colName: string, more: object = {}) => ({ colName, type: 'varchar', fieldLength: 20, ...more });
const everybody = { scopeType: '3' };

const revisionOf = async () => Number(valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'revision'));

async function change(changes: readonly unknown[], more: object = {}, who: Who = 'alice'): Promise<Answer> {
  return send(world, who, 'POST', 'schemas/changes', { revision: await revisionOf(), changes, ...more });
}

/** @returns the results of the changes */
async function changed(...changes: readonly object[]): Promise<Record<string, unknown>[]> {
  const answer = await change(changes);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'results.changes') as Record<string, unknown>[];
}

async function columnsOf(name: string): Promise<string[]> {
  const tables = valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'results') as { name: string }[];
  const found = tables.find((each) => each.name === name) as unknown as { columns: { colName: string }[] } | undefined;
  return found?.columns.map(({ colName }) => colName) ?? [];
}

const inBin = async () =>
  valueAt((await send(world, 'alice', 'GET', 'schemas/bin')).json, 'results') as Record<string, unknown>[];

const add = (name: string, ...data: object[]) =>
  addRecords(
    world,
    'alice',
    name,
    data.map((each) => ({ ...everybody, ...each })),
  );

/** Adds one record, and returns the refusal. */
async function refusedAdd(name: string, data: object): Promise<string> {
  const body = { objectName: name, data: [{ ...everybody, ...data }] };
  const answer = await send(world, 'alice', 'POST', 'data/batch/addData', body);
  assert.equal(answer.status, 400, answer.text);
  return answer.text;
}

async function update(name: string, { objectId, serverUpdateTime }: WrittenItem, values: object): Promise<WrittenItem> {
  const body = { objectName: name, data: [{ objectId, serverUpdateTime, ...values }] };
  const answer = await send(world, 'alice', 'POST', 'data/batch/updateData', body);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'results.0') as WrittenItem;
}

describe('renaming', () => {
  test('a column keeps its values and its indexes, and its old name can be given to another one', async () => {
    await defineTables(world, 'alice', [
      table('Named', [text('titel'), text('b')], [{ columns: ['titel'], unique: true }]),
    ]);
    const [first] = await add('Named', { objectId: 'n1', titel: 'one', b: 'x' });
    await changed({ op: 'renameColumn', table: 'Named', column: 'titel', to: 'title' });
    assert.deepEqual(await columnsOf('Named'), ['title', 'b']);
    const record = await getRecord(world, 'alice', 'Named', 'n1');
    assert.deepEqual([record.title, record.titel, record.b], ['one', undefined, 'x']);
    assert.match(await refusedAdd('Named', { title: 'one' }), /unique title/);
    await changed({ op: 'addColumn', table: 'Named', column: text('titel') });
    await update('Named', first as WrittenItem, { title: 'two', titel: 'three' });
    const after = await getRecord(world, 'alice', 'Named', 'n1');
    assert.deepEqual([after.title, after.titel], ['two', 'three']);
    const found = await select(world, 'alice', {
      from: { phyName: 'Named', alias: 'n' },
      where: { expression: { source: "#n.title = ? AND #n.titel <> ''", params: ['two'] } },
      orderBy: [{ column: '#n.titel', type: 'DESC' }],
    });
    assert.deepEqual(idsOf(found, 'n'), ['n1']);

    const put = {
      objectName: 'Named',
      by: ['title'],
      data: [
        { title: 'two', b: 'put' },
        { title: 'new', ...everybody },
      ],
    };
    const outcome = await send(world, 'alice', 'POST', 'data/batch/putData', {
      ...put,
      data: put.data.map((each, index) => (index === 0 ? { ...each, serverUpdateTime: after.serverUpdateTime } : each)),
    });
    assert.equal(outcome.status, 200, outcome.text);
    const grouped = await send(world, 'alice', 'POST', 'data/select/Named', {
      from: { phyName: 'Named', alias: 'n' },
      select: [
        { name: 'b', expression: { source: '#n.b' } },
        { name: 'many', expression: { source: 'COUNT(#n.title)' } },
      ],
      groupBy: ['b'],
      orderBy: [{ column: 'b', type: 'ASC' }],
    });
    assert.equal(grouped.status, 200, grouped.text);
    assert.equal((valueAt(grouped.json, 'rows') as object[]).length, 2);
  });

  test('two columns, and two tables, exchange their names in one request', async () => {
    await defineTables(world, 'alice', [table('Left', [text('a'), text('b')]), table('Right', [text('c')])]);
    await add('Left', { objectId: 'x1', a: 'was a', b: 'was b' });
    await changed(
      { op: 'renameColumn', table: 'Left', column: 'a', to: 'aside' },
      { op: 'renameColumn', table: 'Left', column: 'b', to: 'a' },
      { op: 'renameColumn', table: 'Left', column: 'aside', to: 'b' },
      { op: 'renameTable', table: 'Left', to: 'Aside' },
      { op: 'renameTable', table: 'Right', to: 'Left' },
      { op: 'renameTable', table: 'Aside', to: 'Right' },
    );
    const record = await getRecord(world, 'alice', 'Right', 'x1');
    assert.deepEqual([record.a, record.b], ['was b', 'was a']);
    assert.deepEqual(await columnsOf('Left'), ['c']);
    await add('Left', { objectId: 'x2', c: 'in the other' });
  });
});

test('a table becomes lock-free, and then requires the lock again', async () => {
  await defineTables(world, 'alice', [table('Free', [text('a')])]);
  await add('Free', { objectId: 'l1', a: 'x' });
  const put = (a: string) =>
    send(world, 'alice', 'POST', 'data/batch/putData', { objectName: 'Free', data: [{ objectId: 'l1', a }] });
  const isFree = async () => {
    const tables = valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'results') as Record<string, unknown>[];
    return tables.find(({ name }) => name === 'Free')?.lockFree;
  };
  assert.equal((await put('refused')).status, 409);
  const told = await changed({ op: 'changeTable', table: 'Free', lockFree: true });
  assert.deepEqual(told, [{ op: 'changeTable', table: 'Free' }]);
  assert.equal(await isFree(), true);
  assert.equal((await put('y')).status, 200);
  await changed({ op: 'changeTable', table: 'Free', lockFree: false });
  assert.equal(await isFree(), undefined);
  assert.equal((await put('z')).status, 409);
  assert.equal((await getRecord(world, 'alice', 'Free', 'l1')).a, 'y');
  const without = await change([{ op: 'changeTable', table: 'Free' }]);
  assert.match(without.text, /changes\[0\]\.lockFree/);
});

describe('columns', () => {
  test('one added with a default gives it to existing and to new records', async () => {
    await defineTables(world, 'alice', [table('Preset', [text('a')])]);
    await add('Preset', { objectId: 'p1', a: 'x' });
    const column = { colName: 'amount', type: 'decimal', precision: 8, scale: 2, required: true, default: '1.5' };
    await changed({ op: 'addColumn', table: 'Preset', column });
    await add('Preset', { objectId: 'p2' }, { objectId: 'p3', amount: '2' });
    const amounts = ['p1', 'p2', 'p3'].map(async (id) => (await getRecord(world, 'alice', 'Preset', id)).amount);
    assert.deepEqual(await Promise.all(amounts), ['1.50', '1.50', '2.00']);
    assert.match(await refusedAdd('Preset', { amount: null }), /amount/);
    await changed({ op: 'changeColumn', table: 'Preset', column: 'amount', default: null, required: false });
    await add('Preset', { objectId: 'p4' });
    assert.equal((await getRecord(world, 'alice', 'Preset', 'p4')).amount, null);
  });

  test('a definition with defaults can be posted again', async () => {
    const { json } = await send(world, 'alice', 'GET', 'schemas');
    await defineTables(world, 'alice', valueAt(json, 'results') as object[]);
    assert.equal(await revisionOf(), valueAt(json, 'revision'));
  });

  test('required is refused while records have no value, with ids that the caller may see', async () => {
    await defineTables(world, 'alice', [table('Strict', [text('a')])]);
    await add('Strict', { objectId: 's1', a: 'x' }, { objectId: 's2' });
    const hidden = { objectName: 'Strict', data: [{ objectId: 'hidden1', scopeType: '1' }] };
    await send(world, 'bob', 'POST', 'data/batch/addData', hidden);
    const answer = await change([{ op: 'changeColumn', table: 'Strict', column: 'a', required: true }]);
    assert.equal(valueAt(answer.json, 'errCode'), 131);
    assert.match(
      answer.text,
      /changes\[0\]\.required: 2 of the records of \\"Strict\\" have no value of \\"a\\".*\\"s2\\"/,
    );
    assert.doesNotMatch(answer.text, /hidden1|s1/);
    const required = await change([{ op: 'addColumn', table: 'Strict', column: text('b', { required: true }) }]);
    assert.match(required.text, /changes\[0\]\.column\.required: 3 of the records/);
    assert.deepEqual(await columnsOf('Strict'), ['a']);
  });

  test('a varchar becomes longer, and text', async () => {
    await defineTables(world, 'alice', [table('Wide', [text('a', { fieldLength: 3 })])]);
    await add('Wide', { objectId: 'w1', a: 'abc' });
    await changed({ op: 'changeColumn', table: 'Wide', column: 'a', type: 'varchar', fieldLength: 5 });
    await add('Wide', { objectId: 'w2', a: 'abcde' });
    assert.match(await refusedAdd('Wide', { a: 'abcdef' }), /at most 5 characters/);
    await changed({ op: 'changeColumn', table: 'Wide', column: 'a', type: 'text' });
    await add('Wide', { objectId: 'w3', a: 'abcdef'.repeat(100) });
    assert.equal((await getRecord(world, 'alice', 'Wide', 'w1')).a, 'abc');
  });
});

describe('types', () => {
  const typed = (column: string, type: string, more: object = {}) => {
    return { op: 'changeColumn', table: 'Typed', column, type, ...more };
  };

  test('values are converted to another type, with index, default and required flag', async () => {
    await defineTables(world, 'alice', [
      table(
        'Typed',
        [
          text('n', { required: true }),
          { colName: 'i', type: 'integer' },
          { colName: 'd', type: 'double' },
          { colName: 'at', type: 'datetime' },
          { colName: 'note', type: 'text' },
        ],
        [{ columns: ['n'], unique: true }, { columns: ['i', 'n'] }],
      ),
    ]);
    const at = '2014-01-23T14:44:36.516+07:00';
    await add(
      'Typed',
      { objectId: 't1', n: '7', i: 1, d: 0.5, at, note: '{"a": 1}' },
      { objectId: 't2', n: '8', i: 2, d: '1e20' },
      { objectId: 't3', n: '9223372036854775807' },
    );
    const before = await getRecord(world, 'alice', 'Typed', 't1');
    await changed(
      typed('n', 'long'),
      typed('i', 'decimal', { precision: 5, scale: 2, default: '0.5' }),
      typed('d', 'varchar', { fieldLength: 30 }),
      typed('at', 'varchar', { fieldLength: 40 }),
      typed('note', 'json'),
    );
    const records = await Promise.all(['t1', 't2', 't3'].map((id) => getRecord(world, 'alice', 'Typed', id)));
    assert.deepEqual(
      records.map(({ n, i, d }) => [n, i, d]),
      [
        ['7', '1.00', '0.5'],
        ['8', '2.00', '100000000000000000000'],
        ['9223372036854775807', null, null],
      ],
    );
    assert.deepEqual([records[0]?.at, records[0]?.note], [before.at, '{"a":1}']);
    assert.equal(records[0]?.serverUpdateTime, before.serverUpdateTime);
    assert.deepEqual(await columnsOf('Typed'), ['n', 'i', 'd', 'at', 'note']);
    assert.match(await refusedAdd('Typed', { n: 7 }), /unique n/);
    assert.match(await refusedAdd('Typed', {}), /data\[0\]\.n: expected a value/);
    await add('Typed', { objectId: 't4', n: 10 });
    assert.equal((await getRecord(world, 'alice', 'Typed', 't4')).i, '0.50');
    const found = await select(world, 'alice', {
      from: { phyName: 'Typed', alias: 't' },
      where: { expression: { source: '#t.n >= ?', params: ['8'] } },
      orderBy: [{ column: '#t.n', type: 'DESC' }],
    });
    assert.deepEqual(idsOf(found, 't'), ['t3', 't4', 't2']);
  });

  test('the former values are in the bin', async () => {
    const [entry] = (await inBin()).filter((each) => each.table === 'Typed' && each.column === 'd');
    assert.match((await change([{ op: 'restore', id: entry?.id }])).text, /The name \\"d\\" is taken/);
    await changed({ op: 'restore', id: entry?.id, as: 'before' });
    assert.equal((await getRecord(world, 'alice', 'Typed', 't2')).before, '100000000000000000000');
  });

  test('of several changes that contradict records, the first is named, in either order', async () => {
    await defineTables(world, 'alice', [table('Twice', [text('a'), text('b'), text('c')])]);
    await add('Twice', { b: 'no number', c: 'x' }, { b: 'neither', c: 'x' });
    const requiring = { op: 'changeColumn', table: 'Twice', column: 'a', required: true };
    const converting = { op: 'changeColumn', table: 'Twice', column: 'b', type: 'double' };
    const indexing = { op: 'addIndex', table: 'Twice', columns: ['c'], unique: true };
    // Its values are unknown before it is added.
    const adding = { op: 'addColumn', table: 'Twice', column: text('d', { default: 'same' }) };
    const indexingAdded = { op: 'addIndex', table: 'Twice', columns: ['d'], unique: true };
    const orders = [
      [requiring, converting, indexing],
      [converting, indexing, requiring],
      [indexing, requiring, converting],
    ];
    for (const changes of orders) {
      const { status, text: refusal } = await change(changes);
      assert.equal(status, 400);
      assert.match(refusal, /changes\[0\]/, JSON.stringify(changes));
    }
    const { text: refusal } = await change([adding, indexingAdded, requiring, converting]);
    assert.match(refusal, /changes\[1\]/);
  });

  test('values that do not fit are counted, with ids that the caller may see', async () => {
    const hidden = { objectName: 'Typed', data: [{ objectId: 'hidden2', n: 5, d: 'x'.repeat(25), scopeType: '1' }] };
    await send(world, 'bob', 'POST', 'data/batch/addData', hidden);
    await add('Typed', { objectId: 't5', n: 6, d: 'no number' });
    const answer = await change([typed('d', 'double')]);
    assert.equal(valueAt(answer.json, 'errCode'), 131);
    assert.match(
      answer.text,
      /changes\[0\]\.type: 2 of the values of \\"d\\" in \\"Typed\\", which is varchar\(30\), don't fit double, .*\\"t5\\"/,
    );
    assert.doesNotMatch(answer.text, /hidden2|xxx/);
    const shorter = await change([typed('d', 'varchar', { fieldLength: 22 })]);
    assert.match(shorter.text, /1 of the values.*don't fit varchar\(22\)/);
    await changed(typed('d', 'varchar', { fieldLength: 28 }));
    assert.match(await refusedAdd('Typed', { n: 4, d: 'x'.repeat(29) }), /at most 28 characters/);
  });
});

describe('a dry run', () => {
  const dry = (changes: readonly object[]) => change(changes, { dryRun: true });
  before(async () => {
    await defineTables(world, 'alice', [table('Dry', [text('a'), text('b'), text('c')])]);
    await add('Dry', { objectId: 'd1', a: '1', b: 'same' }, { objectId: 'd2', a: '2', b: 'same' }, { objectId: 'd3' });
  });

  test('reports rows, losses, a time, the tables and the versions, and changes nothing', async () => {
    const was = (await send(world, 'alice', 'GET', 'schemas')).text;
    const answer = await dry([
      { op: 'addColumn', table: 'Dry', column: text('d', { default: 'x' }) },
      { op: 'dropColumn', table: 'Dry', column: 'b' },
      { op: 'changeColumn', table: 'Dry', column: 'a', type: 'integer' },
      { op: 'renameTable', table: 'Dry', to: 'Wet' },
      { op: 'addIndex', table: 'Wet', columns: ['a', 'd'], unique: true },
      { op: 'dropTable', table: 'Wet' },
    ]);
    assert.equal(answer.status, 200, answer.text);
    const results = valueAt(answer.json, 'results') as Record<string, Record<string, unknown>[]>;
    assert.deepEqual(
      results.changes?.map(({ rows, lost, binId }) => [rows, lost, binId]),
      [
        [3, 0, undefined],
        [0, 2, undefined],
        [3, 0, undefined],
        [0, 0, undefined],
        [3, 0, undefined],
        [0, 3, undefined],
      ],
    );
    assert.ok(results.changes?.every(({ timeMs }) => Number(timeMs) > 0));
    assert.deepEqual(
      results.tables?.filter(({ name }) => name === 'Dry' || name === 'Wet'),
      [],
    );
    assert.deepEqual(results.versions, ['1.0.0']);
    assert.equal((await send(world, 'alice', 'GET', 'schemas')).text, was);
  });

  test('takes into account that SQLite rewrites the records when full text is removed', async () => {
    await changed({ op: 'changeColumn', table: 'Dry', column: 'c', fullText: true });
    const [rename, without] = await Promise.all(
      [
        { op: 'renameTable', table: 'Dry', to: 'Wet' },
        { op: 'changeColumn', table: 'Dry', column: 'c', fullText: false },
      ].map(async (each) => valueAt((await dry([each])).json, 'results.changes.0') as { rows: number; timeMs: number }),
    );
    assert.deepEqual([without?.rows, rename?.rows], [0, 0]);
    const more = Number(without?.timeMs) - Number(rename?.timeMs);
    assert.ok(engine === 'sqlite' ? more > 0 : more === 0, `${more} ms more than for a new name`);
  });

  test('refuses what the change itself would refuse', async () => {
    const refusals: [object, RegExp][] = [
      [{ op: 'changeColumn', table: 'Dry', column: 'b', type: 'long' }, /2 of the values.*"d1/],
      [{ op: 'changeColumn', table: 'Dry', column: 'a', required: true }, /1 of the records.*"d3/],
      [{ op: 'addIndex', table: 'Dry', columns: ['b'], unique: true }, /can't be unique/],
      [{ op: 'dropColumn', table: 'Dry', column: 'x' }, /has no column/],
    ];
    for (const [refusal, says] of refusals) {
      const answer = await dry([refusal]);
      assert.equal(valueAt(answer.json, 'errCode'), 131, answer.text);
      assert.match(answer.text.replaceAll('\\', ''), says);
    }
  });
});

describe('a job', () => {
  const begin = async (changes: readonly object[]): Promise<Answer> =>
    world.call('POST', `${world.prefixOf('alice')}/schemas/changes`, {
      token: world.token('alice'),
      headers: { prefer: 'respond-async' },
      body: { revision: await revisionOf(), changes },
    });
  const job = async (id: unknown) =>
    valueAt((await send(world, 'alice', 'GET', `schemas/jobs/${id}`)).json, 'results') as Record<string, unknown>;
  async function ended(id: unknown): Promise<Record<string, unknown>> {
    for (;;) {
      const told = await job(id);
      if (told.state !== 'running') return told;
    }
  }
  before(async () => {
    await defineTables(world, 'alice', [table('Job', [text('a')])]);
    await add('Job', { objectId: 'j1', a: 'same' }, { objectId: 'j2', a: 'same' });
  });

  test('is answered at once if preferred, and reported until it is done', async () => {
    const revision = await revisionOf();
    const answer = await begin([{ op: 'addColumn', table: 'Job', column: text('b', { default: 'x' }) }]);
    assert.deepEqual([answer.status, answer.headers['preference-applied']], [202, 'respond-async']);
    const jobId = valueAt(answer.json, 'results.jobId');
    const told = await ended(jobId);
    const changes = [{ op: 'addColumn', table: 'Job', column: 'b' }];
    assert.deepEqual(told, { jobId, state: 'done', progress: 100, revision: revision + 1, changes });
    assert.deepEqual(await columnsOf('Job'), ['a', 'b']);
    const cancelled = await send(world, 'alice', 'POST', `schemas/jobs/${jobId}/cancel`);
    assert.equal(valueAt(cancelled.json, 'results.state'), 'done');
  });

  test('that fails reports the reason', async () => {
    const answer = await begin([{ op: 'addIndex', table: 'Job', columns: ['a'], unique: true }]);
    const { state, error } = await ended(valueAt(answer.json, 'results.jobId'));
    assert.equal(state, 'failed');
    assert.match(String(error), /changes\[0\]: the index of "Job" on a can't be unique/);
  });

  test('of another version is unknown, and an invalid id is refused', async () => {
    assert.equal((await job('0'.repeat(32))).state, 'unknown');
    const refused = await send(world, 'alice', 'GET', 'schemas/jobs/x');
    assert.deepEqual([refused.status, valueAt(refused.json, 'errCode')], [404, 130]);
    const denied = await send(world, 'bob', 'POST', `schemas/jobs/${'0'.repeat(32)}/cancel`);
    assert.equal(valueAt(denied.json, 'errCode'), 122);
  });
});

describe('the user of a former name', () => {
  test('is told its present name or that it was dropped', async () => {
    await defineTables(world, 'alice', [table('Formerly', [text('titel'), text('gone')])]);
    await changed(
      { op: 'renameColumn', table: 'Formerly', column: 'titel', to: 'title' },
      { op: 'dropColumn', table: 'Formerly', column: 'gone' },
      { op: 'renameTable', table: 'Formerly', to: 'Now' },
    );
    const day = /20\d\d-\d\d-\d\d/.source;
    const query = (phyName: string, source: string) =>
      send(world, 'alice', 'POST', `data/query/${phyName}`, {
        from: { phyName, alias: 'f' },
        where: { expression: { source, params: ['x'] } },
      });
    const join = {
      entity: 'Formerly',
      entityAlias: 'g',
      expression: { source: '#f.title = #g.title' },
      type: 'INNER JOIN',
    };
    const told: [Answer | Promise<Answer>, RegExp][] = [
      [query('Formerly', '#f.title = ?'), new RegExp(`renamed to \\\\"Now\\\\" on ${day}`)],
      [query('Now', '#f.titel = ?'), new RegExp(`renamed to \\\\"title\\\\" on ${day}`)],
      [query('Now', '#f.gone = ?'), new RegExp(`dropped on ${day}`)],
      [
        send(world, 'alice', 'POST', 'data/query/Now', { from: { phyName: 'Now', alias: 'f' }, join: [join] }),
        /renamed to \\"Now\\"/,
      ],
      [send(world, 'alice', 'GET', 'data/Formerly/x'), /It was renamed to \\"Now\\"/],
      [
        send(world, 'alice', 'POST', 'data/batch/addData', { objectName: 'Now', data: [{ titel: 'x' }] }),
        /data\[0\]\.titel: .*It was renamed to \\"title\\"/,
      ],
    ];
    for (const [answer, text] of told) assert.match((await answer).text, text);
    await changed({ op: 'addColumn', table: 'Now', column: text('titel') });
    assert.equal((await query('Now', '#f.titel = ?')).status, 200);
  });
});

describe('indexes', () => {
  test('are added and dropped, a unique one only if values differ', async () => {
    await defineTables(world, 'alice', [table('Listed', [text('a'), text('b')], [{ columns: ['b'], unique: true }])]);
    await add('Listed', { objectId: 'i1', a: 'same', b: '1' }, { objectId: 'i2', a: 'same', b: '2' });
    const unique = { op: 'addIndex', table: 'Listed', columns: ['a'], unique: true };
    const answer = await change([unique]);
    assert.match(answer.text, /changes\[0\]: the index of \\"Listed\\" on a can't be unique/);
    await changed(
      { op: 'dropIndex', table: 'Listed', columns: ['b'], unique: true },
      { op: 'addIndex', table: 'Listed', columns: ['a', 'b'] },
    );
    await add('Listed', { objectId: 'i3', b: '2' });
    const again = await change([{ op: 'addIndex', table: 'Listed', columns: ['a', 'b'] }]);
    assert.match(again.text, /already has this index/);
  });
});

describe('the bin', () => {
  test('a dropped column is restored with its values and indexes, null in newer records, and not required', async () => {
    await defineTables(world, 'alice', [
      table('Bin', [text('keep'), text('gone', { required: true })], [{ columns: ['gone'], unique: true }]),
    ]);
    await add('Bin', { objectId: 'b1', gone: 'kept' });
    const [result] = await changed({ op: 'dropColumn', table: 'Bin', column: 'gone' });
    const binId = result?.binId;
    assert.equal((await getRecord(world, 'alice', 'Bin', 'b1')).gone, undefined);
    await add('Bin', { objectId: 'b2', keep: 'newer' }, { objectId: 'b3' });
    const [entry] = (await inBin()).filter(({ id }) => id === binId);
    assert.deepEqual([entry?.table, entry?.column], ['Bin', 'gone']);
    assert.equal(Date.parse(entry?.until as string) - Date.parse(entry?.dropped as string), 30 * 86_400_000);
    await changed({ op: 'restore', id: binId });
    const values = ['b1', 'b2'].map(async (id) => (await getRecord(world, 'alice', 'Bin', id)).gone);
    assert.deepEqual(await Promise.all(values), ['kept', null]);
    assert.match(await refusedAdd('Bin', { gone: 'kept' }), /unique gone/);
    await add('Bin', { objectId: 'b4' });
    assert.deepEqual(
      (await inBin()).filter(({ id }) => id === binId),
      [],
    );
  });

  test('a dropped table is restored with records, locks and tombstones, also under another name', async () => {
    await defineTables(world, 'alice', [table('Thrown', [text('a')], [{ columns: ['a'], unique: true }])]);
    const [one] = await add('Thrown', { objectId: 't1', a: 'x' });
    const [dropped] = await changed({ op: 'dropTable', table: 'Thrown' });
    assert.equal((await send(world, 'alice', 'GET', 'data/Thrown/t1')).status, 404);
    await defineTables(world, 'alice', [table('Thrown', [text('other')])]);
    await add('Thrown', { objectId: 't1', other: 'new' });
    const taken = await change([{ op: 'restore', id: dropped?.binId }]);
    assert.match(taken.text, /changes\[0\]\.id: The name \\"Thrown\\" is taken.*with \\"as\\"/);
    await changed({ op: 'restore', id: dropped?.binId, as: 'Back' });
    assert.equal((await getRecord(world, 'alice', 'Back', 't1')).a, 'x');
    assert.match(await refusedAdd('Back', { a: 'x' }), /unique a/);
    const later = await update('Back', one as WrittenItem, { a: 'y' });
    assert.ok(later.serverUpdateTime > (one as WrittenItem).serverUpdateTime);
    assert.equal((await getRecord(world, 'alice', 'Thrown', 't1')).other, 'new');
  });

  test('a binned column of a binned table is restored after its table; a purged one is not', async () => {
    await defineTables(world, 'alice', [table('Deep', [text('a'), text('b'), text('c')])]);
    await add('Deep', { objectId: 'd1', a: '1', b: '2', c: '3' });
    const [a, b] = await changed(
      { op: 'dropColumn', table: 'Deep', column: 'a' },
      { op: 'dropColumn', table: 'Deep', column: 'b' },
    );
    const [deep] = await changed({ op: 'dropTable', table: 'Deep' });
    const early = await change([{ op: 'restore', id: a?.binId }]);
    assert.match(early.text, new RegExp(`Restore the table first, which is ${deep?.binId}`));
    await changed({ op: 'restore', id: deep?.binId }, { op: 'purge', id: b?.binId }, { op: 'restore', id: a?.binId });
    const record = await getRecord(world, 'alice', 'Deep', 'd1');
    assert.deepEqual([record.a, record.b, record.c], ['1', undefined, '3']);
    assert.match((await change([{ op: 'restore', id: b?.binId }])).text, /The bin has no entry/);
    await changed({ op: 'addColumn', table: 'Deep', column: { colName: 'b', type: 'integer', default: 7 } });
    assert.equal((await getRecord(world, 'alice', 'Deep', 'd1')).b, '7');
  });

  test('an index that newer values contradict is not restored with its column', async () => {
    const pair = { columns: ['a', 'b'], unique: true };
    await defineTables(world, 'alice', [table('Pair', [text('a'), text('b')], [pair])]);
    const [, two] = await add('Pair', { objectId: 'q1', a: '1', b: '1' }, { objectId: 'q2', a: '1', b: '2' });
    const [gone] = await changed({ op: 'dropColumn', table: 'Pair', column: 'a' });
    await update('Pair', two as WrittenItem, { b: '1' });
    const refused = await change([{ op: 'restore', id: gone?.binId }]);
    assert.match(refused.text, /changes\[0\]: the index of \\"Pair\\" on a, b can't be unique.*withoutIndexes/);
    await changed({ op: 'restore', id: gone?.binId, withoutIndexes: true });
    assert.equal((await getRecord(world, 'alice', 'Pair', 'q2')).a, '1');
  });
});

describe('refused, and nothing is changed', () => {
  const refusals: readonly {
    readonly name: string;
    readonly changes: readonly unknown[];
    readonly says: RegExp;
    code?: number;
  }[] = [
    { name: 'no changes', changes: [], says: /changes: expected one change or more, got none/ },
    { name: 'what is no object', changes: [7], says: /changes\[0\]: expected an object/ },
    { name: 'no operation', changes: [{ table: 'R' }], says: /changes\[0\]\.op: expected a value/ },
    { name: 'an unknown operation', changes: [{ op: 'dropColum' }], says: /did you mean \\"dropColumn\\"/ },
    {
      name: 'an unknown member',
      changes: [{ op: 'dropColumn', table: 'R', colum: 'a' }],
      says: /changes\[0\]: There is no member \\"colum\\"; did you mean \\"column\\"/,
    },
    {
      name: 'an unknown table',
      changes: [{ op: 'dropTable', table: 'Rr' }],
      says: /changes\[0\]\.table: There is no table \\"Rr\\"; did you mean \\"R\\"/,
    },
    {
      name: 'a column that is missing',
      changes: [{ op: 'addColumn', table: 'R' }],
      says: /changes\[0\]\.column: expected an object with .*, got none/,
    },
    {
      name: 'a table that a later change adds',
      changes: [
        { op: 'addColumn', table: 'Later', column: { colName: 'x', type: 'integer' } },
        { op: 'addTable', table: 'Later' },
      ],
      says: /changes\[0\]\.table: There is no table \\"Later\\" yet; put changes\[1\], which adds it, first\./,
    },
    {
      name: 'a reference to a table that a later change adds',
      changes: [
        {
          op: 'addTable',
          table: 'Earlier',
          columns: [{ colName: 'later', type: 'varchar', fieldLength: 40, references: 'Later' }],
        },
        { op: 'addTable', table: 'Later' },
      ],
      says: /changes\[0\]\.columns\[0\]\.references: There is no table \\"Later\\" yet; put changes\[1\], .* use changeColumn/,
    },
    {
      name: 'an unknown column, after a change that is possible',
      changes: [
        { op: 'dropColumn', table: 'R', column: 'a' },
        { op: 'renameColumn', table: 'R', column: 'a', to: 'b' },
      ],
      says: /changes\[1\]\.column: The table \\"R\\" has no column \\"a\\"/,
    },
    {
      name: 'a name that is taken in another case',
      changes: [{ op: 'renameColumn', table: 'R', column: 'a', to: 'KEPT' }],
      says: /changes\[0\]\.to: The name \\"KEPT\\" is taken by \\"kept\\"/,
    },
    {
      name: 'a system column',
      changes: [{ op: 'dropColumn', table: 'R', column: 'objectId' }],
      says: /changes\[0\]\.column: expected a column of your own/,
    },
    {
      name: 'the name of a system column',
      changes: [{ op: 'renameColumn', table: 'R', column: 'a', to: 'GroupIds' }],
      says: /changes\[0\]\.to: expected a column of your own/,
    },
    {
      name: 'text in an index',
      changes: [{ op: 'changeColumn', table: 'R', column: 'kept', type: 'text' }],
      says: /Drop the index first/,
    },
    {
      name: 'a default of another type',
      changes: [{ op: 'addColumn', table: 'R', column: { colName: 'n', type: 'integer', default: 'many' } }],
      says: /changes\[0\]\.column\.default: expected a whole number/,
    },
    {
      name: 'an unknown index',
      changes: [{ op: 'dropIndex', table: 'R', columns: ['a'] }],
      says: /has no index on a; it has unique kept/,
    },
    { name: 'nothing to change', changes: [{ op: 'changeColumn', table: 'R', column: 'a' }], says: /expected a value/ },
    { name: 'an id that is no number', changes: [{ op: 'restore', id: 'x' }], says: /entry of the bin, got/ },
    { name: 'an id that is not there', changes: [{ op: 'purge', id: 999_999 }], says: /has no entry 999999/ },
    {
      name: 'a table with a name that is taken',
      changes: [{ op: 'addTable', table: 'r', columns: [] }],
      says: /changes\[0\]\.table: The name \\"r\\" is taken by \\"R\\"/,
    },
    {
      name: 'too many changes',
      changes: Array.from({ length: 101 }, () => ({ op: 'dropTable', table: 'R' })),
      says: /at most 100 \(setting tableChangesMax\), got 101/,
    },
  ];
  before(() =>
    defineTables(world, 'alice', [table('R', [text('a'), text('kept')], [{ columns: ['kept'], unique: true }])]),
  );

  for (const { name, changes, says } of refusals) {
    test(name, async () => {
      const was = await revisionOf();
      const answer = await change(changes);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(valueAt(answer.json, 'errCode'), 131);
      assert.match(answer.text, says);
      assert.equal(await revisionOf(), was);
    });
  }

  test('another revision, an unknown member beside, and a user without the right', async () => {
    const changes = [{ op: 'dropColumn', table: 'R', column: 'a' }];
    const old = await change(changes, { revision: 1 });
    assert.deepEqual([old.status, valueAt(old.json, 'errCode')], [409, 130]);
    assert.match(old.text, /expected revision \d+, got 1/);
    assert.match((await change(changes, { change: [] })).text, /there is no member \\"change\\"/);
    const denied = await send(world, 'bob', 'POST', 'schemas/changes', { revision: 1, changes });
    assert.equal(valueAt(denied.json, 'errCode'), 122);
    assert.deepEqual(await columnsOf('R'), ['a', 'kept']);
  });

  test('of many simultaneous ones on the same revision, one is made', async () => {
    const revision = await revisionOf();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        send(world, 'alice', 'POST', 'schemas/changes', {
          revision,
          changes: [{ op: 'renameColumn', table: 'R', column: 'a', to: `a${index}` }],
        }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  });
});

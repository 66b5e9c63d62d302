/** Full text: which words find which records, by whom, and through writes and changes of tables. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, idsOf, type QueryBody, select, send } from '../harness/requests.ts';
import type { Who } from '../harness/world.ts';
import { startWorld, type World } from '../harness/world.ts';
import { holds } from '../query/seeded.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob', 'carol'] });
  await defineTables(world, 'alice', [
    { name: 'Note', columns: [title, { colName: 'body', type: 'text', fullText: true }, place] },
  ]);
  const records = texts.map(([objectId, text]) => ({ objectId, title: text, scopeType: 3 }));
  await addRecords(world, 'alice', 'Note', records);
});
after(() => world.close());

const title = { colName: 'title', type: 'varchar', fieldLength: 2_000, fullText: true };
const place = { colName: 'place', type: 'integer' };

const texts: readonly (readonly [string, string | null])[] = [
  ['en-1', 'The quick brown Fox jumps over the lazy dog.'],
  ['en-2', "Foxes don't jump: FOXGLOVE, version 2.0"],
  ['de-1', 'Straße, Äpfel und ÄRGER'],
  ['ja-1', '東京都に住んでいます。'],
  ['ja-2', '京都の大木とコンピューター'],
  ['ja-3', 'ﾊﾝｶｸ ＡＢＣ１２３'],
  ['ko-1', '서울 대학교에서'],
  ['zh-1', '中华人民共和国'],
  ['none', '!?…'],
  ['null', null],
];

/** Words, and the records that have all of them. */
const searches: readonly (readonly [string, readonly string[]])[] = [
  ['fox', ['en-1']],
  ['FOX brown', ['en-1']],
  ['fox*', ['en-1', 'en-2']],
  ['fox*, do*', ['en-1', 'en-2']],
  ['fox foxglove', []],
  ["don't", ['en-2']],
  ['2.0', ['en-2']],
  ['äpfel', ['de-1']],
  ['a\u0308pfel', ['de-1']],
  ['apfel', []],
  ['stra*', ['de-1']],
  ['ärger*', ['de-1']],
  ['東京', ['ja-1']],
  ['京都', ['ja-1', 'ja-2']],
  ['東京都に', ['ja-1']],
  ['木', ['ja-2']],
  ['都', ['ja-1', 'ja-2']],
  ['大木 ター', ['ja-2']],
  ['ハンカク', ['ja-3']],
  ['abc123', ['ja-3']],
  ['abc＊', ['ja-3']],
  ['대학', ['ko-1']],
  ['人民', ['zh-1']],
  ['人国', []],
  ['', []],
  ['!?…', []],
  ['*', []],
];

const body = (source: string, params: readonly unknown[], more: object = {}): QueryBody => ({
  from: { phyName: 'Note', alias: 'n' },
  where: { expression: { source, params } },
  ...more,
});

async function found(who: Who, source: string, ...params: readonly unknown[]): Promise<(string | null)[]> {
  const ids = idsOf(await select(world, who, body(source, params)), 'n');
  assert.equal(await countOf(world, who, body(source, params)), ids.length, source);
  const page = await select(world, who, body(source, params, { range: { offset: 0, limit: 3 } }));
  assert.deepEqual(idsOf(page, 'n'), ids.slice(0, 3), source);
  return ids;
}

async function refused(path: string, request: object, reason: RegExp, code = 132): Promise<void> {
  const answer = await send(world, 'alice', 'POST', path, request);
  assert.equal(answer.status, 400, answer.text);
  assert.equal(valueAt(answer.json, 'errCode'), code, answer.text);
  assert.match(answer.text, reason);
}

async function change(...changes: readonly object[]) {
  const revision = Number(valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'revision'));
  return send(world, 'alice', 'POST', 'schemas/changes', { revision, changes });
}

async function changed(...changes: readonly object[]): Promise<unknown> {
  const answer = await change(...changes);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'results.changes.0.binId');
}

async function write(operation: string, request: object): Promise<readonly { serverUpdateTime: string }[]> {
  const answer = await send(world, 'alice', 'POST', `data/batch/${operation}`, request);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'results') as { serverUpdateTime: string }[];
}

test('all words must be present, ignoring case and width', async () => {
  for (const [words, ids] of searches) {
    assert.deepEqual(await found('bob', 'MATCH(#n.title, ?)', words), ids, words);
    const literal = `MATCH(#n.title, '${words.replaceAll("'", "''")}')`;
    assert.deepEqual(await found('bob', literal), ids, literal);
  }
});

test('it is a condition like any other: null without a text, with AND, OR and NOT, in joins, groups and CASE', async () => {
  const all = texts.map(([id]) => id).toSorted();
  const ids = (...some: readonly string[]) => some;
  assert.deepEqual(await found('bob', 'MATCH(#n.title, ?)', null), []);
  assert.deepEqual(await found('bob', 'NOT MATCH(#n.title, ?)', null), []);
  assert.deepEqual(
    await found('bob', "NOT MATCH(#n.title, 'fox*')"),
    all.filter((id) => !/^en|null/.test(id)),
  );
  assert.deepEqual(
    await found('bob', "MATCH(#n.title, 'fox') OR MATCH(#n.title, '京都')"),
    ids('en-1', 'ja-1', 'ja-2'),
  );
  assert.deepEqual(await found('bob', "MATCH(#n.title, 'fox*') AND NOT MATCH(#n.title, 'dog')"), ids('en-2'));
  assert.deepEqual(await found('bob', "MATCH(#n.title, 'fox*') AND MATCH(#n.title, 'dog')"), ids('en-1'));
  assert.deepEqual(await found('bob', "MATCH(#n.title, 'fox') OR #n.title IS NULL"), ids('en-1', 'null'));
  assert.deepEqual(
    await found('bob', "(MATCH(#n.title, 'fox') OR MATCH(#n.body, 'fox')) AND #n.objectId <> 'x'"),
    ids('en-1'),
  );
  assert.deepEqual(await found('bob', "CASE WHEN MATCH(#n.title, 'fox*') THEN 1 ELSE 2 END = 1"), ids('en-1', 'en-2'));

  const joined = (type: string, on: string, where: string) =>
    select(world, 'bob', {
      from: { phyName: 'Note', alias: 'n' },
      join: [{ type, entity: 'Note', entityAlias: 'm', expression: { source: on, params: [] } }],
      where: { expression: { source: where, params: ['大木'] } },
    });
  for (const type of ['INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN', 'FULL OUTER JOIN']) {
    const rows = await joined(type, '#n.objectId = #m.objectId', 'MATCH(#m.title, ?)');
    assert.deepEqual([idsOf(rows, 'n'), idsOf(rows, 'm')], [['ja-2'], ['ja-2']], type);
    const on = await joined(type, "#n.objectId = #m.objectId AND MATCH(#m.title, '京都')", 'MATCH(#n.title, ?)');
    assert.deepEqual([idsOf(on, 'n'), idsOf(on, 'm')], [['ja-2'], ['ja-2']], type);
  }

  const sub = "SELECT #m.objectId FROM Note m WHERE MATCH(#m.title, 'fox*')";
  assert.deepEqual(await found('bob', `#n.objectId IN (${sub})`), ids('en-1', 'en-2'));
  const exists =
    "EXISTS (SELECT 1 FROM Note m WHERE #m.objectId = #n.objectId AND MATCH(#m.title, '京都') AND MATCH(#n.title, '木'))";
  assert.deepEqual(await found('bob', exists), ids('ja-2'));

  const groups = await send(world, 'bob', 'POST', 'data/select/Note', {
    from: { phyName: 'Note', alias: 'n' },
    select: [{ name: 'count', expression: { source: 'COUNT(*)' } }],
    where: { expression: { source: "MATCH(#n.title, 'fox*')", params: [] } },
  });
  assert.deepEqual(valueAt(groups.json, 'rows'), [{ count: 2 }], groups.text);
});

test('a record that a caller does not see is not found', async () => {
  await addRecords(world, 'bob', 'Note', [{ objectId: 'mine', title: 'private fox', scopeType: 1 }]);
  assert.deepEqual(await found('bob', "MATCH(#n.title, 'private')"), ['mine']);
  assert.deepEqual(await found('carol', "MATCH(#n.title, 'private')"), []);
  assert.deepEqual(await found('carol', "MATCH(#n.title, 'private fox') OR MATCH(#n.title, 'fox')"), ['en-1']);
});

test('every write is found by its result, and a failed batch leaves nothing', async () => {
  const finds = (words: string) => found('alice', 'MATCH(#n.body, ?)', words);
  const put = (data: readonly object[]) =>
    write('putData', { transactionId: crypto.randomUUID(), objectName: 'Note', data });
  await addRecords(world, 'alice', 'Note', [{ objectId: 'w1', body: 'one two three' }]);
  const [updated] = await write('putData', {
    objectName: 'Note',
    data: [{ objectId: 'w2', body: 'two four' }],
  });
  assert.deepEqual(await finds('two'), ['w1', 'w2']);
  const request = {
    transactionId: crypto.randomUUID(),
    objectName: 'Note',
    data: [{ objectId: 'w2', serverUpdateTime: updated!.serverUpdateTime, body: 'four five' }],
  };
  const [again] = await write('updateData', request);
  const replay = await send(world, 'alice', 'POST', 'data/batch/updateData', request);
  assert.equal(valueAt(replay.json, 'errCode'), 211);
  assert.deepEqual([await finds('two'), await finds('four'), await finds('five')], [['w1'], ['w2'], ['w2']]);

  const failing = {
    objectName: 'Note',
    data: [
      { objectId: 'w3', body: 'six' },
      { objectId: 'w1', body: 'six' },
    ],
  };
  assert.equal((await send(world, 'alice', 'POST', 'data/batch/addData', failing)).status, 400);
  assert.deepEqual(await finds('six'), []);

  const base = { objectId: 'w2', serverUpdateTime: again!.serverUpdateTime };
  const [cleared] = await put([{ ...base, body: null }]);
  assert.deepEqual(await finds('four*'), []);
  const [filled] = await put([{ ...base, serverUpdateTime: cleared!.serverUpdateTime, place: 3, body: '二つ 二つ' }]);
  assert.deepEqual(await finds('二つ'), ['w2']);
  const operations = [
    { op: 'delete', objectName: 'Note', data: [{ ...base, serverUpdateTime: filled!.serverUpdateTime }] },
    { op: 'add', objectName: 'Note', data: [{ objectId: 'w4', body: '二つ' }] },
  ];
  await write('', { operations });
  assert.deepEqual([await finds('二'), await finds('三')], [['w4'], []]);
});

test('full text is added to a column with records, follows it, and is removed', async () => {
  const column = (more: object) => ({ op: 'changeColumn', table: 'Book', column: 'name', ...more });
  const finds = async (words: string, name = 'name', table = 'Book') => {
    const source = `MATCH(#b.${name}, ?)`;
    return idsOf(
      await select(world, 'alice', {
        from: { phyName: table, alias: 'b' },
        where: { expression: { source, params: [words] } },
      }),
      'b',
    );
  };
  const query = {
    from: { phyName: 'Book', alias: 'b' },
    where: { expression: { source: "MATCH(#b.name, 'a')", params: [] } },
  };
  await defineTables(world, 'alice', [{ name: 'Book', columns: [{ colName: 'name', type: 'text' }, place] }]);
  const many = Array.from({ length: 120 }, (_, n) => ({ objectId: `b${n}`, name: `volume ${n} 東京${n}`, place: n }));
  await addRecords(world, 'alice', 'Book', [...many, { objectId: 'empty' }]);
  await refused(
    'data/query/Book',
    query,
    /the column \\"name\\" of table \\"Book\\" has no full text; POST .*fullText/,
  );

  await changed(column({ fullText: true }));
  assert.deepEqual(
    [await finds('volume 7'), await finds('東京 110'), (await finds('vol* 東京')).length],
    [['b7'], ['b110'], 120],
  );
  await changed(column({ fullText: true, type: 'varchar', fieldLength: 500 }));
  await addRecords(world, 'alice', 'Book', [{ objectId: 'later', name: 'volume later' }]);
  await changed(
    { op: 'renameColumn', table: 'Book', column: 'name', to: 'called' },
    { op: 'renameTable', table: 'Book', to: 'Tome' },
  );
  await addRecords(world, 'alice', 'Tome', [{ objectId: 'renamed', called: 'volume renamed' }]);
  assert.deepEqual(
    [await finds('later', 'called', 'Tome'), await finds('ren*', 'called', 'Tome')],
    [['later'], ['renamed']],
  );
  const bin = await changed({ op: 'dropColumn', table: 'Tome', column: 'called' });
  await addRecords(world, 'alice', 'Tome', [{ objectId: 'meanwhile', place: 1 }]);
  await changed({ op: 'restore', id: bin }, { op: 'renameColumn', table: 'Tome', column: 'called', to: 'name' });
  await addRecords(world, 'alice', 'Tome', [{ objectId: 'after', name: 'volume restored' }]);
  assert.deepEqual(
    [(await finds('volume', 'name', 'Tome')).length, await finds('restored', 'name', 'Tome')],
    [123, ['after']],
  );
  const table = await changed({ op: 'dropTable', table: 'Tome' });
  await changed({ op: 'restore', id: table, as: 'Book' });
  assert.deepEqual(await finds('volume 7'), ['b7']);

  const refusal = await change(column({ type: 'integer' }));
  assert.match(refusal.text, /can't become integer, because its full text can't have it/);
  await changed(column({ fullText: false }), column({ fullText: true }));
  assert.deepEqual(await finds('volume 7'), ['b7']);
  await changed(column({ fullText: false }));
  await refused('data/query/Book', query, /has no full text/);
  await changed(column({ fullText: true }));
  const last = await changed({ op: 'dropColumn', table: 'Book', column: 'name' });
  await changed({ op: 'purge', id: last });
  await changed({ op: 'addColumn', table: 'Book', column: { ...title, colName: 'name', default: 'volume all' } });
  assert.equal((await finds('volume all')).length, 125);
  await defineTables(world, 'alice', [{ name: 'Book', columns: [{ colName: 'more', type: 'text', fullText: true }] }]);
  const { json } = await send(world, 'alice', 'GET', 'schemas');
  const shown = (valueAt(json, 'results') as { name: string; columns: object[] }[]).find(({ name }) => name === 'Book');
  assert.deepEqual(shown?.columns, [
    place,
    { colName: 'name', type: 'varchar', fieldLength: 2_000, default: 'volume all', fullText: true },
    { colName: 'more', type: 'text', fullText: true },
  ]);
  await defineTables(world, 'alice', [shown as object]);
  const gone = await changed({ op: 'dropTable', table: 'Book' });
  await changed({ op: 'purge', id: gone });
});

test('columns that cannot have full text, and texts without words, are refused', async () => {
  const change = { op: 'changeColumn', table: 'Note', column: 'place', fullText: true };
  const revision = Number(valueAt((await send(world, 'alice', 'GET', 'schemas')).json, 'revision'));
  await refused(
    'schemas/changes',
    { revision, changes: [change] },
    /changes\[0\]\.fullText.*is integer; only varchar and text/,
    131,
  );
  await refused(
    'schemas',
    { tables: [{ name: 'Bad', columns: [{ ...place, fullText: true }] }] },
    /only varchar and text/,
    131,
  );
  const query = (source: string, ...params: readonly unknown[]) => body(source, params);
  await refused(
    'data/query/Note',
    query('MATCH(#n.place, ?)', 'x'),
    /\\"place\\" of table \\"Note\\" has no full text/,
  );
  await refused(
    'data/query/Note',
    query('MATCH(LOWER(#n.title), ?)', 'x'),
    /expected a column with full text, got LOWER/,
  );
  await refused('data/query/Note', query('MATCH(#n.title)'), /MATCH: expected 2 values, a column and its words, got 1/);
  await refused('data/query/Note', query('MATCH(#n.title, 5)'), /takes a text in quotes or/);
  await refused('data/query/Note', query('MATCH(#n.title, ?) = TRUE', 'x'), /got a condition/);
  await refused(
    'data/query/Note',
    query('MATCH(#n.title, ?)', 'x'.repeat(1_001)),
    /1001 characters; at most 1000 \(likePatternMax\)/,
  );
  const words = Array.from({ length: 65 }, (_, n) => `w${n}`).join(' ');
  await refused('data/query/Note', query('MATCH(#n.title, ?)', words), /have 65 terms; at most 64/);
  await refused(
    'data/query/Note',
    query(`MATCH(#n.title, '${words}')`),
    /character 17: the words .* have 65 terms; at most 64/,
  );
  const matches = Array.from({ length: 17 }, () => "MATCH(#n.title, 'x')").join(' OR ');
  await refused('data/query/Note', query(matches), /17 MATCH conditions; at most 16/);

  const long = Array.from({ length: 5_001 }, (_, n) => `w${n}`).join(' ');
  await refused(
    'data/batch/addData',
    { objectName: 'Note', data: [{ body: long }] },
    /body: expected at most 5000 different terms.*got more/,
    131,
  );
  await addRecords(world, 'alice', 'Note', [
    { objectId: 'long', body: `${long.slice(0, long.lastIndexOf(' '))} ${'長'.repeat(900)}`.replace('w17 w18 ', '') },
  ]);
  assert.deepEqual(await found('alice', 'MATCH(#n.body, ?)', 'w4999 長長'), ['long']);
});

test('random texts are found by random words as by an oracle', async (context) => {
  await defineTables(world, 'alice', [{ name: 'Text', columns: [{ ...title, colName: 'words' }] }]);
  const tokens = ['a', 'ab', 'abc', 'ABD', 'x1', 'Ünï', 'ünïx', '東', '東京', '京都', '東京都', '都', '서울', '울'];
  const texts = fc.array(fc.constantFrom(...tokens), { maxLength: 6 });
  const searched = fc.array(fc.tuple(fc.constantFrom(...tokens), fc.boolean()), { minLength: 1, maxLength: 3 });
  const isWord = (token: string) => /^[\p{sc=Latin}\d]/u.test(token);
  const has = (text: readonly string[], [token, isPrefix]: readonly [string, boolean]) => {
    const lower = token.toLowerCase();
    if (isWord(token)) {
      return text.some((each) => (isPrefix ? each.toLowerCase().startsWith(lower) : each.toLowerCase() === lower));
    }
    const pairs = token.length === 1 ? [token] : Array.from(token.slice(1), (_, at) => token.slice(at, at + 2));
    return pairs.every((pair) => text.some((each) => each.includes(pair)));
  };
  const property = fc.asyncProperty(
    fc.array(texts, { maxLength: 12 }),
    fc.array(searched, { minLength: 4, maxLength: 4 }),
    async (stored, queries) => {
      const data = stored.map((text, n) => ({ objectId: `${crypto.randomUUID()}-${n}`, words: text.join(' · ') }));
      const written = stored.length === 0 ? [] : await addRecords(world, 'alice', 'Text', data);
      for (const query of queries) {
        const words = query.map(([token, isPrefix]) => (isPrefix ? `${token}*` : token)).join(' ');
        const form = {
          from: { phyName: 'Text', alias: 't' },
          where: { expression: { source: 'MATCH(#t.words, ?)', params: [words] } },
        };
        const expected = data
          .filter((_, n) => query.every((each) => has(stored[n]!, each)))
          .map(({ objectId }) => objectId);
        const ids = idsOf(await select(world, 'alice', form), 't');
        const own = ids.filter((id) => data.some(({ objectId }) => objectId === id));
        assert.deepEqual(own, expected.toSorted(), words);
      }
      const remove = data.map(({ objectId }, n) => ({ objectId, serverUpdateTime: written[n]!.serverUpdateTime }));
      if (remove.length > 0) await write('deleteData', { objectName: 'Text', objectIds: remove });
    },
  );
  await holds(context, property, 30);
});

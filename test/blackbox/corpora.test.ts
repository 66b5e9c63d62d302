/** JSON and strings that often cause errors in programs, sent in every input: each answer must be a documented one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dataOperations as data } from '../../src/http/api/data.operations.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import type { Operation } from '../../src/operations/define.ts';
import type { Answer } from '../harness/client.ts';
import { assertDocumented } from '../harness/documented.ts';
import { valueAt } from '../harness/match.ts';
import { countOf, defineTables, getRecord } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { badJson, eitherJson, goodJson, naughtyStrings } from './corpora.ts';

const table = {
  name: 'Corpus',
  columns: [
    { colName: 'json', type: 'json' },
    { colName: 'text', type: 'text' },
  ],
};

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice'] });
  await defineTables(world, 'alice', [table]);
});
after(() => world.close());

/** None may cause an internal error or a "busy" answer. */
async function send(operation: Operation, path: string, body?: unknown, raw?: string): Promise<Answer> {
  const answer = await world.call(operation.method, `${world.prefix}${path}`, {
    token: world.token('alice'),
    ...(raw === undefined ? {} : { raw }),
    ...(body === undefined ? {} : { body }),
  });
  assert.ok(answer.status < 500, `${path}: ${answer.text}`);
  return answer;
}

const atOnce = 16;

/** Visits every text, some at once, because sequential requests would take long. */
async function each(texts: readonly string[], visit: (text: string, index: number) => Promise<void>): Promise<void> {
  const waiting = texts.entries();
  const work = async () => {
    for (const [index, text] of waiting) await visit(text, index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const from = { phyName: 'Corpus', alias: 't' };
const add = (value: unknown) => ({ objectName: 'Corpus', data: [value] });
const rawAdd = (text: string) => `{"objectName":"Corpus","data":[{"scopeType":1,"json":${text}}]}`;

test('JSON that every parser accepts is accepted, as a value and as the text of a column', async () => {
  await each(goodJson, async (text) => {
    const sent = await send(data.addData, '/data/batch/addData', undefined, rawAdd(text));
    // A string for a json column is JSON text itself.
    if (typeof JSON.parse(text) === 'string') assertDocumented(data.addData, sent, text);
    else assert.equal(sent.status, 200, `${text}: ${sent.text}`);
    const whole = await send(data.count, '/data/query/Corpus/count', undefined, text);
    assertDocumented(data.count, whole, text);
    assert.ok(!/not JSON/.test(whole.text), text);
    const stored = await send(data.addData, '/data/batch/addData', add({ json: text, scopeType: 1 }));
    assert.equal(stored.status, 200, `${text}: ${stored.text}`);
  });
});

test('JSON that no parser accepts is refused as such, and nothing is written', async () => {
  const before = await countOf(world, 'alice', { from });
  await each(badJson, async (text) => {
    const inside = await send(data.addData, '/data/batch/addData', undefined, rawAdd(text));
    assertDocumented(data.addData, inside, text);
    assert.equal(inside.status, 400, `${JSON.stringify(text)}: ${inside.text}`);
    for (const operation of [data.count, data.deleteData] as const) {
      const path = operation.path.replace(':objectName', 'Corpus');
      const answer = await send(operation, path, undefined, text);
      assertDocumented(operation, answer, text);
      assert.equal(answer.status, 400, `${JSON.stringify(text)}: ${answer.text}`);
    }
  });
  assert.equal(await countOf(world, 'alice', { from }), before);
});

test('JSON that may be accepted or refused causes no fault', async () => {
  await each(eitherJson, async (text) => {
    assertDocumented(data.addData, await send(data.addData, '/data/batch/addData', undefined, rawAdd(text)), text);
    const stored = await send(data.addData, '/data/batch/addData', add({ json: text, scopeType: 1 }));
    assertDocumented(data.addData, stored, text);
    const query = `{"from":{"phyName":"Corpus","alias":"t"},"where":{"expression":{"source":"#t.text = ?","params":[${text}]}}}`;
    assertDocumented(
      data.expressionQuery,
      await send(data.expressionQuery, '/data/query/Corpus', undefined, query),
      text,
    );
  });
});

test('a value is returned as it was sent, or is refused', async () => {
  await each(naughtyStrings, async (text, index) => {
    const objectId = `value-${index}`;
    const answer = await send(data.addData, '/data/batch/addData', add({ objectId, text, scopeType: 1 }));
    assertDocumented(data.addData, answer, text);
    assert.equal(answer.status, 200, text);
    assert.equal((await getRecord(world, 'alice', 'Corpus', objectId)).text, text);
    const found = await send(data.count, '/data/query/Corpus/count', {
      from,
      where: { expression: { source: '#t.text = ? AND #t.objectId = ?', params: [text, objectId] } },
    });
    assert.equal(valueAt(found.json, 'count'), 1, `${JSON.stringify(text)}: ${found.text}`);
  });
});

test('any text in names, ids, expressions and paths causes no fault', async () => {
  await each(naughtyStrings, async (text) => {
    const item = { objectId: text, text: 'x', scopeType: 1, transactionId: text };
    const bodies: readonly (readonly [Operation, string, object])[] = [
      [data.addData, '/data/batch/addData', add({ ...item, transactionId: undefined })],
      [data.addData, '/data/batch/addData', add({ [text]: 'x' })],
      [data.addData, '/data/batch/addData', { ...add({ text: 'x', scopeType: 1 }), transactionId: text }],
      [data.addData, '/data/batch/addData', { objectName: text, data: [{}] }],
      [data.updateData, '/data/batch/updateData', add({ objectId: text, serverUpdateTime: text })],
      [
        data.deleteData,
        '/data/batch/deleteData',
        { objectName: 'Corpus', objectIds: [{ objectId: text, serverUpdateTime: text }] },
      ],
      [data.expressionQuery, '/data/query/Corpus', { from: { phyName: 'Corpus', alias: text } }],
      [data.expressionQuery, '/data/query/Corpus', { from, where: { expression: { source: text } } }],
      [
        data.expressionQuery,
        '/data/query/Corpus',
        { from, where: { expression: { source: '#t.text LIKE ?', params: [text] } } },
      ],
      [data.expressionQuery, '/data/query/Corpus', { from, orderBy: [{ column: text, type: text }] }],
      [data.expressionQuery, '/data/query/Corpus', { from, range: { offset: text, limit: text } }],
      [data.query, '/data/query', { objectNames: text, returnedObjectNames: [text], recordId: text }],
      [
        data.query,
        '/data/query',
        { objectNames: 'Corpus', returnedObjectNames: 'Corpus', recordId: text, maxRecord: text },
      ],
    ];
    for (const [operation, path, body] of bodies) assertDocumented(operation, await send(operation, path, body), text);
    const segment = encodeURIComponent(text);
    if (text === '' || text === '..' || text === '.') return;
    assertDocumented(data.getRecord, await send(data.getRecord, `/data/Corpus/${segment}`), text);
    assertDocumented(data.getRecord, await send(data.getRecord, `/data/${segment}/x`), text);
    assertDocumented(data.getRecord, await send(data.getRecord, `/data/Corpus/x?token=${segment}`), text);
  });
});

test('any text in sign-in, groups, logs and headers causes no fault', async () => {
  const named = (name: string) => operationsOf('client').find((operation) => operation.name === name) as Operation;
  await each(naughtyStrings, async (text) => {
    const query = encodeURIComponent(text);
    const visits: readonly (readonly [string, string, object?])[] = [
      ['anonymousToken', `/anonymousTokens?appKey=${app.appKey}&deviceUDID=${query}`],
      ['anonymousToken', `/anonymousTokens?appKey=${query}&deviceUDID=d`],
      ['authenticate', `/auth/oidc/idp/Authenticate?authToken=${query}&clientId=${query}`],
      ['listGroups', `/groups?offset=${query}&limit=${query}`],
      ['sendLog', '/logs', { logLevel: 'ERROR', message: text }],
      ['sendLog', '/logs', { logLevel: text }],
      ['defineTables', '/schemas', { tables: [{ name: text, columns: [{ colName: text, type: text }] }] }],
      ['registerDevice', '/devices', { deviceToken: text, deviceUDID: text, deviceName: text, osType: text }],
    ];
    for (const [name, path, body] of visits) assertDocumented(named(name), await send(named(name), path, body), text);
    // What a header can't carry never arrives.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return;
    const answer = await world.call('GET', `${world.prefix}/roles`, {
      token: world.token('alice'),
      headers: { prefer: text, accept: text, 'content-type': text, origin: text, 'accept-language': text },
    });
    assertDocumented(named('listRoles'), answer, text);
    const unknown = await world.call('GET', `${world.prefix}/roles`, { headers: { 'service-token': text } });
    assert.equal(unknown.status, 401, text);
  });
});

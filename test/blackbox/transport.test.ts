/** Checks before any feature: routes, tokens, bodies, encodings, foreign tenants (docs/reference/requests.md). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, runCases, statusOfCode } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { filled } from '../harness/names.ts';
import { addRecords, countOf, defineTables, getRecord } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';
import { describedFaultCases } from './faults.cases.ts';
import { itemTable } from './tables.ts';
import { bodyCases, routeCases, tokenCases, unsettledCases, userOperations, wrongTokens } from './transport.cases.ts';

let world: World;
before(async () => {
  world = await startWorld();
  await defineTables(world, 'alice', [itemTable]);
  await defineTables(world, 'dave', [itemTable, { ...itemTable, name: 'DaveOnly' }]);
  await addRecords(world, 'alice', 'Item', [{ objectId: 'i1', name: 'apple', scopeType: '3' }]);
  await addRecords(world, 'dave', 'Item', [{ objectId: 'dave1', name: 'canary-of-dave', scopeType: '3' }]);
  world.secrets.push({ text: 'canary-of-dave', what: 'a record of company 2', known: ['dave'] });
  const issued = await world.call('GET', `${world.prefix}/anonymousTokens?appKey=${app.appKey}&deviceUDID=transport`);
  const anonymous = String(valueAt(issued.json, 'results'));
  world.names.set('anonymous', anonymous);
  world.secrets.push({ text: anonymous, what: 'an anonymous token', known: [] });
});
after(() => world.close());

describe('routes', () => runCases(() => world, routeCases));
describe('the contents of errors', () => runCases(() => world, describedFaultCases));
describe('tokens', () => runCases(() => world, tokenCases));
describe('bodies', () => {
  runCases(() => world, bodyCases);

  test('no key of a body changed a prototype', () => {
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('nothing of a refused body was written', async () => {
    const source = "#t.objectId IN ('e1', 'n1', 'plain', 'deep33')";
    assert.equal(
      await countOf(world, 'alice', {
        from: { phyName: 'Item', alias: 't' },
        where: { expression: { source, params: [] } },
      }),
      0,
    );
    assert.equal((await getRecord(world, 'alice', 'Item', 'e2')).name, '😀');
  });

  test('the service still answers after all of them', async () => {
    assert.equal((await getRecord(world, 'alice', 'Item', 'i1')).name, 'apple');
  });
});

describe('a caller is authenticated before any other check', () => runCases(() => world, unsettledCases));

describe('an invalid token answers 121, always with the same bytes', () => {
  for (const { name, method, path, body } of userOperations) {
    test(name, async () => {
      const answers = new Set<string>();
      for (const { name: kind, token } of wrongTokens) {
        const answer = await world.call(method, `${world.prefix}/${path}`, {
          token: token === undefined ? undefined : filled(token, world.names),
          ...(body === undefined ? {} : { body }),
        });
        assertEnvelope(answer, 121);
        assert.equal(answer.status, statusOfCode[121], kind);
        if (token !== undefined) answers.add(answer.text);
      }
      assert.equal(answers.size, 1, [...answers].join('\n'));
    });
  }
});

describe('another company, application or version reveals nothing, not even that it exists', () => {
  const elsewhere = [
    `/api/2/${app.appId}/1_0_0`,
    `/api/3/${app.appId}/1_0_0`,
    '/api/1/nobody/1_0_0',
    `/api/1/${app.appId}/9_9_9`,
    `/api/0/${app.appId}/1_0_0`,
    `/api/-1/${app.appId}/1_0_0`,
    `/api/x/${app.appId}/1_0_0`,
    `/api/99999999999999999999/${app.appId}/1_0_0`,
    `/api/1.0/${app.appId}/1_0_0`,
    `/api/01/${app.appId}/1_0_0`,
    `/api/1e0/${app.appId}/1_0_0`,
    `/api/1/${app.appId.toUpperCase()}x/1_0_0`,
    `/api/1/${app.appId}/1_0_0%00`,
  ];
  for (const { name, method, path, body } of userOperations) {
    test(`${name}: a valid token elsewhere`, async () => {
      const answers = new Map<string, string>();
      for (const prefix of elsewhere) {
        const answer = await world.call(method, `${prefix}/${path}`, {
          token: world.token('alice'),
          ...(body === undefined ? {} : { body }),
        });
        assertEnvelope(answer, 121);
        assert.equal(answer.status, statusOfCode[121], prefix);
        answers.set(answer.text, prefix);
      }
      assert.equal(answers.size, 1, JSON.stringify([...answers]));
    });
  }

  test('an anonymous token is refused in the same words for an unknown application and a wrong key', async () => {
    const answers = new Set<string>();
    for (const [prefix, key] of [
      [world.prefix, 'wrong'],
      [world.foreignPrefix, 'wrong'],
      ['/api/1/nobody/1_0_0', app.appKey],
      ['/api/77/nobody/1_0_0', app.appKey],
      [`/api/1/${app.appId}/9_9_9`, app.appKey],
      ['/api/x/y/z', app.appKey],
      [`/api/1/${app.appId}%00/1_0_0`, app.appKey],
      [`/api/1/${app.appId}/1_0_0%00`, app.appKey],
    ]) {
      const answer = await world.call('GET', `${prefix}/anonymousTokens?appKey=${key}&deviceUDID=d`);
      assertEnvelope(answer, 101);
      assert.equal(answer.status, statusOfCode[101]);
      answers.add(answer.text);
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
  });

  test('records and tables of company 2 do not exist for company 1', async () => {
    const get = (path: string) => world.call('GET', `${world.prefix}/data/${path}`, { token: world.token('alice') });
    const plain = (text: string) => text.replaceAll(/dave1|nobody|DaveOnly|NobodyOnly/g, '…');
    const [foreign, unknown] = [await get('Item/dave1'), await get('Item/nobody')];
    assertEnvelope(foreign, 130);
    assert.equal(plain(foreign.text), plain(unknown.text));
    const [foreignTable, unknownTable] = [await get('DaveOnly/x'), await get('NobodyOnly/x')];
    assertEnvelope(foreignTable, 102);
    assert.equal(plain(foreignTable.text), plain(unknownTable.text));
  });

  test('both forms of the version name the same one', async () => {
    for (const version of ['1_0_0', '1.0.0']) {
      const answer = await world.call('GET', `/api/1/${app.appId}/${version}/data/Item/i1`, {
        token: world.token('alice'),
      });
      assert.equal(answer.status, 200);
    }
  });
});

describe('the description of an application version', () => {
  const described = (who: Who) => world.call('GET', `${world.prefixOf(who)}/openapi.json`, { token: world.token(who) });

  test('names its tables to those who may see them', async () => {
    const answer = await described('alice');
    assert.equal(answer.status, 200);
    const schemas = valueAt(answer.json, 'components.schemas') as Record<string, object>;
    assert.ok('name' in (valueAt(schemas['Item.add'], 'properties') as object));
    assert.ok('Item.record' in schemas && !('DaveOnly.record' in schemas));
    assert.match(String(valueAt(answer.json, 'servers.0.url')), /\/api\/1\/\w+\/1_0_0$/);
    assert.ok(Object.keys(valueAt(answer.json, 'paths') as object).includes('/data/query/{objectName}'));
    assert.match((await described('dave')).text, /DaveOnly/);
  });

  test('is nobody else’s', async () => {
    for (const who of ['bob', 'carol'] as const) {
      const answer = await described(who);
      assertEnvelope(answer, 122);
      assert.ok(!answer.text.includes('Item'));
    }
    assertEnvelope(await world.call('GET', `${world.prefix}/openapi.json`), 121);
    assert.ok(!(await world.call('GET', '/openapi.json')).text.includes('DaveOnly'));
  });
});

describe('unknown requests', () => {
  test('a method that a path does not support answers 405 with the supported ones', async () => {
    for (const [method, path, allow] of [
      ['PUT', `${world.prefix}/data/batch/addData`, 'POST'],
      ['DELETE', `${world.prefix}/data/Item/i1/`, 'GET, HEAD'],
      ['POST', `${world.prefix}/roles?x=1`, 'GET, HEAD'],
      ['PATCH', '/admin/api/companies/1', 'GET, HEAD, PUT'],
      ['POST', '/livez', 'GET, HEAD'],
      ['QUERY', `${world.prefix}/roles`, 'GET, HEAD'],
    ] as const) {
      const answer = await world.call(method, path);
      assertEnvelope(answer, 199);
      assert.deepEqual([answer.status, answer.headers.allow], [405, allow], `${method} ${path}`);
    }
    const headers = { 'content-type': 'nonsense' };
    const other = await world.call('PUT', `${world.prefix}/roles`, { raw: '{', headers });
    assert.deepEqual([other.status, other.headers.allow], [405, 'GET, HEAD']);
    assert.equal((await world.call('GET', '/nothing')).headers.allow, undefined);
  });

  test('each interface points to its own description', async () => {
    const described = async (path: string) => String(valueAt((await world.call('GET', path)).json, 'description'));
    assert.match(await described('/admin/api/nothing'), / \/admin\/api\/openapi\.json/);
    assert.match(await described(`${world.prefix}/nothing`), / \/openapi\.json/);
  });

  test('a browser gets a page, a program gets JSON whatever it accepts', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const navigation = { ...browser, 'sec-fetch-mode': 'navigate' };
    for (const [path, headers] of [
      ['/nothing/here', browser],
      [`${world.prefix}/nothing`, navigation],
    ] as const) {
      const answer = await world.call('GET', path, { headers });
      assert.equal(answer.status, 404);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.match(String(answer.headers['content-security-policy']), /default-src 'self'; frame-ancestors 'none'/);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.match(answer.text, /href="\/page\.css"/);
    }
    for (const [method, path] of [
      ['GET', `${world.prefix}/nothing`],
      ['GET', '/admin/api/nothing'],
      ['POST', '/nothing'],
    ] as const) {
      assertEnvelope(await world.call(method, path, { headers: browser }), 199);
    }
  });
});

describe('other methods', () => {
  test('HEAD and OPTIONS are not faults and have no body', async () => {
    for (const method of ['HEAD', 'OPTIONS']) {
      for (const path of [`${world.prefix}/roles`, `${world.prefix}/data/Item/i1`, '/nothing']) {
        const answer = await world.call(method, path);
        assert.ok(answer.status < 500, `${method} ${path} answers ${answer.status}`);
        assert.ok(!answer.text.includes('apple'));
        if (method === 'HEAD') assert.equal(answer.text, '');
      }
    }
  });

  test('HEAD with a token reads nothing without one', async () => {
    const without = await world.call('HEAD', `${world.prefix}/data/Item/i1`);
    assert.notEqual(without.status, 200);
  });

  test('answers must not be cached by intermediaries', async () => {
    const answer = await world.call('GET', `${world.prefix}/data/Item/i1`, { token: world.token('alice') });
    assert.match(String(answer.headers['cache-control']), /no-store/);
  });

  test('a path of 10 000 characters, and a header of 20 000, cause no fault', async () => {
    const long = await world.call('GET', `${world.prefix}/data/Item/${'x'.repeat(10_000)}`, {
      token: world.token('alice'),
    });
    assert.ok(long.status >= 400 && long.status < 500, String(long.status));
    const wide = await world.call('GET', `${world.prefix}/roles`, { token: 'a'.repeat(20_000) });
    assert.ok(wide.status >= 400 && wide.status < 500, String(wide.status));
  });
});

describe('sockets', () => {
  /** Sends raw bytes and collects the answer until the other side closes. */
  async function exchange(bytes: readonly (string | Buffer)[], hangUp: boolean): Promise<string> {
    const { hostname, port } = new URL(world.server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    for (const part of bytes) socket.write(part);
    if (hangUp) socket.destroy();
    await once(socket, 'close');
    return text;
  }
  const head = (...lines: readonly string[]) =>
    [
      `POST ${world.prefix}/data/batch/addData HTTP/1.1`,
      'host: x',
      'content-type: application/json',
      'connection: close',
      `service-token: ${world.token('alice')}`,
      ...lines,
      '',
      '',
    ].join('\r\n');
  const body = (objectId: string) => JSON.stringify({ objectName: 'Item', data: [{ objectId }] });
  const present = (objectId: string) =>
    countOf(world, 'alice', {
      from: { phyName: 'Item', alias: 't' },
      where: { expression: { source: '#t.objectId = ?', params: [objectId] } },
    });

  test('a chunked body is accepted', async () => {
    const text = body('chunked');
    const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
    const answer = await exchange(
      [head('transfer-encoding: chunked'), chunk(text.slice(0, 10)), chunk(text.slice(10)), '0\r\n\r\n'],
      false,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.equal(await present('chunked'), 1);
  });

  test('chunks past 8 MiB are refused like any body that is too large', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    const chunk = `${mebibyte.length.toString(16)}\r\n${mebibyte}\r\n`;
    const answer = await exchange(
      [head('transfer-encoding: chunked'), ...Array.from({ length: 9 }, () => chunk), '0\r\n\r\n'],
      false,
    );
    assert.match(answer, /^HTTP\/1\.1 400 .*"errCode":131/s);
  });

  test('a client that disconnects in the middle of its body writes nothing', async () => {
    const text = body('half');
    await exchange([head(`content-length: ${text.length}`), text.slice(0, 20)], true);
    await exchange([head(`content-length: ${text.length + 5}`), text], true);
    assert.equal(await present('half'), 0);
  });

  test('bytes that are not HTTP are answered in HTTP, or not at all', async () => {
    for (const bytes of ['\r\n\r\nnonsense\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', Buffer.from([0, 1, 2, 255])]) {
      const answer = await exchange([bytes], false);
      assert.ok(answer === '' || /^HTTP\/1\.1 4\d\d /.test(answer), answer.slice(0, 100));
    }
    assert.equal(await present('i1'), 1);
  });
});

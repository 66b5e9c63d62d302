/**
 * What the clients of a proof record about answers that settle nothing, tested with a server that gives only one of
 * them.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { judge, type Violation } from '../../lab/prove/history.ts';
import { Attempts, Family, type Mix, newTally } from '../../lab/prove/workload.ts';

const time = '2026-11-21T00:00:00.000+00:00';
const mix: Mix = {
  add: 1,
  update: 0,
  remove: 0,
  itemsMax: 1,
  parted: 0,
  replay: 0,
  rival: 0,
  repeat: 0,
  foreign: 0,
  fault: null,
  timeoutMs: 5_000,
  shared: false,
};

interface Unsettling {
  readonly status: number;
  readonly errCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Adds one record on a server that first gives this answer, and then executes the batch. */
async function judgedAfter(context: TestContext, { status, errCode, headers }: Unsettling): Promise<Violation[]> {
  const written = { objectId: 'f-0', serverCreateTime: time, serverUpdateTime: time };
  let writes = 0;
  const server = createServer((request, response) => {
    const say = (body: object, code = 200, more = {}) => {
      const text = JSON.stringify(body);
      response.writeHead(code, { ...more, 'content-length': Buffer.byteLength(text) }).end(text);
    };
    request.resume().on('end', () => {
      if (request.url?.includes('/query/')) say({ e: [{ ...written, mark: 'f-made0', count: '0' }] });
      else if (writes++ === 0) say({ errCode, description: 'not now' }, status, headers);
      else say({ errCode: 0, results: [written] });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const space = { spaceId: 1, prefix: '', token: 'token' };
  const attempts = new Attempts();
  const family = new Family({ ports: [port], space, name: 'f', mix, tally: newTally(), attempts, observe: () => {} });
  await family.addRecords(1);
  const history = await family.history();
  family.close();
  assert.equal(writes, 2, 'the batch was sent again');
  return judge(history);
}

test('a fault of the service is a violation, although the batch is executed when sent again', async (context) => {
  for (const errCode of [210, 220]) {
    const [violation, ...more] = await judgedAfter(context, { status: 500, errCode, headers: {} });
    assert.equal(violation?.rule, 'every request is settled');
    assert.match(violation?.message ?? '', /^f-made0: a fault was answered: .*not now/);
    assert.deepEqual(more, []);
  }
});

test('a service that refuses as busy violates nothing', async (context) => {
  const headers = { 'retry-after': '1' };
  assert.deepEqual(await judgedAfter(context, { status: 503, errCode: 210, headers }), []);
});

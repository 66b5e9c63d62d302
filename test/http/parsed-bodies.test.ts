/** The total weight of parsed bodies is bounded until their requests are answered (setting parsedBodiesBytesMax). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Fastify from 'fastify';
import { defaults } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { boundBodies } from '../../src/http/bodies-under-way.ts';
import { parseLargeBody } from '../../src/http/large-body.ts';
import { type BodyParser, takingWhole } from '../../src/http/read-body.ts';
import { openClient } from '../harness/client.ts';

/** Weighs about 0.7 MiB, with 20 KiB. */
const heavy = `{"data":[${'{},'.repeat(5_000)}1]}${' '.repeat(5 * 1024)}`;
const mib = 1024 * 1024;

let answerAll = () => {};
let waiting = 0;
let client: ReturnType<typeof openClient>;
const app = Fastify({ trustProxy: true });

before(async () => {
  boundBodies(app, { bodiesBytesMax: 256 * mib, parsedBodiesBytesMax: 2 * mib, residentBytesMax: mib * mib });
  app.removeAllContentTypeParsers();
  const parse: BodyParser = ({ weighBody }, bytes) => {
    assert.ok(weighBody);
    return parseLargeBody(bytes, defaults, weighBody);
  };
  app.addContentTypeParser('application/json', takingWhole(parse));
  app.setErrorHandler((error, _request, reply) => {
    const isBusy = error instanceof ServiceError && error.reason === 'busy';
    reply.code(isBusy ? 503 : 500).send((error as Error).message);
  });
  app.post('/', async () => {
    waiting++;
    await new Promise<void>((answer) => {
      const before = answerAll;
      answerAll = () => {
        before();
        answer();
      };
    });
    return 'done';
  });
  client = openClient(await app.listen({ host: '127.0.0.1', port: 0 }));
});
after(async () => {
  client.close();
  await app.close();
});

const send = (address: string) => client.call('POST', '/', { raw: heavy, headers: { 'x-forwarded-for': address } });

async function underWay(count: number): Promise<void> {
  while (waiting < count) await new Promise(setImmediate);
}

test('bodies being processed take at most half of the bound for one network, and all of it together', async () => {
  const first = send('192.0.2.1');
  await underWay(1);
  const second = await send('192.0.2.1');
  assert.equal(second.status, 503);
  assert.match(second.text, /being processed.*parsedBodiesBytesMax/);
  const others = [send('192.0.2.2')];
  await underWay(2);
  assert.equal((await send('192.0.2.3')).status, 503, 'of another network, which has room, beside all others');
  answerAll();
  for (const answer of await Promise.all([first, ...others])) assert.equal(answer.status, 200);

  waiting = 0;
  const again = send('192.0.2.1');
  await underWay(1);
  answerAll();
  assert.equal((await again).status, 200, 'what was answered weighs no more');
});

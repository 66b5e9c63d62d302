/** Log messages of the client against a service: sent in portions, by the wanted level, and kept until sent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../packages/client/src/log.ts';
import { tokenSession } from '../../packages/client/src/session.ts';
import { createTransport } from '../../packages/client/src/transport.ts';
import { later } from './later.ts';
import { passTime, type Service, setLogLevel, start, stop } from './service.ts';

let service: Service<'alice'>;
before(async () => {
  service = await start({ people: ['alice'] });
});
after(() => stop(service));

/** A log of a client whose clock the test sets, and what it sends. */
function logOf() {
  const sent: { logLevel: string; message: string }[] = [];
  const clock = { ms: 0, isOffline: false, meanwhile: () => {} };
  const transport = createTransport(
    {
      ...service.place,
      async fetch(input, init) {
        if (clock.isOffline) throw new TypeError('fetch failed');
        const response = await fetch(input, init);
        if (init?.method === 'POST' && response.ok) {
          sent.push(JSON.parse(String(init.body)));
          clock.meanwhile();
        }
        return response;
      },
    },
    () => tokenSession(service.people.alice.token),
  );
  return { log: createLog(transport, () => clock.ms), sent, clock };
}

test('messages of one level are sent together, and failed ones are sent later', async () => {
  const { log, sent, clock } = logOf();
  log('MONITOR', 'before');
  await log.flush();
  assert.equal(sent.splice(0).length, 1);
  clock.isOffline = true;
  log('MONITOR', 'first');
  await log.flush();
  log('ERROR', 'broken');
  log('MONITOR', 'second');
  assert.deepEqual(sent, []);
  clock.isOffline = false;
  await log.flush();
  const at = '1970-01-01T00:00:00.000Z';
  assert.deepEqual(sent, [
    { logLevel: 'ERROR', message: `${at} broken` },
    { logLevel: 'MONITOR', message: `${at} first\n${at} second` },
  ]);
  await log.flush();
  assert.equal(sent.length, 2);
});

test('messages that arrive while a portion is under way are sent by their own timer', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { log, sent, clock } = logOf();
  const second = later();
  log('ERROR', 'first');
  clock.meanwhile = () => {
    log('ERROR', 'second');
    mock.timers.tick(2_000);
    clock.meanwhile = second.resolve;
  };
  await log.flush();
  await second.promise;
  assert.deepEqual(
    sent.map(({ message }) => message.split(' ')[1]),
    ['first', 'second'],
  );
});

test('long messages take several portions, and with too many the oldest are dropped', async () => {
  const { log, sent } = logOf();
  for (let number = 0; number < 510; number++) log('ERROR', `${number} ${'語'.repeat(100)}`);
  await log.flush();
  const text = sent.map(({ message }) => message).join('\n');
  assert.ok(sent.length > 1 && sent.every(({ message }) => new TextEncoder().encode(message).length <= 65_536));
  assert.match(text, /^Older messages were left out\.\n/);
  assert.deepEqual([text.includes('Z 10 '), text.includes('Z 11 '), text.includes('Z 509 ')], [false, true, true]);
});

test('only errors are sent if the service wants only errors', async () => {
  const { log, sent, clock } = logOf();
  await setLogLevel(service, 'ERROR');
  await passTime(service, 60_000);
  log('MONITOR', 'not wanted');
  log('ERROR', 'wanted');
  await log.flush();
  assert.deepEqual(
    sent.map(({ message }) => message.split(' ')[1]),
    ['wanted'],
  );
  await setLogLevel(service, 'MONITOR');
  clock.ms += 300_000;
  log('MONITOR', 'wanted now');
  await log.flush();
  assert.equal(sent.length, 2);
});

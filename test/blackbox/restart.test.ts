/** Acknowledged data survive a restart, even after the process was killed while working. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';
import { assertEnvelope } from '../harness/cases.ts';
import { type Answer, type Client, openClient } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, getRecord } from '../harness/requests.ts';
import { appPath, startWorld } from '../harness/world.ts';
import { kindTable } from './tables.ts';

let scratch: Scratch;
before(async () => {
  scratch = await makeScratch();
});
after(() => scratch.remove());

const prefix = `/api/1/${appPath}`;
const addTo = (client: Client, token: string, transactionId: string, data: readonly object[]): Promise<Answer> =>
  client.call('POST', `${prefix}/data/batch/addData`, { token, body: { transactionId, objectName: 'Kind', data } });

test('records, tables, sessions, transaction ids and accounts outlive an orderly restart', async () => {
  const first = await startWorld({ scratch, people: ['alice'] });
  const token = first.token('alice');
  await defineTables(first, 'alice', [kindTable]);
  await addRecords(first, 'alice', 'Kind', [{ objectId: 'k1', label: 'kept' }]);
  const record = await getRecord(first, 'alice', 'Kind', 'k1');
  assertEnvelope(
    await first.call('POST', `${prefix}/data/batch/addData`, {
      token,
      body: { transactionId: 'once', objectName: 'Kind', data: [{ objectId: 'k2' }] },
    }),
    0,
  );
  await first.close();

  const second = await startWorld({ scratch, people: [] });
  try {
    const got = await second.call('GET', `${prefix}/data/Kind/k1`, { token });
    assert.deepEqual(valueAt(got.json, 'Kind.0'), record);
    const again = await second.call('POST', `${prefix}/data/batch/addData`, {
      token,
      body: { transactionId: 'once', objectName: 'Kind', data: [{ objectId: 'k2' }] },
    });
    assertEnvelope(again, 211);
    assert.equal(valueAt(again.json, 'results.0.objectId'), 'k2');
  } finally {
    await second.close();
  }
});

async function startChild(): Promise<{ child: ChildProcess; url: string }> {
  const served = join(import.meta.dirname, '../harness/served.ts');
  const child = spawn(process.execPath, [served, JSON.stringify(scratch.settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  return { child, url: String(url) };
}

test('a killed process loses nothing that it answered, and leaves no partial batch', async () => {
  const { child, url } = await startChild();
  const client = openClient(url);
  const { userTokens: token } = await walkDemoSignIn({ url, companyId: 1, login: 'alice', deviceUDID: 'killed' });
  const batch = (index: number) =>
    [0, 1, 2].map((part) => ({ objectId: `b${index}-${part}`, label: 'killed', rank: String(index) }));
  const answered: number[] = [];
  const sent: number[] = [];
  let stop = false;
  const writer = async (lane: number): Promise<void> => {
    for (let round = 0; !stop; round++) {
      const index = lane * 100_000 + round;
      sent.push(index);
      const answer = await addTo(client, token, `kill-${index}`, batch(index)).catch(() => null);
      if (answer === null) return;
      assertEnvelope(answer, 0);
      answered.push(index);
      if (answered.length === 300) child.kill('SIGKILL');
    }
  };
  const exited = once(child, 'exit');
  await Promise.all(Array.from({ length: 16 }, (_, lane) => writer(lane)));
  stop = true;
  await exited;
  client.close();
  assert.ok(
    answered.length >= 300 && sent.length > answered.length,
    `${answered.length} of ${sent.length} were answered`,
  );

  const world = await startWorld({ scratch, people: ['alice'] });
  try {
    const found = async (index: number) =>
      countOf(world, 'alice', {
        from: { phyName: 'Kind', alias: 'k' },
        where: { expression: { source: "#k.label = 'killed' AND #k.rank = ?", params: [String(index)] } },
      });
    for (const index of answered) assert.equal(await found(index), 3, `batch ${index} was answered`);
    for (const index of sent.filter((each) => !answered.includes(each))) {
      const present = await found(index);
      assert.ok(present === 0 || present === 3, `batch ${index} has ${present} of 3 records`);
      // The client that lost the answer sends the same request again: in total it is processed once.
      const again = await world.call('POST', `${prefix}/data/batch/addData`, {
        token,
        body: { transactionId: `kill-${index}`, objectName: 'Kind', data: batch(index) },
      });
      assertEnvelope(again, present === 3 ? 211 : 0);
      assert.equal((valueAt(again.json, 'results') as unknown[]).length, 3);
      assert.equal(await found(index), 3);
    }
  } finally {
    await world.close();
  }
});

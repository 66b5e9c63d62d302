/** A batch that conflicts with something at every attempt: how long it is retried. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { withClient } from '../../../lab/machine/client.ts';
import { ServiceError } from '../../../src/errors.ts';
import { inStore } from '../../../src/storage/postgres/schemas.ts';
import { taskScratch } from '../scratch.ts';

const isBusy = (error: unknown) => error instanceof ServiceError && error.reason === 'busy';

test('writes whose conflict never passes are refused before their time limit, and so do not hold up others', async (t) => {
  const logged: { msg: string; writes?: number }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const { tasks, scratch } = await taskScratch(t, { log, settings: { writeTimeMs: 30_000 } });
  // The service does not know this index, so it takes a value in the way for one that has just gone.
  const index = inStore('CREATE UNIQUE INDEX unknown ON "~".task (title)', 1);
  await withClient(scratch.settings.storage, (client) => client.query(index));
  await tasks.add([{ title: 'taken' }]);
  // As many as run at once in one data space; the next one waits for them.
  const stuck = [1, 2, 3].map(() => assert.rejects(tasks.add([{ title: 'taken' }]), isBusy));
  assert.equal((await tasks.add([{ title: 'free' }])).kind, 'done');
  await Promise.all(stuck);
  const abandoned = logged.filter(({ writes }) => writes !== undefined).map(({ msg }) => msg);
  assert.deepEqual(abandoned, Array(3).fill('Writes were abandoned after 10 conflicts.'));
});

/** Log entries are read in parts that together are complete, for any page, filter and direction. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { exportLogEntries, type LogRequest, listLogEntries } from '../../src/logs/read.ts';
import { openStorage } from '../../src/storage/open.ts';
import { laidOutFor } from '../engines/scratch.ts';

const entries = 12_000;
const perWrite = 1_000;
/** Every third entry is of another application, and every fifth of another company. */
const placeOf = (number: number) => ({
  company_id: number % 5 === 0 ? 2 : 1,
  app_id: number % 3 === 0 ? 'other' : 'shop',
});
const levelOf = (number: number) => (number % 7 === 0 ? 'ERROR' : 'MONITOR');

test('pages and exports of more entries than one part holds', async (t) => {
  const scratch = await laidOutFor(t);
  const storage = await openStorage({ ...defaults, ...scratch.settings }, systemEnvironment, pino({ level: 'silent' }));
  scratch.closeFirst(() => storage.close());
  const db = storage.logs;
  for (let first = 1; first <= entries; first += perWrite) {
    const rows = Array.from({ length: perWrite }, (_, index) => first + index).map((number) => ({
      ...placeOf(number),
      time: number,
      version: '1.0',
      user_id: number % 10,
      device_udid: 'd',
      level: levelOf(number),
      message: `message ${number}`,
    }));
    await db.write([db.build.insertInto('entry').values(rows)]);
  }
  const own = Array.from({ length: entries }, (_, index) => index + 1).filter(
    (number) => placeOf(number).company_id === 1 && placeOf(number).app_id === 'shop',
  );
  const read = async (request: LogRequest) => {
    const page = await listLogEntries({ db, settings: { listLimitMax: 1_000 } }, 1, 'shop', request);
    return { times: page.results.map(({ time }) => time), count: page.count };
  };

  const newestFirst = own.toReversed();
  for (const [wanted, sort] of [
    [newestFirst, {}],
    [newestFirst, { sort: '-id' }],
    [own, { sort: 'id' }],
  ] as const) {
    for (const offset of [0, 4_990, 4_999, 5_000, own.length - 3, own.length, own.length + 10]) {
      const page = await read({ ...sort, offset, limit: 20 });
      assert.deepEqual(page, { times: wanted.slice(offset, offset + 20), count: own.length }, `from ${offset}`);
    }
  }
  const errors = newestFirst.filter((number) => levelOf(number) === 'ERROR');
  const filtered = await read({ filter: { level: 'ERROR' }, offset: 500, limit: 1_000 });
  assert.deepEqual(filtered, { times: errors.slice(500, 1_500), count: errors.length });
  const few = await read({ search: 'MESSAGE 1199', from: 11_000, until: 11_998 });
  const isFew = (number: number) => number >= 11_990 && number < 11_998;
  assert.deepEqual(few.times, newestFirst.filter(isFew));
  assert.deepEqual(await read({ search: 'nothing' }), { times: [], count: 0 });

  const exported: number[] = [];
  for await (const { time } of exportLogEntries(db, 1, 'shop', {})) exported.push(time);
  assert.deepEqual(exported, own);
  const some: number[] = [];
  for await (const { time } of exportLogEntries(db, 1, 'shop', { filter: { level: 'ERROR' } })) some.push(time);
  assert.deepEqual(some, errors.toReversed());
  for await (const _ of exportLogEntries(db, 3, 'shop', {})) assert.fail('Company 3 has no entries.');
});

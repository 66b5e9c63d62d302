/**
 * Every type over HTTP: the returned form, that it can be sent back, and refused values
 * (docs/reference/values.md#types).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, statusOfCode } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, getRecord, idsOf, select } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { valuesTable } from './tables.ts';
import { acceptedValues, refusedValues } from './values.cases.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice'] });
  await defineTables(world, 'alice', [valuesTable]);
});
after(() => world.close());

const post = (path: string, raw: string) =>
  world.call('POST', `${world.prefix}/${path}`, { token: world.token('alice'), raw });
const addRaw = (objectId: string, column: string, value: string) =>
  post(
    'data/batch/addData',
    `{"objectName":"Value","data":[{"objectId":"${objectId}","scopeType":"1","${column}":${value}}]}`,
  );

describe('values that are accepted', () => {
  for (const [index, { column, sent, answered }] of acceptedValues.entries()) {
    test(`${column}: ${sent} is answered as ${JSON.stringify(answered)}`, async () => {
      const objectId = `ok${index}`;
      assertEnvelope(await addRaw(objectId, column, sent), 0);
      const record = await getRecord(world, 'alice', 'Value', objectId);
      assert.strictEqual(record[column], answered);

      const back = `{"objectName":"Value","data":[{"objectId":"${objectId}","serverUpdateTime":"${record.serverUpdateTime}","${column}":${JSON.stringify(answered)}}]}`;
      assertEnvelope(await post('data/batch/updateData', back), 0);
      assert.strictEqual((await getRecord(world, 'alice', 'Value', objectId))[column], answered, 'sent back');

      if (column === 'j') return;
      const source = answered === null ? `#v.${column} IS NULL` : `#v.${column} = ?`;
      const found = await select(world, 'alice', {
        from: { phyName: 'Value', alias: 'v' },
        where: {
          expression: {
            source: `#v.objectId = ? AND ${source}`,
            params: [objectId, ...(answered === null ? [] : [answered])],
          },
        },
      });
      assert.deepEqual(idsOf(found, 'v'), [objectId], 'found by what was answered');
    });
  }
});

describe('values that are refused', () => {
  for (const { column, sent, has } of refusedValues) {
    test(`${column}: ${sent}`, async () => {
      const answer = await addRaw('refused', column, sent);
      assertEnvelope(answer, 131);
      assert.equal(answer.status, statusOfCode[131]);
      const description = String(valueAt(answer.json, 'description'));
      assert.match(description, new RegExp(`\\b${column}\\b`), `${description} names the column`);
      if (has !== undefined) assert.match(description, has);
      const read = await world.call('GET', `${world.prefix}/data/Value/refused`, { token: world.token('alice') });
      assertEnvelope(read, 130);
    });
  }

  test('an update refuses the same values, and changes nothing', async () => {
    const [made] = await addRecords(world, 'alice', 'Value', [{ objectId: 'steady', i: '5' }]);
    for (const { column, sent } of refusedValues) {
      const answer = await post(
        'data/batch/updateData',
        `{"objectName":"Value","data":[{"objectId":"steady","serverUpdateTime":"${made?.serverUpdateTime}","${column}":${sent}}]}`,
      );
      assertEnvelope(answer, 131);
    }
    assert.equal((await getRecord(world, 'alice', 'Value', 'steady')).serverUpdateTime, made?.serverUpdateTime);
  });
});

describe('every value on the wire is a string or null', () => {
  test('in a single GET and in both query forms', async () => {
    const record = await getRecord(world, 'alice', 'Value', 'steady');
    const expression = await select(world, 'alice', { from: { phyName: 'Value', alias: 'v' } });
    const older = await world.call('POST', `${world.prefix}/data/query`, {
      token: world.token('alice'),
      body: { objectNames: 'Value', returnedObjectNames: ['Value'] },
    });
    const records = [
      record,
      ...(expression.v ?? []),
      ...(valueAt(older.json, 'results.0.Value') as Record<string, unknown>[]),
    ];
    assert.ok(records.length > 100);
    for (const each of records) {
      assert.equal(Object.keys(each).length, 9 + valuesTable.columns.length);
      for (const [name, value] of Object.entries(each))
        assert.ok(value === null || typeof value === 'string', `${name}: ${value}`);
    }
  });
});

describe('the zone of the answers is a setting', () => {
  test('times are returned, and read without an offset, in the configured zone', async () => {
    const eastern = await startWorld({ people: ['alice'], settings: { zone: '+07:00' } });
    try {
      await defineTables(eastern, 'alice', [valuesTable]);
      await addRecords(eastern, 'alice', 'Value', [
        { objectId: 'z1', at: '2014-01-23T14:44:36.516+07:00' },
        { objectId: 'z2', at: '2014-01-23T07:44:36.516Z' },
        { objectId: 'z3', at: '2014-01-23 14:44:36.516' },
        { objectId: 'z4', at: '1390463076516' },
      ]);
      for (const id of ['z1', 'z2', 'z3', 'z4']) {
        const record = await getRecord(eastern, 'alice', 'Value', id);
        assert.equal(record.at, '2014-01-23T14:44:36.516+07:00', id);
        assert.match(String(record.serverUpdateTime), /\+07:00$/);
      }
    } finally {
      await eastern.close();
    }
  });
});

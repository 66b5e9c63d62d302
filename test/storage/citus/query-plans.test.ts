/** Query plans on a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../../src/config.ts';
import { deploymentOf } from '../../../src/storage/postgres/citus.ts';
import { openConnections } from '../../../src/storage/postgres/connections.ts';
import { spaceSchema } from '../../../src/storage/postgres/schemas.ts';
import { queryPlanner } from '../../../src/storage/postgres/select.ts';
import { taskScratch } from '../scratch.ts';

test('the coordinator keeps the plan of a query, whatever its values', async (t) => {
  const { tasks, scratch } = await taskScratch(t);
  await tasks.add([{ id: 'one' }, { id: 'two' }]);
  const options = {
    url: scratch.settings.storage,
    max: 1,
    statementTimeMs: 10_000,
    waitingMax: 10,
    settings: defaults,
  };
  const any = openConnections(options);
  const { queryPlanner: onCluster } = await deploymentOf(any);
  await any.close();
  const connections = openConnections({ ...options, parameters: { ...queryPlanner, ...onCluster } });
  const text = `SELECT "objectId" FROM ${spaceSchema(1)}."task" WHERE "objectId" = $1::text ORDER BY 1 LIMIT $2::bigint`;
  for (const id of ['one', 'two', 'none']) {
    const { rows } = await connections.query({ name: 'query', text, values: [id, '5'] });
    assert.deepEqual(rows, id === 'none' ? [] : [[id]]);
  }
  const { rows } = await connections.query({ text: 'SELECT generic_plans, custom_plans FROM pg_prepared_statements' });
  await connections.close();
  assert.deepEqual(rows, [['3', '0']]);
});

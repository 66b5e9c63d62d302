/**
 * Steps of the directory on older rows: marking roles that granted everything because they had no permissions, and
 * strict handling.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directorySteps, makeEmpty, migrate } from '../../../src/storage/postgres/migrations.ts';
import { databaseOf } from './database.ts';

test('a custom role without permissions still grants everything after the upgrade, marked; no version is strict', async (t) => {
  const { connect } = await databaseOf(t);
  const pool = connect();
  const run = (text: string) => pool.query({ text });
  await makeEmpty(pool, 'directory');
  for (const step of directorySteps.slice(0, 2)) for (const statement of step) await run(statement);
  await run('UPDATE rowhouse_directory._version SET layout = 2');
  await run("INSERT INTO rowhouse_directory.company (id, name, created) VALUES (1, 'Acme', 0)");
  await run("INSERT INTO rowhouse_directory.role (id, company_id, name) VALUES (100, 1, 'Without'), (101, 1, 'With')");
  await run("INSERT INTO rowhouse_directory.role_permission (role_id, app_id, table_name) VALUES (101, 'crm', '*')");
  await run(
    "INSERT INTO rowhouse_directory.application (company_id, app_id, name, app_key_hash, created) VALUES (1, 'crm', 'CRM', 'x', 0)",
  );
  await run("INSERT INTO rowhouse_directory.data_space (id, company_id, app_id, created) VALUES (1, 1, 'crm', 0)");
  await run(
    "INSERT INTO rowhouse_directory.app_version (company_id, app_id, version, space_id, created) VALUES (1, 'crm', '1.0.0', 1, 0)",
  );
  await migrate(pool, 'directory');
  await run("INSERT INTO rowhouse_directory.role (id, company_id, name) VALUES (102, 1, 'New')");
  const versions = await pool.query({ text: 'SELECT strict_handling FROM rowhouse_directory.app_version' });
  assert.deepEqual(
    versions.rows.map((row) => row.map(Number)),
    [[0]],
  );
  const { rows } = await pool.query({ text: 'SELECT id, unrestricted FROM rowhouse_directory.role ORDER BY id' });
  assert.deepEqual(
    rows.map((row) => row.map(Number)),
    [...[1, 2, 3, 4, 5, 6, 100].map((id) => [id, 1]), [101, 0], [102, 0]],
  );
});

/**
 * Steps of `directory.db` on older rows: marking roles that granted everything because they had no permissions, and
 * strict handling.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { directorySteps, migrate } from '../../../src/storage/sqlite/migrations.ts';

test('a custom role without permissions still grants everything after the upgrade, marked; no version is strict', (t) => {
  const db = new DatabaseSync(':memory:');
  t.after(() => db.close());
  migrate(db, directorySteps.slice(0, 2), true);
  db.exec(`INSERT INTO company (id, name, created) VALUES (1, 'Acme', 0);
    INSERT INTO role (id, company_id, name) VALUES (100, 1, 'Without'), (101, 1, 'With');
    INSERT INTO role_permission (role_id, app_id, table_name) VALUES (101, 'crm', '*');
    INSERT INTO application (company_id, app_id, name, app_key_hash, created) VALUES (1, 'crm', 'CRM', 'x', 0);
    INSERT INTO data_space (id, company_id, app_id, created) VALUES (1, 1, 'crm', 0);
    INSERT INTO app_version (company_id, app_id, version, space_id, created) VALUES (1, 'crm', '1.0.0', 1, 0)`);
  migrate(db, directorySteps, false);
  db.exec("INSERT INTO role (id, company_id, name) VALUES (102, 1, 'New')");
  assert.equal(db.prepare('SELECT strict_handling FROM app_version').get()?.strict_handling, 0);
  const rows = db.prepare('SELECT id, unrestricted FROM role ORDER BY id').all();
  assert.deepEqual(
    rows.map(({ id, unrestricted }) => [id, unrestricted]),
    [...[1, 2, 3, 4, 5, 6, 100].map((id) => [id, 1]), [101, 0], [102, 0]],
  );
});

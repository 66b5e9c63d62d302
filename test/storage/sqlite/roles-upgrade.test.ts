/** The step of `directory.db` that marks the roles which granted everything because they had no permissions. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate } from '../../../src/storage/sqlite/database.ts';
import { directorySteps } from '../../../src/storage/sqlite/migrations/directory.ts';

test('a custom role without permissions goes on granting everything after the upgrade, marked; others are not', (t) => {
  const db = new DatabaseSync(':memory:');
  t.after(() => db.close());
  migrate(db, directorySteps.slice(0, 2), true);
  db.exec(`INSERT INTO company (id, name, created) VALUES (1, 'Acme', 0);
    INSERT INTO role (id, company_id, name) VALUES (100, 1, 'Without'), (101, 1, 'With');
    INSERT INTO role_permission (role_id, app_id, table_name) VALUES (101, 'crm', '*')`);
  migrate(db, directorySteps, false);
  db.exec("INSERT INTO role (id, company_id, name) VALUES (102, 1, 'New')");
  const rows = db.prepare('SELECT id, unrestricted FROM role ORDER BY id').all();
  assert.deepEqual(
    rows.map(({ id, unrestricted }) => [id, unrestricted]),
    [...[1, 2, 3, 4, 5, 6, 100].map((id) => [id, 1]), [101, 0], [102, 0]],
  );
});

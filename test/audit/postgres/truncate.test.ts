/** PostgreSQL can also truncate a table, which the audit trail refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { auditInsert } from '../../../src/audit/trail.ts';
import { openWorld } from '../../auth/world.ts';

test('the audit trail cannot be truncated', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  const { db, clock, settings } = world;
  const entry = { action: 'group.create', target: 'group 1', companyId: 1, appId: null, outcome: 'done' } as const;
  await db.write([auditInsert(db, { ...entry, time: clock.ms, actor: { kind: 'operator' } })]);
  const { schema } = await withClient(settings.storage, async (client) => {
    const { rows } = await client.query<{ schema: string }>(
      "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'audit'",
    );
    return rows[0] as { schema: string };
  });
  await withClient(settings.storage, async (client) => {
    for (const statement of ['TRUNCATE', 'TRUNCATE TABLE', 'DELETE FROM']) {
      await assert.rejects(client.query(`${statement} "${schema}".audit`), /append-only/);
    }
    await client.query(`TRUNCATE "${schema}".company CASCADE`);
  });
  assert.equal((await db.read(db.build.selectFrom('audit').select('id'))).length, 1);
});

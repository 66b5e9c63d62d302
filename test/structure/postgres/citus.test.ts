/**
 * Prevents statements that Citus refuses (`docs/explanation/scaling.md`): runs behaviour tests on records, with the
 * statements for Citus, on plain PostgreSQL, which logs them. `refused-by-citus.ts` lists the refused forms.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { standInForCitus } from './citus-stand-in.ts';
import { runHere, startLogged } from './logged.ts';
import { formsOf, refusedForms } from './refused-by-citus.ts';

const server = await startLogged();
await standInForCitus(server.url);
await runHere([
  'blackbox/writes.test.ts',
  'blackbox/puts.test.ts',
  'storage/postgres/changes.test.ts',
  'blackbox/table-changes.test.ts',
]);

suite('each form is recognised', () => {
  for (const { name, example } of refusedForms) test(name, () => assert.deepEqual(formsOf(example), [name]));
});

test('no statement has a form that Citus refuses', async (t) => {
  const statements = new Set((await server.statements()).map(({ statement }) => statement));
  const refused = [...statements].flatMap((statement) => formsOf(statement).map((form) => `${form}: ${statement}`));
  assert.deepEqual(refused, []);
  const own = [...statements].filter((statement) => statement.includes('._run('));
  const read = [...statements].filter((statement) => statement.includes(') AS read WHERE (SELECT '));
  t.diagnostic(`${statements.size} statements, ${own.length} of them handed to a worker, ${read.length} read there`);
  assert.ok(own.length > 0 && read.length > 0);
});

/**
 * A requirement of distributed engines (`docs/explanation/scaling.md`): no statement or transaction touches two
 * schemas. PostgreSQL logs all SQL while behaviour tests run on it; they run only here, not again elsewhere.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsUnderLog } from '../../batches.ts';
import { runHere, startLogged } from './logged.ts';

const server = await startLogged();
await runHere(runsUnderLog);

const schemasIn = (sql: string) => new Set(sql.match(/\browhouse_(?:directory|logs|space_\d+)\b/g));

test('no statement and no transaction touches two schemas', async (t) => {
  const statements = await server.statements();
  const twofold = statements.filter(({ statement }) => schemasIn(statement).size > 1);
  assert.deepEqual([...new Set(twofold.map(({ statement }) => statement))], []);
  const transactions = Map.groupBy(statements, ({ transaction }) => transaction);
  const wide = [...transactions.values()]
    .map((own) => own.map(({ statement }) => statement))
    .filter((own) => schemasIn(own.join('\n')).size > 1);
  assert.deepEqual(wide, []);

  // Ensures that the log has reads, writes and more than one data space.
  const ofSpaces = statements.filter(({ statement }) => statement.includes('rowhouse_space_'));
  for (const word of ['SELECT', 'INSERT', 'UPDATE', 'DELETE']) {
    const count = ofSpaces.filter(({ statement }) => statement.includes(word)).length;
    t.diagnostic(`${count} statements on data spaces with ${word}`);
    assert.ok(count > 25, `${word}: ${count}`);
  }
  const spaces = new Set(ofSpaces.flatMap(({ statement }) => [...schemasIn(statement)]));
  assert.ok(spaces.size > 1);
  t.diagnostic(`${statements.length} statements in ${transactions.size} transactions, none on two schemas`);
});

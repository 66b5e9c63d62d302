/**
 * What a distributed engine needs (`docs/explanation/scaling.md`): no statement, and no transaction, touches two schemas.
 * PostgreSQL itself logs all SQL that it is sent while tests of behaviour run on it, here and not a second time elsewhere.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { startPostgres } from '../../../lab/machine/postgres.ts';
import { runsUnderLog } from '../../batches.ts';

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const log = join(folder, 'statements.log');
const server = await startPostgres({
  log,
  settings: { log_statement: 'all', log_line_prefix: '<%c %v>', log_parameter_max_length: '0' },
});
process.env.ROWHOUSE_TEST_ENGINE = 'postgres';
process.env.ROWHOUSE_TEST_POSTGRES = server.url;
for (const file of runsUnderLog) suite(file, async () => void (await import(`../../${file}`)));

interface Logged {
  /** Session and transaction. */
  readonly transaction: string;
  readonly statement: string;
}

/** Lines that begin without the prefix go on with the statement of the one before. */
function statementsOf(log: string): Logged[] {
  const found: { transaction: string; statement: string }[] = [];
  for (const line of log.split('\n')) {
    const entry = /^<([\da-f.]+ [\d/]*)>(\w+): {2}(.*)$/.exec(line);
    const [, transaction, level, text] = entry ?? [];
    if (transaction === undefined || text === undefined) {
      const last = found.at(-1);
      if (last !== undefined) last.statement += `\n${line}`;
      continue;
    }
    const statement = /^(?:statement|execute [^:]*): (.*)$/.exec(text)?.[1];
    found.push({ transaction, statement: level === 'LOG' && statement !== undefined ? statement : '' });
  }
  return found.filter(({ statement }) => statement !== '');
}

const schemasIn = (sql: string) => new Set(sql.match(/\browhouse_(?:directory|logs|space_\d+)\b/g));

test('no statement and no transaction touches two schemas', async (t) => {
  await server.stop();
  const statements = statementsOf(readFileSync(log, 'utf8'));
  const twofold = statements.filter(({ statement }) => schemasIn(statement).size > 1);
  assert.deepEqual([...new Set(twofold.map(({ statement }) => statement))], []);
  const transactions = Map.groupBy(statements, ({ transaction }) => transaction);
  const wide = [...transactions.values()]
    .map((own) => own.map(({ statement }) => statement))
    .filter((own) => schemasIn(own.join('\n')).size > 1);
  assert.deepEqual(wide, []);

  // That something was looked at: reads, writes and more than one data space.
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

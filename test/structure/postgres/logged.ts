/** A PostgreSQL that logs all SQL while behaviour tests run on it, and the logged statements. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite } from 'node:test';
import { startPostgres } from '../../../lab/machine/postgres.ts';

export interface Logged {
  /** Identifies session and transaction. */
  readonly transaction: string;
  readonly statement: string;
}

export interface LoggedServer {
  readonly url: string;
  /** Stops the server. */
  statements(): Promise<Logged[]>;
}

/** Makes this process use storage there. */
export async function startLogged(): Promise<LoggedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'statements.log');
  const settings = { log_statement: 'all', log_line_prefix: '<%c %v>', log_parameter_max_length: '0' };
  const server = await startPostgres({ log, settings });
  process.env.ROWHOUSE_TEST_ENGINE = 'postgres';
  process.env.ROWHOUSE_TEST_POSTGRES = server.url;
  // The layout is on the other server.
  delete process.env.ROWHOUSE_TEST_LAYOUT;
  return {
    url: server.url,
    async statements() {
      await server.stop();
      return statementsOf(readFileSync(log, 'utf8'));
    },
  };
}

/** Resolves when they are loaded. @param files paths below `test/` */
export async function runHere(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const loaded = Promise.withResolvers<void>();
    suite(file, () => import(`../../${file}`).finally(loaded.resolve));
    await loaded.promise;
  }
}

/** Lines without the prefix continue the statement of the previous line. */
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

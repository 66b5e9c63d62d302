/** The directory and the logs: Kysely builds the SQL, reads run on the main thread, writes in the maintenance thread. */
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Relational } from '../contract.ts';
import type { Counters } from '../counters.ts';
import { handsOutId } from '../identity.ts';
import { StatementCache } from '../lru.ts';
import { openAtStart } from './database.ts';
import { errorOf, failureOf } from './failure.ts';
import { identityAt, pathOf } from './folder.ts';
import { stepsOf } from './migrations.ts';
import type { Writers } from './writers.ts';

export interface OpenRelational<Tables> extends Relational<Tables> {
  close(): void;
}

const statementsMax = 256;

export interface RelationalParts {
  readonly installation: string;
  readonly writers: Writers;
  /** Of the directory. */
  readonly counters?: Pick<Counters, 'settled'>;
}

/** Creates the file if it is missing. @throws Error that names the file and says why it cannot be used */
export function openRelational<Tables>(
  folder: string,
  name: 'directory' | 'logs',
  pageCacheBytes: number,
  { installation, writers, counters }: RelationalParts,
): OpenRelational<Tables> {
  const path = pathOf(folder, name);
  const options = { create: true, use: 'read', pageCacheBytes, ...identityAt(installation, name) } as const;
  const db = openAtStart(path, stepsOf(name), options);
  const statements = new StatementCache<string, StatementSync>(statementsMax, (sql) => db.prepare(sql));
  return {
    build: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (kysely) => new SqliteIntrospector(kysely),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    async read<Row>(query: Parameters<Relational<Tables>['read']>[0]): Promise<Row[]> {
      const { sql, parameters } = query.compile();
      try {
        const statement = statements.get(sql) ?? statements.add(sql, sql);
        const rows = statement.all(...(parameters as SQLInputValue[]));
        // Rows of SQLite have no prototype, which would make them unequal to plain objects.
        return rows.map((row) => ({ ...row }) as Row);
      } catch (error) {
        throw errorOf(failureOf(error, `reading ${path}`));
      }
    },
    async write(statements) {
      const queries = statements.map((statement) => {
        const { sql, parameters } = statement.compile();
        const { expect } = statement;
        return expect === undefined ? { sql, parameters } : { sql, parameters, expect };
      });
      if (counters !== undefined && statements.some(handsOutId)) await counters.settled();
      return [...(await writers.write(name, { kind: 'sql', queries }))];
    },
    close: () => db.close(),
  };
}

/** The directory and the logs: Kysely builds the SQL, reads run on the main thread, writes in the office's thread. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Relational } from '../contract.ts';
import { Lru } from '../lru.ts';
import { openDatabase, stepsOf } from './database.ts';
import { errorOf, failureOf } from './failure.ts';
import { pathOf } from './folder.ts';
import type { Writers } from './writers.ts';

export interface OpenRelational<Tables> extends Relational<Tables> {
  close(): void;
}

const statementsMax = 256;

/** Makes the file when it is missing. @throws Error when it can't be opened */
export function openRelational<Tables>(
  folder: string,
  name: 'directory' | 'logs',
  pageCacheBytes: number,
  writers: Writers,
): OpenRelational<Tables> {
  const path = pathOf(folder, name);
  const open = () => openDatabase(path, stepsOf(name), { create: true, use: 'read', pageCacheBytes });
  const db = open();
  const statements = new Lru<string, StatementSync>(statementsMax);
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
        const rows = prepared(db, statements, sql).all(...(parameters as SQLInputValue[]));
        // Rows of SQLite have no prototype, which would make them unequal to plain objects.
        return rows.map((row) => ({ ...row }) as Row);
      } catch (error) {
        throw errorOf(failureOf(error, `reading ${path}`));
      }
    },
    async write(queries) {
      const compiled = queries.map((query) => {
        const { sql, parameters } = query.compile();
        return { sql, parameters };
      });
      return [...(await writers.write(name, { kind: 'sql', queries: compiled }))];
    },
    close: () => db.close(),
  };
}

function prepared(db: DatabaseSync, statements: Lru<string, StatementSync>, sql: string): StatementSync {
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = db.prepare(sql);
    statements.set(sql, statement);
  }
  return statement;
}

/** The directory and the logs: Kysely builds the SQL, and rows match its description on every engine. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Environment } from '../../environment.ts';
import {
  ForeignKeyViolation,
  type Relational,
  requireExpected,
  UniqueViolation,
  UnmetExpectation,
  type Written,
} from '../contract.ts';
import type { Counters } from '../counters.ts';
import { handsOutId } from '../identity.ts';
import { StatementCache } from '../lru.ts';
import type { Connection, Connections, Field, TextRow } from './connections.ts';
import { ConnectionLost, isForeignKey, isRetryable, isUnique, serviceError } from './failure.ts';
import { NamedStatement } from './named-statements.ts';

/** How many statements keep their name; others are prepared under a new one when used again. */
const statementsMax = 256;

/** How often a transaction is tried again because of conflicting ones. */
const attemptsMax = 30;

/**
 * PostgreSQL's type numbers of types other than text (https://www.postgresql.org/docs/current/catalog-pg-type.html).
 */
const oid = { bool: 16, int8: 20, int2: 21, int4: 23 } as const;

/** @param schema of the database; its name also appears in the log */
export function openRelational<Tables>(
  connections: Connections,
  schema: string,
  environment: Pick<Environment, 'random'>,
  counters?: Pick<Counters, 'settled'>,
): Relational<Tables> {
  const statements = new StatementCache<string, NamedStatement>(
    statementsMax,
    (sql) => new NamedStatement(sql, schema),
  );

  async function run(connection: Connection, query: { compile(): Compiled }): Promise<Written> {
    const { sql, parameters } = query.compile();
    const named = statements.get(sql) ?? statements.add(sql, sql);
    const isDescribed = named.fields === null;
    const { rows, fields, changed } = await connection.query({ ...named.with(parameters.map(textOf)), isDescribed });
    named.fields ??= fields;
    const columns = named.fields;
    return { rows: rows.map((row) => rowOf(columns, row)), changed };
  }

  return {
    build: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (kysely) => new PostgresIntrospector(kysely),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }).withSchema(schema),
    async read<Row>(query: Parameters<Relational<Tables>['read']>[0]): Promise<Row[]> {
      try {
        // A connection that ended unnoticed fails at its first statement; reading twice does no harm.
        const { rows } = await run(connections, query).catch((error: unknown) => {
          if (error instanceof ConnectionLost && error.mayHaveRun) return run(connections, query);
          throw error;
        });
        return rows as Row[];
      } catch (error) {
        throw errorOf(error, `reading ${schema}`);
      }
    },
    async write(statements) {
      if (counters !== undefined && statements.some(handsOutId)) await counters.settled();
      for (let attempt = 1; ; attempt++) {
        try {
          return await connections.transaction('serializable', async (connection) => {
            const written: Written[] = [];
            for (const statement of statements) {
              const one = await run(connection, statement);
              requireExpected(statement, one);
              written.push(one);
            }
            return written;
          });
        } catch (error) {
          const wasNotSent = error instanceof ConnectionLost && !error.mayHaveRun && attempt === 1;
          if (!wasNotSent && !(isRetryable(error) && attempt < attemptsMax)) {
            throw errorOf(error, `writing to ${schema}`);
          }
          await backOff(environment, attempt);
        }
      }
    },
  };
}

type Compiled = { readonly sql: string; readonly parameters: readonly unknown[] };

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function rowOf(fields: readonly Field[], row: TextRow): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name, type }, index) => [name, fieldValue(row[index] ?? null, type)]));
}

/** Numbers as numbers, flags as 0 and 1, everything else as its text. */
function fieldValue(text: string | null, type: number): unknown {
  if (text === null) return null;
  if (type === oid.int8 || type === oid.int4 || type === oid.int2) return Number(text);
  return type === oid.bool ? Number(text === 't') : text;
}

function errorOf(error: unknown, doing: string): Error {
  if (error instanceof UnmetExpectation) return error;
  if (isUnique(error)) return new UniqueViolation('A value is there already.', { cause: error });
  if (isForeignKey(error)) {
    return new ForeignKeyViolation('A referenced row does not exist.', { cause: error });
  }
  return serviceError(error, doing);
}

/** Waits an increasing, random time, so that transactions that conflicted do not conflict again. */
function backOff(environment: Pick<Environment, 'random'>, attempt: number): Promise<void> {
  const share = environment.random(1).readUInt8() / 256;
  return new Promise((resolve) => setTimeout(resolve, share * Math.min(2 ** attempt, 64)));
}

/** One connection to PostgreSQL: opened with the promises it has to keep, and running one statement after the other. */
import { Client } from 'pg';
import { ConnectionLost, isAway, isOfStatement, sqlState } from './failure.ts';
import { type RunResult, type Sql, StatementRun, StoppedByReader, type TextRow } from './statement-run.ts';

export interface SessionOptions {
  /** One address per server that the URL names, in its order (`addresses`). */
  readonly addresses: readonly string[];
  readonly connectTimeMs: number;
  readonly statementTimeMs: number;
  /** How long a statement waits for another transaction's locks. */
  readonly lockTimeMs: number;
  /** Further settings of the server for the connection, such as what its planner may choose from. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called when the connection ends while nothing runs on it. */
  readonly ended: (session: Session) => void;
}

/** The server ends a statement at its time limit; when it is silent so much longer, it is given up. */
const answerTimeMs = 5_000;

/** How long the server keeps a transaction whose owner sends nothing. */
const idleInTransactionMs = 10_000;

const keepAliveMs = 10_000;
const oldestVersion = 150_000;

export class Session {
  readonly #client: Client;
  readonly #timeMs: number;
  /** Text of the statements by the name under which the server was asked to keep them. */
  readonly #named = new Map<string, string>();
  #isBroken = false;

  constructor(client: Client, { statementTimeMs, ended }: SessionOptions) {
    this.#client = client;
    this.#timeMs = statementTimeMs + answerTimeMs;
    // The driver tells of an end once or twice, also beside a statement that fails with it.
    client.on('error', () => {
      this.#isBroken = true;
      ended(this);
    });
  }

  /** True when no other statement may be run on it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Named statements that the server keeps for it; it never forgets one. */
  get names(): number {
    return this.#named.size;
  }

  /**
   * @throws DatabaseError when the statement failed, and the connection is as good as before
   * @throws ConnectionLost, or what `onRow` threw: the connection is broken
   */
  run(sql: Sql, onRow?: (row: TextRow) => void): Promise<RunResult> {
    if (this.#isBroken) return Promise.reject(new ConnectionLost('The connection had ended.', false));
    this.#note(sql);
    return new Promise((resolve, reject) => {
      const end = (error: unknown, result: RunResult | null) => {
        clearTimeout(timer);
        if (result !== null) resolve(result);
        else reject(this.#judged(error));
      };
      const run = new StatementRun(sql, onRow, end);
      const timer = setTimeout(() => run.handleError(new Error('The server did not answer in time.')), this.#timeMs);
      this.#client.query(run);
    });
  }

  /** Ends the connection: in good order when nothing runs on it, else at once. */
  end(): void {
    this.#isBroken = true;
    this.#client.end().catch(() => {});
  }

  #note({ name, text }: Sql): void {
    if (name === undefined) return;
    const known = this.#named.get(name);
    if (known === undefined) this.#named.set(name, text);
    else if (known !== text) throw new Error(`Two statements have the name ${name}.`);
  }

  #judged(error: unknown): unknown {
    if (isOfStatement(error) && !isAway(error)) return error;
    this.#isBroken = true;
    if (error instanceof StoppedByReader) return error.thrown;
    // A server that takes no writes has said so; after any other end nobody knows.
    if (sqlState(error) !== null && (sqlState(error) === '25006' || !isAway(error))) return error;
    return new ConnectionLost('The connection ended under the statement.', true, error);
  }
}

/**
 * Opens a connection to the first of the servers that answers and takes writes.
 * @throws ConnectionLost when there is none, Error when the server can't keep what is promised
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const causes: unknown[] = [];
  for (const address of options.addresses) {
    try {
      return await openAt(address, options);
    } catch (error) {
      if (error instanceof BrokenPromise) throw error;
      causes.push(error);
    }
  }
  const told = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join('; ');
  throw new ConnectionLost(`No connection to the database: ${told}`, false, causes.at(-1));
}

/** The server is there, and is set in a way that would break what this service promises. */
class BrokenPromise extends Error {}

async function openAt(address: string, options: SessionOptions): Promise<Session> {
  const client = new Client({
    connectionString: address,
    application_name: 'rowhouse',
    connectionTimeoutMillis: options.connectTimeMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  const session = new Session(client, options);
  try {
    await client.connect();
    await prepare(session, options);
    return session;
  } catch (error) {
    session.end();
    throw error;
  }
}

/** Sets what every statement relies on, and asserts what only the server's administrator may set. */
async function prepare(session: Session, { statementTimeMs, lockTimeMs, parameters }: SessionOptions): Promise<void> {
  const set: Readonly<Record<string, string | number>> = {
    client_encoding: 'UTF8',
    timezone: 'UTC',
    datestyle: 'ISO',
    standard_conforming_strings: 'on',
    default_transaction_isolation: 'read committed',
    // Every name says its schema; nobody's table in another one can stand in for a function of PostgreSQL.
    search_path: 'pg_catalog',
    // Our statements are short, and compiling one takes longer than most of them run.
    jit: 'off',
    statement_timeout: statementTimeMs,
    lock_timeout: lockTimeMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    ...parameters,
  };
  const sets = Object.entries(set).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  const { rows } = await session.run({
    text: `SELECT current_setting('server_version_num'), current_setting('server_encoding'),
      current_setting('synchronous_commit'), pg_catalog.pg_is_in_recovery(), ${sets.join(', ')}`,
  });
  const [version, encoding, commit, isStandby] = rows[0] ?? [];
  if (Number(version) < oldestVersion) throw new BrokenPromise('PostgreSQL 15 or newer is required.');
  if (encoding !== 'UTF8') throw new BrokenPromise(`The database has the encoding ${encoding}; UTF8 is required.`);
  if (commit !== 'on' && commit !== 'remote_apply') {
    throw new BrokenPromise(`PostgreSQL has synchronous_commit = ${commit}; on or remote_apply is required.`);
  }
  if (isStandby === 't') throw new ConnectionLost('The server is a standby.', false);
}

/**
 * The servers of `postgres://user:password@host:port,host:port/database`, each as a URL of its own.
 * @throws Error that does not repeat the URL, which may hold a password
 */
export function addresses(url: string): string[] {
  const parts = /^postgres(?:ql)?:\/\/((?:[^@/?#]*@)?)([^@/?#]*)([/?].*)?$/.exec(url);
  if (parts === null)
    throw new Error('storage: the address is not one like postgres://user:password@host:port/database.');
  const [, user = '', hosts = '', rest = ''] = parts;
  return hosts.split(',').map((host) => `postgres://${user}${host}${rest}`);
}

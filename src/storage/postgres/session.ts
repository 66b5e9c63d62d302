/** One connection to PostgreSQL: asserts its settings when it is opened; runs one statement at a time. */
import { Client } from 'pg';
import { ConnectionLost, isAway, isOfOtherServer, isOfStatement, sqlState } from './failure.ts';
import { brokenGuarantee, guaranteeSql } from './guarantees.ts';
import { type DriverConnection, Incoming } from './incoming.ts';
import { schemaIn } from './schemas.ts';
import { type OnRow, type RunResult, type Sql, StatementRun, StoppedByReader } from './statement-run.ts';

/** The servers that a URL names, of which one takes writes at a time. */
export interface Servers {
  /** One URL per server, in the order in which they are tried. */
  addresses: readonly string[];
}

export interface SessionOptions {
  readonly servers: Servers;
  readonly connectTimeMs: number;
  readonly statementTimeMs: number;
  /** How long a statement waits for another transaction's locks. */
  readonly lockTimeMs: number;
  /** Further server settings for the connection, such as planner options. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called when the connection ends while nothing runs on it. */
  readonly ended: (session: Session) => void;
}

/** The server ends a statement at its time limit; it is given up after this much more time without an answer. */
const answerTimeMs = 5_000;

/** How long the server keeps a transaction whose owner sends nothing. */
const idleInTransactionMs = 10_000;

const keepAliveMs = 10_000;

/** How long a server may be silent before the next one is tried as well. */
const headStartMs = 250;

export class Session {
  readonly #client: Client;
  readonly #incoming: Incoming;
  #statementTimeMs: number;
  /** Text of the statements, by the name under which the server prepared them. */
  readonly #named = new Map<string, string>();
  readonly #spaces = new Set<string>();
  #isBroken = false;
  #isOnlyHere = false;

  /** @param client that is not connected yet */
  constructor(client: Client, { statementTimeMs, ended }: SessionOptions) {
    this.#client = client;
    this.#incoming = new Incoming((client as unknown as WithConnection).connection);
    this.#statementTimeMs = statementTimeMs;
    // The driver reports an end once or twice, even if a statement also fails with it.
    client.on('error', () => {
      this.#isBroken = true;
      ended(this);
    });
    // A commit's wait for a synchronous standby was cancelled: PostgreSQL warns, but still reports success.
    client.on('notice', ({ routine }) => {
      this.#isOnlyHere ||= routine === 'SyncRepWaitForLSN';
    });
  }

  /** True when no other statement may be run on it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Number of named statements that the server keeps for it; none is ever dropped. */
  get names(): number {
    return this.#named.size;
  }

  /** Data spaces that its statements used; the server caches the layout of their tables for the connection. */
  get spaces(): number {
    return this.#spaces.size;
  }

  /** The server stops a statement after this time. */
  get statementTimeMs(): number {
    return this.#statementTimeMs;
  }

  /**
   * Sets the time after which the server stops statements from now on; does nothing if it is already set. Not to be
   * called within a transaction, whose rollback would undo it.
   * @throws ConnectionLost, DatabaseError
   */
  async limit(statementTimeMs: number): Promise<void> {
    if (statementTimeMs === this.#statementTimeMs) return;
    const text = `SELECT set_config('statement_timeout', $1, false)`;
    try {
      await this.run({ text, values: [String(statementTimeMs)] });
    } catch (error) {
      throw error instanceof ConnectionLost ? new ConnectionLost(error.message, false, error) : error;
    }
    this.#statementTimeMs = statementTimeMs;
  }

  /**
   * @throws DatabaseError when the statement failed and the connection is intact
   * @throws ConnectionLost, or what `onRow` threw: the connection is broken
   */
  run(sql: Sql, onRow?: OnRow): Promise<RunResult> {
    if (this.#isBroken) return Promise.reject(new ConnectionLost('The connection had ended.', false));
    this.#note(sql);
    return new Promise((resolve, reject) => {
      const end = (error: unknown, result: RunResult | null) => {
        clearTimeout(timer);
        if (this.#isOnlyHere) reject(this.#judged(new Error('The commit is not on a standby yet.')));
        else if (result !== null) resolve(result);
        else reject(this.#judged(error));
      };
      const run = new StatementRun(sql, this.#incoming, onRow, end);
      const giveUp = () => run.handleError(new Error('The server did not answer in time.'));
      const timer = setTimeout(giveUp, this.#statementTimeMs + answerTimeMs);
      this.#client.query(run);
    });
  }

  /** Ends the connection: cleanly when it is idle, otherwise at once. */
  end(): void {
    this.#isBroken = true;
    this.#client.end().catch(() => {});
  }

  #note({ name, text }: Sql): void {
    const known = name === undefined ? undefined : this.#named.get(name);
    if (known !== undefined && known !== text) throw new Error(`Two statements have the name ${name}.`);
    if (known !== undefined) return;
    if (name !== undefined) this.#named.set(name, text);
    const schema = schemaIn(text);
    if (schema !== null) this.#spaces.add(schema);
  }

  #judged(error: unknown): unknown {
    if (isOfStatement(error) && !isAway(error)) return error;
    if (isOfOtherServer(error))
      return new ConnectionLost(`A node of the cluster is away: ${error.message} ${error.where ?? ''}`, true, error);
    this.#isBroken = true;
    if (error instanceof StoppedByReader) return error.thrown;
    // A read-only server reports itself; after any other end the outcome is unknown.
    if (sqlState(error) !== null && (sqlState(error) === '25006' || !isAway(error))) return error;
    return new ConnectionLost('The connection ended under the statement.', true, error);
  }
}

/**
 * Opens a connection to the server that accepts writes. The last such server is tried first; the next one as soon as it
 * refuses, or after a moment, because a lost machine sends nothing at all.
 * @throws ConnectionLost when there is none, Error when the server can't give the guarantees
 */
export function openSession(options: SessionOptions): Promise<Session> {
  const { servers } = options;
  const { addresses } = servers;
  const { promise, resolve, reject } = Promise.withResolvers<Session>();
  const causes: unknown[] = [];
  const others = new AbortController();
  let asked = 0;
  let isSettled = false;
  let timer: NodeJS.Timeout | undefined;

  function askNext(): void {
    clearTimeout(timer);
    const address = addresses[asked++];
    if (address === undefined) return;
    if (asked < addresses.length) timer = setTimeout(askNext, headStartMs);
    openAt(address, options, others.signal).then((session) => found(address, session), failed);
  }

  function found(address: string, session: Session): void {
    if (isSettled) {
      session.end();
      return;
    }
    isSettled = true;
    clearTimeout(timer);
    others.abort();
    if (addresses[0] !== address) servers.addresses = [address, ...addresses.filter((other) => other !== address)];
    resolve(session);
  }

  function failed(cause: unknown): void {
    if (cause instanceof UnsafeServer && !isSettled) {
      isSettled = true;
      clearTimeout(timer);
      reject(cause);
    }
    causes.push(cause);
    if (isSettled) return;
    if (causes.length < addresses.length) {
      askNext();
      return;
    }
    const told = causes.map((one) => (one instanceof Error ? one.message : String(one))).join('; ');
    reject(new ConnectionLost(`No connection to the database: ${told}`, false, cause));
  }

  askNext();
  return promise;
}

/** The server answers, but its settings would break a guarantee of this service. */
export class UnsafeServer extends Error {}

/** @param signal cancels the attempt */
async function openAt(address: string, options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const client = new Client({
    connectionString: address,
    application_name: 'rowhouse',
    connectionTimeoutMillis: options.connectTimeMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  const session = new Session(client, options);
  const giveUp = () => (client as unknown as WithConnection).connection.stream.destroy();
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    await prepare(session, options);
    return session;
  } catch (error) {
    session.end();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Members of the driver's client that its type declarations omit. */
interface WithConnection {
  readonly connection: DriverConnection & { readonly stream: { destroy(): void } };
}

/** Sets what every statement relies on, and checks settings that only the server's administrator may change. */
async function prepare(session: Session, { statementTimeMs, lockTimeMs, parameters }: SessionOptions): Promise<void> {
  const set: Readonly<Record<string, string | number>> = {
    client_encoding: 'UTF8',
    timezone: 'UTC',
    datestyle: 'ISO',
    standard_conforming_strings: 'on',
    default_transaction_isolation: 'read committed',
    // Every name in our SQL has its schema, and objects in other schemas can't replace PostgreSQL's functions.
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
    text: `SELECT ${guaranteeSql}, pg_catalog.pg_is_in_recovery(), ${sets.join(', ')}`,
  });
  const [version, encoding, commit, isStandby] = rows[0] ?? [];
  if (isStandby === 't') throw new ConnectionLost('The server is a standby.', false);
  const broken = brokenGuarantee([version, encoding, commit]);
  if (broken !== null) throw new UnsafeServer(broken.problem);
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

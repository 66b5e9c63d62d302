/**
 * A client's requests on its connection, with each answer checked: faults are recorded, unless a restart explains them.
 */
import { Connection, Lost } from '../client/connection.ts';
import { Interrupted, type World } from './world.ts';

const answerTimeMs = 40_000;

/** The members of answers that are checked; they depend on the operation. */
interface Content {
  readonly errCode?: number | string;
  readonly authInfo?: { readonly userTokens: string };
  readonly Entry?: readonly Readonly<Record<string, string>>[];
}

export interface Answer {
  readonly status: number;
  readonly code: number;
  readonly json: Content;
}

export class Session {
  /** Token of the signed-in user. */
  token = '';
  readonly #world: World;
  readonly #name: string;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly #prefix: string;
  #connection: Connection | null = null;
  /** The start of the service for which the connection was opened; after a restart it has another port. */
  #connectedIn = 0;

  /** @param name of the client, for recorded faults */
  constructor(world: World, name: string, prefix: string) {
    this.#world = world;
    this.#name = name;
    this.#prefix = prefix;
  }

  /** Makes the next request use a new connection. */
  disconnect(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  /** @throws Interrupted when the answer is not a success */
  async expect(operation: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const answer = await this.call(operation, method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status === 200 && answer.code === 0) return answer;
    if (answer.status !== 503) this.check(false, operation, answer.status, answer.json);
    throw new Interrupted();
  }

  /** @throws Interrupted without an answer, or when the answer says that the service is stopping */
  async call(operation: string, method: string, path: string, body?: string | Buffer, token?: string): Promise<Answer> {
    const { life, port, tally } = this.#world;
    if (this.#connectedIn !== life) this.disconnect();
    this.#connection ??= new Connection(port);
    this.#connectedIn = life;
    const started = performance.now();
    try {
      const reply = await this.#connection.exchange(this.request(method, path, body, token), answerTimeMs);
      if (/\r\nconnection: close/i.test(reply.bytes.toString('latin1', 0, 1_000))) this.disconnect();
      const json = JSON.parse(reply.body) as Content;
      const code = Number(json.errCode ?? 0);
      tally.count({ operation, status: reply.status, code, milliseconds: performance.now() - started });
      if (reply.status === 503 && this.mayFail(life)) throw new Interrupted();
      return { status: reply.status, code, json };
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      if (this.mayFail(life)) tally.lostInRestarts++;
      else this.note(`${operation}: ${error.message}`);
      throw new Interrupted();
    }
  }

  request(method: string, path: string, body: string | Buffer = '', token = this.token): Buffer {
    const bytes = Buffer.from(body);
    const type = bytes.length === 0 ? '' : 'content-type: application/json\r\n';
    const length = method === 'POST' ? `content-length: ${bytes.length}\r\n` : '';
    const named = path.includes('token=') ? '' : `service-token: ${token}\r\n`;
    const target = `${this.#prefix}${path}`;
    return Buffer.concat([
      Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: soak\r\n${named}${type}${length}\r\n`),
      bytes,
    ]);
  }

  /** Whether the service has been restarted, or is restarting, since that start. */
  mayFail(life: number): boolean {
    return this.#world.isRestarting || this.#world.life !== life;
  }

  check(isFine: boolean, what: string, status: number, json: unknown): void {
    if (!isFine) this.note(`${what} answered ${status}: ${JSON.stringify(json)}`);
  }

  note(text: string): void {
    this.#world.tally.note(`${this.#name}: ${text}`);
  }
}

/** Sends all requests: paths, tokens, JSON, deadlines, and retries. */
import { Busy, errorOf, Invalid, NetworkError, RowhouseError, ServiceFault, SignInRequired } from './errors.ts';
import type { Session } from './session.ts';
import { type Operations, operations } from './wire.ts';

/** The address of the application, and how requests are sent. */
export interface TransportOptions {
  /** Scheme, host, port and context root of the service: `https://data.example.com`. */
  readonly url: string;
  readonly companyId: number;
  readonly appId: string;
  /** `1.0.0` or `1_0_0`. */
  readonly appVersion: string;
  /** The header of the token, if the service is configured with another one than `service-token`. */
  readonly tokenHeader?: string | undefined;
  /** How long one attempt may take, in milliseconds: 30 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The most attempts for a request: 5 by default. */
  readonly attemptsMax?: number | undefined;
  /** A longer `Retry-After` is thrown as `Busy` instead of waiting: 30 000 milliseconds by default. */
  readonly retryAfterMsMax?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Returns 0 to below 1; spreads repeated requests. */
  readonly random?: (() => number) | undefined;
  /** Waits this many milliseconds before a request is sent again. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
}

export type OperationName = keyof Operations;
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];
export type BodyOf<Name extends OperationName> = Operations[Name]['body'];

/** One call of an operation. */
export interface Call<Name extends OperationName> {
  /** Values of the parameters in the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Operations[Name]['query'];
  readonly body?: BodyOf<Name>;
  /** Used instead of the session's; null to send none. */
  readonly token?: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Whether it may be sent again without an answer: true only if a transaction id ensures that it is executed once. */
  readonly isRepeatable?: boolean;
  /** Overrides the transport's value, in milliseconds. */
  readonly timeoutMs?: number;
  /** The last attempt begins at most this many milliseconds after the first one; 0 for one attempt. */
  readonly withinMs?: number;
}

export interface Sent<Name extends OperationName> {
  readonly answer: AnswerOf<Name>;
  readonly headers: Headers;
}

export interface Transport {
  /** Scheme, host and path with which all requests begin; distinguishes tenants. */
  readonly prefix: string;
  /**
   * Sends a request, and repeats it with the same bytes if the service sent `Retry-After` or `isRepeatable` makes it
   * safe.
   * @throws RowhouseError of the kind of `errCode`; the reason of `signal` if aborted
   */
  send<Name extends OperationName>(name: Name, call: Call<Name>): Promise<Sent<Name>>;
}

interface Envelope {
  readonly errCode?: unknown;
  readonly description?: unknown;
  readonly results?: unknown;
}

const backoffMs = 200;
const backoffMsMax = 5_000;

/**
 * @param session called at the first call without a token of its own, so that a session can send its own requests through
 * the transport
 */
export function createTransport(options: TransportOptions, session: () => Session): Transport {
  const { timeoutMs: usualMs = 30_000, attemptsMax = 5, retryAfterMsMax = 30_000, random = Math.random } = options;
  const application = `${options.companyId}/${encodeURIComponent(options.appId)}/${options.appVersion.replaceAll('.', '_')}`;
  const prefix = `${options.url.replace(/\/+$/, '')}/api/${application}`;
  const header = options.tokenHeader ?? 'service-token';
  const fetchOf = options.fetch ?? ((input, init) => fetch(input, init));
  const wait = options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms)));

  /** @param afterMs how long to wait before @throws RowhouseError, or the reason of `signal` */
  async function attempt(
    address: string,
    init: RequestInit,
    { signal, timeoutMs = usualMs }: Call<OperationName>,
    afterMs: number,
  ): Promise<Sent<OperationName>> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    let deadline: ReturnType<typeof setTimeout> | undefined;
    signal?.addEventListener('abort', abort);
    let status: number | null = null;
    try {
      if (afterMs) {
        const aborted = new Promise((resolve) => controller.signal.addEventListener('abort', resolve));
        await Promise.race([wait(afterMs), aborted]);
      }
      throwIfAborted(signal);
      deadline = setTimeout(abort, timeoutMs);
      const response = await fetchOf(address, { ...init, signal: controller.signal });
      status = response.status;
      const answer = (await response.json()) as Envelope | null;
      refuse(answer, response);
      return { answer: answer as never, headers: response.headers };
    } catch (cause) {
      throwIfAborted(signal);
      if (cause instanceof RowhouseError) throw cause;
      const why = controller.signal.aborted
        ? `nothing within ${timeoutMs} ms`
        : status
          ? `HTTP ${status} without JSON`
          : 'nothing';
      throw new NetworkError({ status, message: `Expected an answer of ${prefix}, got ${why}.`, cause });
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** How long to wait before the request is sent again: without an end if it must not be. */
  function waitMs(error: RowhouseError, isRepeatable: boolean | undefined, attempts: number): number {
    if (attempts >= attemptsMax) return Infinity;
    if (error instanceof Busy) {
      const askedMs = error.retryAfterMs as number;
      return askedMs > retryAfterMsMax ? Infinity : askedMs + random() * backoffMs;
    }
    const mayHaveFailed = isRepeatable && (error instanceof NetworkError || error instanceof ServiceFault);
    if (!mayHaveFailed) return Infinity;
    return Math.min(backoffMs * 2 ** attempts, backoffMsMax) * (0.5 + random() / 2);
  }

  async function send<Name extends OperationName>(name: Name, call: Call<Name>): Promise<Sent<Name>> {
    const [method, path = ''] = operations[name].split(' ');
    const address = prefix + filled(path, call.params) + queryText(call.query);
    // Without a body, `stringify` gives undefined.
    const body = JSON.stringify(call.body, plain) ?? null;
    let { token } = call;
    let mayRenew = token === undefined;
    if (mayRenew) token = await session().token();
    const begun = Date.now();
    let ms = 0;
    for (let attempts = 1; ; attempts++) {
      const headers: Record<string, string> = { accept: 'application/json' };
      if (body) headers['content-type'] = 'application/json';
      if (token) headers[header] = token;
      try {
        // A redirect could take the token to another host.
        const init: RequestInit = { method: method as string, headers, body, redirect: 'error' };
        return (await attempt(address, init, call, ms)) as Sent<Name>;
      } catch (error) {
        if (!(error instanceof RowhouseError)) throw error;
        if (error instanceof SignInRequired && mayRenew) {
          mayRenew = false;
          ms = 0;
          token = await session().refused(token as string);
          if (!token) throw error;
          continue;
        }
        ms = waitMs(error, call.isRepeatable, attempts);
        if (Date.now() + ms >= begun + (call.withinMs ?? Infinity)) throw error;
      }
    }
  }

  return { prefix, send };
}

/** @throws RowhouseError if the envelope reports a failure; answers without an envelope are an array or empty */
function refuse(answer: Envelope | null, response: Response): void {
  // Not a number where there is no envelope.
  const code = Number(answer?.errCode);
  if (response.ok && !code) return;
  if (Number.isNaN(code)) throw new TypeError();
  const retryAfter = response.headers.get('retry-after');
  throw errorOf({
    code,
    status: response.status,
    message: String(answer?.description),
    retryAfterMs: retryAfter === null ? undefined : millisecondsOf(retryAfter),
    results: Array.isArray(answer?.results) ? answer.results : undefined,
  });
}

/** `Retry-After` has seconds; a proxy may send a date (RFC 9110 §10.2.3). Zero where it has neither, or the time is past. */
function millisecondsOf(retryAfter: string): number {
  return Math.max(Number(retryAfter) * 1_000 || Date.parse(retryAfter) - Date.now(), 0) || 0;
}

/** Like `signal.throwIfAborted()`, which React Native lacks. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new Error('aborted');
}

function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] as string));
}

function queryText(query: object = {}): string {
  // JSON leaves out undefined members.
  const text = `${new URLSearchParams(JSON.parse(JSON.stringify(query)))}`;
  return text && `?${text}`;
}

/**
 * For `JSON.stringify`: writes a bigint as its digits, which every numeric column accepts, because JSON can't hold a
 * large one exactly otherwise.
 * @throws Invalid for a number that JSON would turn into null
 */
export function plain(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new Invalid({ message: `${name}: expected a finite number, got ${value}.` });
}

/**
 * Calls operations of `/admin/api`, typed by their descriptors: `call('GET /companies/:companyId', { params })`. If the
 * session has expired, a dialog over the screen signs in again, and the call is repeated.
 */
import { signal } from '@preact/signals';
import type { Static, TSchema } from 'typebox';
import type { resources } from '../src/http/api/operations.ts';

type Resources = typeof resources;
type AnyOperation = { [Name in keyof Resources]: Resources[Name][keyof Resources[Name]] }[keyof Resources];
type Operations = Extract<AnyOperation, { readonly surface: 'administration' }>;

/** `METHOD /path` of every operation of the administration. */
export type Route = Operations extends infer Op
  ? Op extends { readonly method: infer Method extends string; readonly path: infer Path extends string }
    ? `${Method} ${Path}`
    : never
  : never;

type OperationOf<R extends Route> = R extends `${infer Method} ${infer Path}`
  ? Extract<Operations, { readonly method: Method; readonly path: Path }>
  : never;

type Names<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Shape<S> = S extends TSchema ? Static<S> : never;

/** The input of a call: path parameters, query, body. */
export type Sent<R extends Route> = {
  readonly params?: Readonly<Record<Names<OperationOf<R>['path']>, string | number>>;
  readonly query?: Shape<OperationOf<R>['query']>;
  readonly body?: Shape<OperationOf<R>['body']>;
  /** Makes the service answer at once with a job. */
  readonly prefer?: 'respond-async';
} & (Names<OperationOf<R>['path']> extends never ? object : { readonly params: object });

/** The envelope in the answer to a call; for an operation that may continue as a job, either form. */
export type Answer<R extends Route> =
  | Shape<OperationOf<R>['answer']>
  | (OperationOf<R> extends { readonly mayGoOn: infer Job } ? Shape<Job> : never);
/** Its `results`. */
export type Results<R extends Route> = Answer<R> extends { readonly results: infer R2 } ? R2 : undefined;

/** A refusal by the service, or a failure to reach it (code null). */
export class Refusal extends Error {
  readonly code: number | null;
  readonly status: number;
  /** For a batch: one for each item, if the service distinguishes them. */
  readonly results: unknown;

  constructor(message: string, code: number | null, status: number, results?: unknown) {
    super(message);
    this.code = code;
    this.status = status;
    this.results = results;
  }

  /** Whether what was asked may have been done all the same: nothing was answered, or by somebody in trouble. */
  get isUnclear(): boolean {
    return this.code === null || this.code === 210 || this.status >= 500;
  }
}

/** Codes that mean that nobody is signed in: signed out, expired, disabled. */
const nobody = [110, 120, 121];

/** Set while the user must sign in again; called when that is done. */
export const lostSession = signal<(() => void) | null>(null);
let restored: Promise<void> | null = null;

let csrfToken: string | null = null;

/** Keeps the session's token from the answer to a sign-in. */
export function holdCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Whether the operation creates a session and needs none. */
function isEntrance(path: string): boolean {
  return path.startsWith('/sign-in') || path.startsWith('/set-up');
}

/** Whether the CSRF token is another session's: in another tab, which has the same cookie, someone has signed in meanwhile. */
function isOfOtherSession({ status, message }: Refusal): boolean {
  return status === 403 && message.includes('x-csrf-token');
}

/** @throws Refusal */
export async function call<R extends Route>(route: R, sent: Sent<R>, signal?: AbortSignal): Promise<Answer<R>> {
  const isSignIn = isEntrance(route.slice(route.indexOf(' ') + 1));
  let isTokenNew = false;
  for (;;) {
    try {
      return (await ask(route, sent as Request, signal)) as Answer<R>;
    } catch (error) {
      if (!(error instanceof Refusal) || isSignIn || person === null) throw error;
      const isLost = nobody.includes(error.code ?? 0);
      if (!isLost && (isTokenNew || !isOfOtherSession(error))) throw error;
      isTokenNew = !isLost;
      csrfToken = null;
      if (isLost) await untilSignedIn();
    }
  }
}

/** @returns the address from which an export can be downloaded */
export function addressOf<R extends Route>(route: R, sent: Sent<R>): string {
  const { params, query } = sent as Request;
  return addressOfParts(route.slice(route.indexOf(' ') + 1), params ?? {}, query ?? {});
}

interface Request {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly prefer?: string;
}

interface Person {
  readonly kind: string;
  readonly id: number;
}

let person: Person | null = null;
let leave = () => {};

/**
 * Records who is signed in, so that a later refusal means that the session is lost.
 * @param onOther called, instead of making a change, once someone else has signed in in another tab
 */
export function actAs(known: Person, onOther: () => void): void {
  person = known;
  leave = onOther;
}

function untilSignedIn(): Promise<void> {
  restored ??= new Promise((resolve) => {
    lostSession.value = () => {
      lostSession.value = null;
      restored = null;
      resolve();
    };
  });
  return restored;
}

async function ask(
  route: string,
  { params = {}, query = {}, body, prefer }: Request,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const [method, path] = route.split(' ', 2) as [string, string];
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (prefer !== undefined) headers.prefer = prefer;
  if (method !== 'GET' && person !== null && !isEntrance(path)) {
    headers['x-csrf-token'] = csrfToken ?? (await tokenOfSession());
  }
  const response = await fetch(addressOfParts(path, params, query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refusal('', null, 0);
  });
  const answer = (await response.json().catch(() => {
    // The answer was cut off, or came from another program, such as a proxy.
    throw new Refusal(response.statusText, response.ok ? null : 199, response.status);
  })) as {
    errCode?: number;
    description?: string | null;
    results?: unknown;
  };
  const code = Number(answer.errCode ?? 0);
  if (code !== 0) throw new Refusal(answer.description ?? '', code, response.status, answer.results);
  return answer;
}

/** Never returns if the session is someone else's, as whom nothing may be done that was meant here. */
async function tokenOfSession(): Promise<string> {
  const session = (await ask('GET /session', {}, undefined)) as { results: { csrfToken: string } };
  const { results: now } = (await ask('GET /me', {}, undefined)) as { results: Person };
  if (now.kind !== person?.kind || now.id !== person.id) {
    leave();
    await new Promise(() => {});
  }
  csrfToken = session.results.csrfToken;
  return csrfToken;
}

function addressOfParts(path: string, params: Required<Request>['params'], query: Required<Request>['query']): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  return `api${filled}${search.size === 0 ? '' : `?${search}`}`;
}

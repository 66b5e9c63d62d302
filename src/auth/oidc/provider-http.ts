/**
 * Sends requests to an identity provider over HTTP, and separates failures from answers: everything that is not a
 * usable answer (no connection, time-out, server error, redirect, not JSON, endless) is `ProviderUnreachable`.
 */

/** `unreached`: no connection, or not with TLS · `down`: a server error · `slow`: not in time · `unusable`: an answer outside the protocol. */
export type Failing = 'unreached' | 'down' | 'slow' | 'unusable';

export class ProviderUnreachable extends Error {
  readonly failing: Failing;

  constructor(failing: Failing, message: string) {
    super(message);
    this.failing = failing;
  }
}

/** Built by oauth4webapi. */
export interface ProviderRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: 'manual';
  readonly body?: URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete answer. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * A `fetch` for oauth4webapi that resolves after reading the whole answer. A refusal by the token endpoint (an OAuth
 * error with a status of 400 to 499) is an answer, which the caller handles.
 * @param form JSON; `JSON or JWT` also accepts a signed answer, which the caller handles
 * @throws ProviderUnreachable with a message that names the address, without its query.
 */
export async function fetchAnswer(
  url: string,
  options: ProviderRequest,
  bytesMax: number,
  form: 'JSON' | 'JSON or JWT' = 'JSON',
): Promise<Response> {
  const endpoint = endpointOf(url);
  const { status, headers, body } = await ask(url, options, endpoint, bytesMax);
  const type = headers.get('content-type') ?? '';
  if (form === 'JSON or JWT' && status === 200 && /^application\/jwt\b/.test(type)) {
    return new Response(body, { status, headers });
  }
  const content = jsonObjectOf(body);
  const isRefusal = status >= 400 && status < 500 && options.method === 'POST' && typeof content?.error === 'string';
  if (status !== 200 && !isRefusal) {
    const failing = status >= 500 || status === 429 ? 'down' : 'unusable';
    throw new ProviderUnreachable(failing, `${endpoint} answered with status ${status}.`);
  }
  if (content === null || (status === 200 && !/^application\/([\w-]+\+)?json\b/i.test(type))) {
    throw new ProviderUnreachable('unusable', `${endpoint} did not answer with a JSON object.`);
  }
  return new Response(body, { status, headers });
}

async function ask(url: string, options: ProviderRequest, endpoint: string, bytesMax: number): Promise<Answer> {
  try {
    const response = await fetch(url, { ...options, body: options.body ?? null, signal: options.signal ?? null });
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Leaving the loop ends the connection, so an endless answer is read up to here only.
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > bytesMax) {
        throw new ProviderUnreachable('unusable', `${endpoint} answered with more than ${bytesMax} bytes.`);
      }
      chunks.push(chunk);
    }
    return { status: response.status, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new ProviderUnreachable('slow', `${endpoint} did not answer in time.`);
    }
    throw new ProviderUnreachable('unreached', `${endpoint} could not be reached: ${reasonOf(error)}.`);
  }
}

function endpointOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** `fetch` puts the reason (ECONNREFUSED, a certificate) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  return code === null ? error.message : `${error.message} (${code})`;
}

function jsonObjectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

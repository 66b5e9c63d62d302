/**
 * Asks an identity provider over HTTP, and tells its being unreachable apart from what it says: everything that is not
 * a usable answer (no connection, time-out, server error, redirect, not JSON) is `ProviderUnreachable`.
 */

export class ProviderUnreachable extends Error {}

/** As oauth4webapi makes it. */
export interface ProviderRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: 'manual';
  readonly body?: URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** No answer of a provider comes near this size. */
const answerBytesMax = 1024 * 1024;

/**
 * A `fetch` for oauth4webapi that has read the whole answer when it resolves. A refusal of the token endpoint (400 to
 * 499 on a POST) is an answer; it is left to the caller.
 * @throws ProviderUnreachable with a message that names the place, without its query.
 */
export async function fetchAnswer(url: string, options: ProviderRequest): Promise<Response> {
  const place = placeOf(url);
  const { response, body } = await ask(url, options, place);
  const { status } = response;
  const isRefusal = status >= 400 && status < 500 && options.method === 'POST';
  if (status !== 200 && !isRefusal) throw new ProviderUnreachable(`${place} answered with status ${status}.`);
  if (status === 200 && !isJsonObject(body)) throw new ProviderUnreachable(`${place} did not answer with JSON.`);
  return new Response(body, { status, headers: response.headers });
}

async function ask(
  url: string,
  options: ProviderRequest,
  place: string,
): Promise<{ response: Response; body: string }> {
  try {
    const response = await fetch(url, { ...options, body: options.body ?? null, signal: options.signal ?? null });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
      chunks.push(chunk);
    }
    return { response, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    throw new ProviderUnreachable(`${place} could not be reached: ${reasonOf(error)}.`);
  }
}

function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** `fetch` hides the reason (ECONNREFUSED, a certificate) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  return code === null ? error.message : `${error.message} (${code})`;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

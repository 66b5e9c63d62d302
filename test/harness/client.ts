/** A small HTTP client for black-box tests: it sends exactly the given bytes, and never follows redirects. */
import http, { type IncomingHttpHeaders } from 'node:http';

export interface CallOptions {
  /** Sent as `service-token`. */
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array;
  /** Added to the default ones or replacing them; an empty text removes one. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export interface Client {
  readonly call: Call;
  close(): void;
}

/** @param url base address, without a trailing slash */
export function openClient(url: string): Client {
  const base = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const basePath = base.pathname === '/' ? '' : base.pathname.replace(/\/$/, '');

  function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const content = contentOf(options);
    const headers = headersOf(options, content);
    return new Promise((resolve, reject) => {
      const request = http.request(
        { agent, hostname: base.hostname, port: base.port, method, path: basePath + path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            try {
              const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      // A server may answer a body that is too large before it has read all of it; the rest is then sent to a closed
      // socket.
      let answered = false;
      request.on('response', () => {
        answered = true;
      });
      request.on('error', (error) => {
        if (!answered) reject(error);
      });
      request.end(content);
    });
  }

  return { call, close: () => agent.destroy() };
}

function contentOf(options: CallOptions): Buffer | undefined {
  if (options.raw !== undefined) return Buffer.from(options.raw as Uint8Array);
  return options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
}

function headersOf(options: CallOptions, content: Buffer | undefined): Record<string, string | number> {
  const headers: Record<string, string | number> = { accept: '*/*' };
  if (content !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = content.length;
  }
  if (options.token !== undefined) headers['service-token'] = options.token;
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === '') delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

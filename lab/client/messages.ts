/** Requests to a service: as bytes for a connection, by `fetch` if only the answer matters, and through an agent. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Space } from '../service/spaces.ts';

/** The bytes of one request to the service, or to the floor, which has no tokens. */
export function httpRequest(method: 'GET' | 'POST', path: string, token: string, body = ''): string {
  return requestWith(method, path, `service-token: ${token}\r\n`, body);
}

/** @param headers each with its line end */
export function requestWith(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  headers: string,
  body: string,
): string {
  const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}${content}\r\n${body}`;
}

/** @param headers further ones, each with its line end */
export function postRequest({ prefix, token }: Space, path: string, body: string, headers = ''): Buffer {
  return Buffer.from(requestWith('POST', `${prefix}${path}`, `service-token: ${token}\r\n${headers}`, body));
}

/** @returns the answer's JSON. @throws Error with the answer unless it is a success */
export async function sendJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  method = 'POST',
  // biome-ignore lint/suspicious/noExplicitAny: answers of many servers, of which the caller knows its own
): Promise<any> {
  const json = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers: json, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** The same, to a data space of the service. */
export function postJson(
  port: number,
  { prefix, token }: Space,
  path: string,
  body: object,
): ReturnType<typeof sendJson> {
  return sendJson(`http://127.0.0.1:${port}${prefix}${path}`, { 'service-token': token }, body);
}

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Exchanged {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Follows no redirects, and keeps the connection if the agent does. */
export function exchange(agent: Agent, url: string, { method, headers, body }: Sent): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

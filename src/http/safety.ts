/** Headers for browsers and proxies on every answer, including those that no route or hook produced. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { type Answer, failure } from './envelope.ts';

/**
 * Answers are for the caller only, keep their content type, may not be framed, and may not be loaded as part of another
 * page. Our own pages have a policy of their own instead.
 */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const yearSeconds = 365 * 24 * 3_600;

/** With HSTS where clients use https, so that they never use anything else (RFC 6797). */
export function safetyHeaders({ publicUrl }: Pick<Settings, 'publicUrl'>): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:')
    ? { ...headers, 'strict-transport-security': `max-age=${yearSeconds}` }
    : headers;
}

export function sendSafetyHeaders(app: FastifyInstance, settings: Settings): void {
  const names = safetyHeaders(settings);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(names);
    done();
  });
}

/** Errors before there is a request: bytes that are not HTTP, a head that is too large, a client that is too slow. */
const beforeRequest: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive (settings headersTimeMs and requestTimeMs).'],
  HPE_HEADER_OVERFLOW: [431, 'The head of the request is too large.'],
};

/** Answers in the envelope, as far as the connection allows, and closes it. */
export function answerClientErrors(
  settings: Settings,
): (error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket) => void {
  const always = settings.errorStatus === 'ok';
  const names = Object.entries(safetyHeaders(settings)).map(([name, value]) => `${name}: ${value}\r\n`);
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = beforeRequest[error.code ?? ''] ?? [400, 'Expected an HTTP request, got other bytes.'];
    const answer: Answer = failure(undefined, new ServiceError('malformed', message, { status }), always);
    if (socket.writable) {
      const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`;
      const size = Buffer.byteLength(answer.body);
      const type = `content-type: application/json; charset=utf-8\r\ncontent-length: ${size}\r\nconnection: close\r\n`;
      socket.write(`${head}${names.join('')}${type}\r\n${answer.body}`);
    }
    socket.destroySoon();
  };
}

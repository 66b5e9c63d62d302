/**
 * Files that are made once and sent often: compressed if the client accepts that, and not sent again if its copy is
 * current.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface StoredFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Identifies the content (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** @param type such as `text/css`; text is UTF-8 */
export async function storedFile(type: string, content: string | Buffer): Promise<StoredFile> {
  const plain = Buffer.from(content);
  return {
    type: type.startsWith('image/') ? type : `${type}; charset=utf-8`,
    plain,
    gzipped: await promisify(gzip)(plain, { level: 9 }),
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
  };
}

export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped, etag }: StoredFile,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  reply.headers({ ...headers, etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.header('content-type', type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

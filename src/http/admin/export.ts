/** Exports: lines that are made while the client takes them, so that a large one needs no more memory than a small one. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface Export {
  readonly contentType: string;
  /** What a browser saves it as. */
  readonly fileName: string;
  /** Each with its line end. An error while they are made breaks the connection off, so that no part looks whole. */
  readonly lines: AsyncIterable<string>;
}

export function sendExport(reply: FastifyReply, { contentType, fileName, lines }: Export): void {
  reply
    .header('content-type', `${contentType}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(lines));
}

/**
 * Large answers that are ready but not yet read by the client. The answer to a client that reads slowly, or not at all,
 * stays in memory, so their total size and their time are limited (settings `answersBytesMax` and `answerTimeMs`);
 * while memory is short (`residentBytesMax`), each network may have one. Small answers, such as a page of a few
 * records, always go out.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { networkOf } from '../auth/limits/keys.ts';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { isMemoryShort, memoryShortage } from '../memory.ts';
import { giveBack, type JsonPiece, type JsonText, reusable } from '../storage/json-text.ts';
import { atRequestEnd } from './request-end.ts';

/** Size in characters from which an answer counts as large; a socket takes smaller ones at once. */
const largeFrom = 64 * 1024;

const retryAfterSeconds = 1;

export interface AnswersUnderWay {
  /**
   * Counts a large answer until the client has read it or the connection has ended. Returns it as bytes, which take
   * less memory than queued text, or piece by piece; returns a small answer unchanged.
   * @param refusable false where the request has already taken effect and must be answered
   * @throws ServiceError `busy` when it would exceed the limit together with the others; a single answer is always
   * accepted
   */
  begin(body: JsonText, reply: FastifyReply, refusable: boolean): string | Buffer | Readable;
}

export function answersUnderWay(
  settings: Pick<Settings, 'answersBytesMax' | 'answerTimeMs' | 'residentBytesMax' | 'resultBytesMax'>,
): AnswersUnderWay {
  const { answersBytesMax, answerTimeMs, residentBytesMax, resultBytesMax } = settings;
  const atEnd = atRequestEnd();
  const heldBy = new Map<string, number>();
  let heldBytes = 0;

  function refuseMoreThanFits(network: string, atLeast: number): void {
    if (heldBy.has(network) && isMemoryShort(residentBytesMax)) {
      throw new ServiceError('busy', `${memoryShortage(residentBytesMax)} Try again later, or use a range.`, {
        retryAfterSeconds,
      });
    }
    if (heldBytes === 0 || heldBytes + atLeast <= answersBytesMax) return;
    throw new ServiceError(
      'busy',
      `The answer has at least ${atLeast} bytes, and clients have ${heldBytes} bytes of large answers to read first; together at most ` +
        `${answersBytesMax} (setting answersBytesMax). Try again later, or use a range.`,
      { retryAfterSeconds },
    );
  }

  function hold(network: string, bytes: number): void {
    heldBytes += bytes;
    const now = (heldBy.get(network) ?? 0) + bytes;
    if (now > 0) heldBy.set(network, now);
    else heldBy.delete(network);
  }

  return {
    begin(body, reply, refusable) {
      if (typeof body === 'string' && body.length < largeFrom) return body;
      const { request } = reply;
      const { socket } = request.raw;
      // The client is gone.
      if (socket.destroyed) return '';
      const network = networkOf(request.ip);
      // Measured in characters: counting the bytes of concatenated text would copy it first.
      if (refusable) refuseMoreThanFits(network, typeof body === 'string' ? body.length : sizeOf(body));
      const sent = typeof body === 'string' ? Buffer.from(body) : streamOf(body);
      const size = sent instanceof Readable ? sizeOf(body as readonly JsonPiece[]) : sent.length;
      reply.header('content-length', size);
      hold(network, size);
      const buffers = reusable(body);
      const late = setTimeout(() => socket.destroy(), answerTimeMs).unref();
      atEnd(request, reply, () => {
        clearTimeout(late);
        hold(network, -size);
        // Part of an interrupted answer may still be on its way.
        if (reply.raw.writableFinished && !socket.destroyed) giveBack(buffers, resultBytesMax);
      });
      return sent;
    },
  };
}

function sizeOf(pieces: readonly JsonPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length), 0);
}

/** Each piece is released when the client has read it. */
function streamOf(pieces: readonly JsonPiece[]): Readable {
  const left = [...pieces].reverse();
  return new Readable({
    read() {
      const piece = left.pop();
      this.push(piece ?? null);
    },
  });
}

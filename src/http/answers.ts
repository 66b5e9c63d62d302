/**
 * Large answers on their way: made, but not yet taken by the client. A client that reads slowly, or not at all, leaves its
 * answer in the memory of the process, so all of them together are bounded, in size and in time (settings
 * `answersBytesMax` and `answerTimeMs`), and none is added to others while memory is short (`residentBytesMax`). Small answers, a page of a few records, always go out.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { memoryIsShort, memoryWatch } from '../memory.ts';
import type { JsonPiece, JsonText } from '../storage/json-text.ts';

/** Characters from which an answer is large: what a socket takes at once is no burden. */
const largeFrom = 64 * 1024;

const retryAfterSeconds = 1;

export interface AnswersUnderWay {
  /**
   * Counts a large answer until the client took it or its connection ended, and gives it as bytes, which take less memory
   * than text that waits to be sent, or piece by piece as they are taken; gives a small one back as it is.
   * @param refusable false where what was asked for is done already, and has to be answered
   * @throws ServiceError `busy` when it would be too much together with the others; one alone never is
   */
  begin(body: JsonText, reply: FastifyReply, refusable: boolean): string | Buffer | Readable;
}

export function answersUnderWay(
  settings: Pick<Settings, 'answersBytesMax' | 'answerTimeMs' | 'residentBytesMax'>,
): AnswersUnderWay {
  const { answersBytesMax, answerTimeMs, residentBytesMax } = settings;
  const isMemoryShort = memoryWatch(residentBytesMax);
  // By connection: of answers that wait behind another one, the end of the connection is all that is ever heard.
  const held = new Map<Socket, number>();
  let heldBytes = 0;

  function refuseMoreThanFits(atLeast: number): void {
    if (heldBytes === 0) return;
    if (isMemoryShort()) {
      throw new ServiceError('busy', `${memoryIsShort(residentBytesMax)} Try again later, or use a range.`, {
        retryAfterSeconds,
      });
    }
    if (heldBytes + atLeast <= answersBytesMax) return;
    throw new ServiceError(
      'busy',
      `The answer has at least ${atLeast} bytes, and clients have ${heldBytes} bytes of large answers to read first; together at most ` +
        `${answersBytesMax} (setting answersBytesMax). Try again later, or use a range.`,
      { retryAfterSeconds },
    );
  }

  function hold(socket: Socket, bytes: number): void {
    if (!held.has(socket)) socket.once('close', () => lose(socket));
    held.set(socket, (held.get(socket) ?? 0) + bytes);
    heldBytes += bytes;
  }

  function release(socket: Socket, bytes: number): void {
    const before = held.get(socket);
    if (before === undefined) return;
    heldBytes -= bytes;
    held.set(socket, before - bytes);
  }

  function lose(socket: Socket): void {
    heldBytes -= held.get(socket) ?? 0;
    held.delete(socket);
  }

  return {
    begin(body, reply, refusable) {
      if (typeof body === 'string' && body.length < largeFrom) return body;
      const { socket } = reply.request.raw;
      // Nobody takes it any more.
      if (socket.destroyed) return '';
      // By its characters: counting the bytes of text that was put together would copy it first.
      if (refusable) refuseMoreThanFits(typeof body === 'string' ? body.length : sizeOf(body));
      const sent = typeof body === 'string' ? Buffer.from(body) : streamOf(body);
      const size = sent instanceof Readable ? sizeOf(body as readonly JsonPiece[]) : sent.length;
      reply.header('content-length', size);
      hold(socket, size);
      const late = setTimeout(() => socket.destroy(), answerTimeMs).unref();
      reply.raw.once('close', () => {
        clearTimeout(late);
        release(socket, size);
      });
      return sent;
    },
  };
}

function sizeOf(pieces: readonly JsonPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length), 0);
}

/** Each piece is let go when the client takes it. */
function streamOf(pieces: readonly JsonPiece[]): Readable {
  const left = [...pieces].reverse();
  return new Readable({
    read() {
      const piece = left.pop();
      this.push(piece ?? null);
    },
  });
}

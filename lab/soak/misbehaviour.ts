/**
 * The behaviour of clients on bad networks: disconnecting while sending or receiving, sending slowly, sending nothing.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { messageLength, reset } from '../client/connection.ts';
import type { Random } from '../machine/random.ts';

export const misbehaviours = [
  'reset in headers',
  'reset in body',
  'reset in answer',
  'slow sending',
  'slow reading',
  'silence',
] as const;
export type Misbehaviour = (typeof misbehaviours)[number];

export interface Requests {
  /** A read with a small body. */
  readonly small: Buffer;
  /** A read whose answer does not fit into one packet. */
  readonly large: Buffer;
}

const pieceTimeMs = 40;
const pieces = 8;
const pauseMs = 400;
const silenceMs = 1_500;
const answerTimeMs = 30_000;

/** @returns the status if an answer was due, otherwise null. @throws Error when a due answer is missing */
export async function misbehave(
  how: Misbehaviour,
  port: number,
  requests: Requests,
  random: Random,
): Promise<number | null> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  // A reset is expected here, from either side.
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  const { small, large } = requests;
  switch (how) {
    case 'reset in headers':
      return cutOff(socket, small.subarray(0, 1 + random.below(small.indexOf('\r\n\r\n'))));
    case 'reset in body':
      return cutOff(socket, small.subarray(0, small.indexOf('\r\n\r\n') + 5));
    case 'reset in answer':
      socket.write(large);
      await Promise.race([once(socket, 'data'), wait(random.below(30), undefined, { ref: false })]);
      reset(socket);
      return null;
    case 'slow sending':
      for (let piece = 0; piece < pieces && !socket.destroyed; piece++) {
        const from = Math.floor((small.length * piece) / pieces);
        socket.write(small.subarray(from, Math.floor((small.length * (piece + 1)) / pieces)));
        await wait(pieceTimeMs);
      }
      return answerOf(socket);
    case 'slow reading':
      socket.pause();
      socket.write(large);
      await wait(pauseMs);
      socket.resume();
      return answerOf(socket);
    case 'silence':
      await wait(silenceMs);
      socket.destroy();
      return null;
  }
}

async function cutOff(socket: Socket, beginning: Buffer): Promise<null> {
  await new Promise<void>((resolve) => socket.write(beginning, () => resolve()));
  reset(socket);
  return null;
}

function answerOf(socket: Socket): Promise<number> {
  let received = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The connection ended before the answer was whole.'));
    // A socket that has already ended emits no further event.
    if (socket.destroyed) ended();
    socket.setTimeout(answerTimeMs, () => socket.destroy());
    socket.on('close', ended);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = messageLength(received);
      if (length === null || received.length < length) return;
      resolve(Number(received.toString('latin1', 9, 12)));
      socket.destroy();
    });
  });
}

/**
 * The hostile clients, in a separate process: each makes random attacks one after another, until it is ordered to stop.
 */
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { headerOf } from '../../client/connection.ts';
import { carryOut } from '../../machine/child.ts';
import { type Random, seeded } from '../../machine/random.ts';
import type { Space } from '../../service/spaces.ts';
import { type Attack, attacksOn } from './attacks.ts';

export interface Work {
  readonly port: number;
  readonly space: Space;
  readonly clients: number;
  readonly seed: number;
}

/** How often each attack was answered with each status; 0 is no answer. */
export type Tally = Record<string, Record<string, number>>;

export interface Suffered {
  readonly tally: Tally;
  /** Answers with status 500 or more and without `Retry-After`. */
  readonly faults: readonly string[];
}

const timeoutMs = 15_000;
const holdsMs = 2_000;
const idleConnections = 20;
const faultsMax = 20;
/** In another network than the neighbour, if the system has several local addresses. */
const ownAddress = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};
/** In reality they run on other machines, so their processor time must not slow the service down. */
const lowPriority = 10;

const tally: Tally = {};
const faults: string[] = [];
const open = new Set<Socket>();
let isOver = false;

carryOut({
  attack,
  stop() {
    isOver = true;
    for (const socket of open) socket.destroy();
    return { tally, faults } satisfies Suffered;
  },
});

function attack({ port, space, clients, seed }: Work): void {
  setPriority(lowPriority);
  const attacks = attacksOn(space);
  for (let client = 0; client < clients; client++) void beHostile(port, attacks, seeded(seed, client));
}

async function beHostile(port: number, attacks: readonly Attack[], random: Random): Promise<void> {
  while (!isOver) {
    const { name, manner, bytes } = random.pick(attacks);
    const status = await send(port, { name, manner, bytes }, random);
    if (isOver) return;
    tally[name] ??= {};
    const counts = tally[name];
    counts[status] = (counts[status] ?? 0) + 1;
    // An ended service refuses connections at once.
    if (status === 0) await sleep(10);
  }
}

/** @returns the status of the answer, 0 for none */
async function send(port: number, { name, manner, bytes }: Attack, random: Random): Promise<number> {
  if (manner === 'idle') {
    const sockets = Array.from({ length: idleConnections }, () => opened(port));
    await sleep(random.below(holdsMs));
    for (const socket of sockets) socket.destroy();
    return 0;
  }
  const socket = opened(port);
  try {
    if (manner === 'half') {
      socket.write(bytes.subarray(0, Math.floor(bytes.length * random.fraction())));
      await sleep(random.below(holdsMs));
      return 0;
    }
    socket.write(bytes);
    if (manner === 'never') {
      socket.pause();
      await sleep(holdsMs);
      return 0;
    }
    return await answerOf(socket, name, manner === 'slowly');
  } finally {
    socket.destroy();
  }
}

function opened(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...ownAddress });
  open.add(socket);
  return socket.on('error', () => {}).once('close', () => open.delete(socket));
}

/** Reads the whole answer, or a part of it for a slow reader. */
function answerOf(socket: Socket, name: string, isSlow: boolean): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    let left = Number.POSITIVE_INFINITY;
    const timer = setTimeout(() => end(), isSlow ? holdsMs : timeoutMs);
    const end = () => {
      clearTimeout(timer);
      resolve(status);
    };
    socket.once('close', end);
    socket.on('data', (chunk: Buffer) => {
      if (status === 0) {
        status = Number(chunk.toString('latin1', 9, 12));
        left = Number(headerOf(chunk, 'content-length') ?? 0) + chunk.indexOf('\r\n\r\n') + 4;
        noteFault(name, status, chunk);
      }
      left -= chunk.length;
      if (left <= 0) return end();
      if (!isSlow) return;
      socket.pause();
      setTimeout(() => socket.resume(), 100);
    });
  });
}

function noteFault(name: string, status: number, answer: Buffer): void {
  const isBusy = status === 503 && headerOf(answer, 'retry-after') !== undefined;
  if (status < 500 || isBusy || faults.length === faultsMax) return;
  faults.push(`${name}: ${answer.toString('utf8', 0, 600)}`);
}

/** Clients that use sessions, including ended ones, and the check of each answer. */
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '../../client/connection.ts';
import { httpRequest } from '../../client/messages.ts';
import { type Random, seeded } from '../../machine/random.ts';
import type { Violation } from '../history.ts';
import { type Held, judgeAnswer } from './ended.ts';
import type { Seat } from './orders.ts';

/** How many of the last ended sessions are still tried. */
const triedMax = 300;

export class Load {
  /** Sessions in use. */
  readonly held: Held[] = [];
  /** Permanently ended sessions, the latest last. */
  readonly over: Held[] = [];
  readonly violations: Violation[] = [];
  readonly tally = { requests: 0, accepted: 0, refused: 0, refusedAfterEnd: 0, renewed: 0 };
  readonly #thinkMs: number;
  #stopped = false;

  /** @param thinkMs the longest wait of a client between an answer and its next request; 0 for none */
  constructor(thinkMs: number) {
    this.#thinkMs = thinkMs;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** @param number of the instance that gets the requests */
  async client(number: number, port: number, random: Random): Promise<void> {
    const connection = new Connection(port);
    while (!this.#stopped) {
      const tried = this.over.slice(-triedMax);
      const among = tried.length > 0 && (this.held.length === 0 || random.chance(0.5)) ? tried : this.held;
      if (among.length === 0) await wait(1);
      else await this.#ask(random.pick(among), number, connection, random);
      if (this.#thinkMs > 0) await wait(random.below(this.#thinkMs));
    }
    connection.close();
  }

  /** Takes permanently ended sessions out of use. */
  sortOut(): void {
    for (let index = this.held.length - 1; index >= 0; index -= 1) {
      if (this.held[index]?.isOver) this.over.push(...this.held.splice(index, 1));
    }
  }

  async #ask(session: Held, number: number, connection: Connection, random: Random): Promise<void> {
    const path = random.chance(0.03) ? 'auth/refresh' : random.pick(['logLevel', 'logLevel', 'auth/sessions']);
    const sentAt = performance.now();
    const reply = await connection.exchange(requestOf(session.seat, path, random.pick(session.tokens)), 60_000);
    const heardAt = performance.now();
    const { errCode, authInfo } = JSON.parse(reply.body) as { errCode: number; authInfo?: { userTokens: string } };
    this.tally.requests += 1;
    if (authInfo !== undefined) {
      this.tally.renewed += 1;
      session.tokens.push(authInfo.userTokens);
    }
    if (errCode === 0) this.tally.accepted += 1;
    else this.tally.refused += 1;
    if (errCode !== 0 && !session.isUntouched) this.tally.refusedAfterEnd += 1;
    this.violations.push(...judgeAnswer(session, { path, instance: number, sentAt, heardAt, errCode }));
  }
}

/** A stream of random choices for each client. */
export function clientsOf(seed: number, instances: number, each: number): { number: number; random: Random }[] {
  return Array.from({ length: instances * each }, (_, index) => ({
    number: index % instances,
    random: seeded(seed, 1, index),
  }));
}

function requestOf({ companyId, appId, version }: Seat, path: string, token: string): Buffer {
  const method = path === 'auth/refresh' ? 'POST' : 'GET';
  const prefix = `/api/${companyId}/${appId}/${version.replaceAll('.', '_')}`;
  return Buffer.from(httpRequest(method, `${prefix}/${path}`, token));
}

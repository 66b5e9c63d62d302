/**
 * Clients at work on one family of records, by a seed: batches that add, update and delete, simultaneous replays of a
 * transaction, repeats, and other payloads under a used id. Every request is repeated until it is settled, and
 * everything is recorded for the check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Connections, Lost, type Reply } from '../client/connection.ts';
import type { Random } from '../machine/random.ts';
import type { Space } from '../service/spaces.ts';
import type { Answer, Attempt, History, Item, Read, Seen, Transaction } from './history.ts';
import type { Fault } from './proxy.ts';
import { addItem, answerOf, deleteItem, isBusy, readRequest, recordsOf, updateItem, writeRequest } from './service.ts';

export interface Mix {
  /** Shares of what a client does next; the rest are reads. */
  readonly add: number;
  readonly update: number;
  readonly remove: number;
  readonly itemsMax: number;
  /** The share of batches of several tables. */
  readonly parted: number;
  /** The probability of a simultaneous replay, and of one with another payload. */
  readonly replay: number;
  readonly rival: number;
  /** The probability that a settled request is sent again, and with another payload. */
  readonly repeat: number;
  readonly foreign: number;
  /** Null without a proxy. */
  readonly fault: ((random: Random) => Fault) | null;
  /** How long the first attempt waits for an answer. */
  readonly timeoutMs: number;
  /** True when several clients work on the same records. */
  readonly shared: boolean;
}

/** The mix of most proofs. */
export const usualMix: Mix = {
  ...{ add: 0.5, update: 0.3, remove: 0.1, itemsMax: 4, parted: 0.25 },
  ...{ replay: 0.05, rival: 0.03, repeat: 0.05, foreign: 0.03 },
  ...{ fault: null, timeoutMs: 30_000, shared: false },
};

/** Totals over all clients. */
export interface Tally {
  batches: number;
  attempts: number;
  accepted: number;
  conflicts: number;
  replays: number;
  /** Other payloads sent under a used id, and how many were refused for that reason. */
  foreignSent: number;
  foreign: number;
  unanswered: number;
  reads: number;
}

export const newTally = (): Tally => ({
  ...{ batches: 0, attempts: 0, accepted: 0, conflicts: 0, replays: 0 },
  ...{ foreignSent: 0, foreign: 0, unanswered: 0, reads: 0 },
});

/** How often a request is repeated before the run is aborted, and the pause after a "busy" answer. */
const attemptsMax = 200;
const busyPauseMs = 100;
/** Each attempt waits longer than the last one, up to this: on a slow machine, requests must not pile up at the service. */
const patienceMsMax = 10_000;

/** Attempts by number, so that the proxy's witness finds the attempt of an answer. */
export class Attempts {
  readonly #open = new Map<number, Attempt>();
  #next = 0;

  begin(transaction: Transaction): { readonly number: number; readonly attempt: Attempt } {
    const attempt: Attempt = { sentAt: performance.now(), heard: null, handedOn: null, unheard: [] };
    transaction.attempts.push(attempt);
    const number = this.#next++;
    this.#open.set(number, attempt);
    // No request is under way for as long as it takes to send this many more.
    this.#open.delete(number - keptAttempts);
    return { number, attempt };
  }

  /** Records a proxy's report of an answer. @throws Error when the attempt is no longer known */
  witness(number: number, reply: Reply, isHandedOn: boolean): void {
    const answer = answerOf(reply);
    if (answer === null) return;
    const attempt = this.#open.get(number);
    if (attempt === undefined) throw new Error(`An answer came to attempt ${number}, which was long ago.`);
    if (isHandedOn) attempt.handedOn = answer;
    else attempt.unheard.push(answer);
  }
}

const keptAttempts = 50_000;

export interface FamilyOptions {
  /** One per instance of the service: requests go to each of them in turn, replays to different ones. */
  readonly ports: readonly number[];
  readonly space: Space;
  readonly name: string;
  readonly mix: Mix;
  readonly tally: Tally;
  readonly attempts: Attempts;
  /** Called with every answer. */
  readonly observe: (reply: Reply) => void;
  /** Replace the usual ids and marks (the id) of transactions, and the ends of their records' notes. */
  readonly own?: { newId?(): string; markOf?(id: string): string; noteOf?(id: string): string };
}

/** The server has ended; attempts under way stay unsettled. */
export class ServerGone extends Error {}

/** One family: its clients, and all answers to them. */
export class Family {
  readonly transactions: Transaction[] = [];
  readonly reads: Read[] = [];
  readonly #rivals = new Set<Transaction>();
  /** The records as the clients know them. */
  #present = new Map<string, Seen>();
  /** Ids of records that were deleted, to be added again. */
  readonly #deleted: string[] = [];
  readonly #options: FamilyOptions;
  #instances: readonly Connections[];
  #turn = 0;
  #sequence = 0;

  constructor(options: FamilyOptions) {
    this.#options = options;
    this.#instances = options.ports.map((port) => new Connections(port));
  }

  get name(): string {
    return this.#options.name;
  }

  /** The records as the clients know them. */
  get present(): readonly Seen[] {
    return [...this.#present.values()];
  }

  /** Makes the clients use this port from now on. */
  reconnect(port: number): void {
    this.close();
    this.#instances = [new Connections(port)];
  }

  /** Adds this many records, one by one, before the work begins. */
  async addRecords(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      const transaction = this.#begin(`${this.name}-made${number}`, 'add', [addItem(`${this.name}-${number}`)]);
      await this.#insist(transaction, () => 'none');
    }
    await this.look();
  }

  /** Takes the next action. @throws ServerGone when the server does not answer although there is no proxy */
  async step(random: Random, mix = this.#options.mix): Promise<void> {
    const choice = random.fraction();
    if (choice < mix.add) return this.#write(random, 'add', this.#newItems(random));
    const records = random.some(this.present, 1 + random.below(mix.itemsMax));
    if (records.length === 0) return this.#write(random, 'add', this.#newItems(random));
    if (choice < mix.add + mix.update) return this.#write(random, 'update', records.map(updateItem));
    if (choice < mix.add + mix.update + mix.remove) return this.#write(random, 'delete', records.map(deleteItem));
    await this.look();
  }

  /** Reads the family and records what was seen. */
  async look(): Promise<readonly Seen[]> {
    const startedAt = performance.now();
    const records = await this.#query();
    this.reads.push({ startedAt, endedAt: performance.now(), records });
    this.#options.tally.reads++;
    this.#present = new Map(records.map((record) => [record.objectId, record]));
    return records;
  }

  /** Repeats unsettled requests until they are settled. */
  async settle(): Promise<void> {
    for (const transaction of this.transactions.filter(isOpen)) await this.#insist(transaction, () => 'none');
  }

  open(): Transaction[] {
    return this.transactions.filter(isOpen);
  }

  async history(): Promise<History> {
    return { transactions: this.transactions, reads: this.reads, final: await this.#query() };
  }

  close(): void {
    for (const connections of this.#instances) connections.close();
  }

  async #query(): Promise<readonly Seen[]> {
    const bytes = readRequest(this.#options.space, this.name);
    try {
      for (let tries = 1; ; tries++) {
        const reply = await this.#exchange(bytes, 30_000, this.#turn++);
        if (!isBusy(reply) || tries === attemptsMax) return recordsOf(reply.body);
        await sleep(busyPauseMs);
      }
    } catch (error) {
      throw error instanceof Lost ? new ServerGone(error.message) : error;
    }
  }

  async #exchange(bytes: Buffer, timeoutMs: number, turn: number): Promise<Reply> {
    const connections = this.#instances[turn % this.#instances.length] as Connections;
    const reply = await connections.using((connection) => connection.exchange(bytes, timeoutMs));
    this.#options.observe(reply);
    return reply;
  }

  #newItems(random: Random): Item[] {
    const again = this.#deleted.splice(0, random.below(2));
    if (this.#options.mix.shared) return again.map(addItem);
    const made = Array.from({ length: 1 + random.below(this.#options.mix.itemsMax) }, () =>
      addItem(random.chance(0.5) ? `${this.name}-${this.#sequence++}` : null),
    );
    return [...again.map(addItem), ...made];
  }

  async #write(random: Random, operation: Transaction['operation'], items: readonly Item[]): Promise<void> {
    if (items.length === 0) {
      // Awaits something, because otherwise the other clients, which have the records, would never run.
      await this.look();
      return;
    }
    const { mix, tally, own } = this.#options;
    const transaction = this.#begin(own?.newId?.() ?? `${this.name}-t${this.#sequence++}`, operation, items);
    const fault = () => mix.fault?.(random) ?? 'none';
    const turn = this.#turn++;
    const replays = [this.#insist(transaction, fault, turn)];
    if (random.chance(mix.replay)) replays.push(this.#insist(transaction, fault, turn + 1));
    if (random.chance(mix.rival)) replays.push(this.#insist(this.#rival(transaction), fault, turn + 1));
    const [outcome] = await Promise.all(replays);
    if (outcome === undefined || !isDone(outcome)) {
      if (outcome?.kind === 'refused' || outcome?.kind === 'foreign') await this.#recover(operation, items, outcome);
      return;
    }
    this.#note(transaction, outcome);
    if (random.chance(mix.repeat)) await this.#insist(transaction, fault);
    if (random.chance(mix.foreign)) {
      tally.foreignSent++;
      const answer = await this.#insist(this.#rival(transaction), fault);
      if (answer.kind === 'foreign') tally.foreign++;
    }
  }

  /** Another client, or a replay with another payload, was faster: reads the present records. */
  async #recover(operation: string, items: readonly Item[], outcome: Answer): Promise<void> {
    if (outcome.kind === 'refused') this.#options.tally.conflicts++;
    const records = new Set((await this.look()).map(({ objectId }) => objectId));
    if (operation !== 'add') return;
    for (const { objectId } of items) {
      if (objectId !== null && !records.has(objectId)) this.#deleted.push(objectId);
    }
  }

  #begin(id: string, operation: Transaction['operation'], items: readonly Item[]): Transaction {
    const transaction: Transaction = { id, operation, items, attempts: [] };
    this.transactions.push(transaction);
    this.#options.tally.batches++;
    return transaction;
  }

  /** The same id with another payload. */
  #rival({ id, operation, items }: Transaction): Transaction {
    // The items of a delete have no payload, so the rival deletes another record.
    const own = operation === 'delete' ? [{ objectId: 'nobody', base: 0, count: null }] : items.slice(0, 1);
    const rival: Transaction = { id, operation, items: own, attempts: [] };
    this.#rivals.add(rival);
    this.transactions.push(rival);
    return rival;
  }

  /** Sends the request until an answer settles it; a fault of the service does not, and is left to the check. */
  async #insist(transaction: Transaction, fault: () => Fault, turn = this.#turn++): Promise<Answer> {
    const { mix } = this.#options;
    for (let tries = 0; tries < attemptsMax; tries++) {
      const timeoutMs = Math.max(mix.timeoutMs, Math.min((tries + 1) * mix.timeoutMs, patienceMsMax));
      const nextFault = tries < attemptsMax / 2 ? fault() : 'none';
      const answer = await this.#attempt(transaction, { fault: nextFault, turn: turn + tries, timeoutMs });
      if (answer !== null) return answer;
    }
    throw new Error(`${transaction.id} was sent ${attemptsMax} times, and no answer settled it.`);
  }

  /** @returns null if no answer came, or one that does not settle it */
  async #attempt(
    transaction: Transaction,
    { fault, turn, timeoutMs }: { readonly fault: Fault; readonly turn: number; readonly timeoutMs: number },
  ): Promise<Answer | null> {
    const { mix, tally, attempts, own } = this.#options;
    const { number, attempt } = attempts.begin(transaction);
    const marked = mix.fault === null ? undefined : { fault, attempt: number };
    const { id } = transaction;
    const payload = (this.#rivals.has(transaction) ? 'rival ' : 'first ') + (own?.noteOf?.(id) ?? '');
    const mark = own?.markOf?.(id) ?? id;
    const isParted = fractionOf(id) < mix.parted;
    const bytes = writeRequest(this.#options.space, this.name, transaction, payload, { marked, mark, isParted });
    tally.attempts++;
    try {
      const reply = await this.#exchange(bytes, timeoutMs, turn);
      const answer = answerOf(reply);
      if (answer === null) {
        await sleep(busyPauseMs);
        return null;
      }
      attempt.heard = { at: performance.now(), answer };
      if (answer.kind === 'fault') return null;
      if (answer.kind === 'accepted') tally.accepted++;
      if (answer.kind === 'replayed') tally.replays++;
      return answer;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      tally.unanswered++;
      if (mix.fault === null) throw new ServerGone(error.message);
      return null;
    }
  }

  #note({ id, operation, items }: Transaction, { results }: Extract<Answer, { results: unknown }>): void {
    for (const [index, written] of results.entries()) {
      if (operation === 'delete') {
        this.#present.delete(written.objectId);
        this.#deleted.push(written.objectId);
      } else {
        this.#present.set(written.objectId, { ...written, mark: id, count: items[index]?.count ?? 0 });
      }
    }
  }
}

function isDone(answer: Answer): answer is Extract<Answer, { results: unknown }> {
  return 'results' in answer;
}

function isOpen({ attempts }: Transaction): boolean {
  return attempts.every(({ heard }) => heard === null || heard.answer.kind === 'fault');
}

/** At least 0 and below 1; the same for every attempt of the transaction. */
function fractionOf(id: string): number {
  return crc32(id) / 2 ** 32;
}

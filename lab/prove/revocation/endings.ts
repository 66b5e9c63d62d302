/** Ends sessions at random, one ending after another, and signs new ones in to replace them. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../../../src/config.ts';
import type { Random } from '../../machine/random.ts';
import { type Stored, startServer } from '../../service/process.ts';
import { type Ending, elsewhereMs, Held, isMeant } from './ended.ts';
import type { Load } from './load.ts';
import { type Act, type Seat, type SignedIn, world } from './orders.ts';

/** An instance of the service with the orders of this proof. */
export interface Instance {
  readonly port: number;
  signIn(seats: readonly Seat[]): Promise<readonly SignedIn[]>;
  newUser(companyId: number): Promise<number>;
  /** Resolves when an administrator would get the answer. */
  act(act: Act): Promise<void>;
  stop(): Promise<void>;
}

/** @param make whether to create the companies */
export async function startInstance(settings: Partial<Settings> & Stored, make: boolean): Promise<Instance> {
  const orders = join(import.meta.dirname, 'orders.ts');
  const { port, ask, stop } = await startServer(settings, { settings }, { orders });
  if (make) await ask('makeCompanies');
  return {
    port,
    signIn: (seats) => ask('signIn', seats),
    newUser: (companyId) => ask('newUser', companyId),
    act: (act) => ask('act', act),
    stop,
  };
}

const devices = 20;
const usersPerCompany = 12;
/** How long something stays disabled: long enough for every process to notice, and for checks after that. */
const disabledMs = elsewhereMs + 1_500;
const never = Number.POSITIVE_INFINITY;

export class Endings {
  readonly #load: Load;
  readonly #instances: readonly Instance[];
  readonly #sessionsWanted: number;
  readonly #users = new Map<number, number[]>();
  /** Endings under way, which may affect a sign-in now. */
  readonly #under = new Set<Ending>();
  readonly #disabled = new Map<string, Promise<void>>();
  /** The number of each kind. */
  readonly counts = new Map<string, number>();
  sessionsEnded = 0;

  constructor(load: Load, instances: readonly Instance[], sessionsWanted: number) {
    this.#load = load;
    this.#instances = instances;
    this.#sessionsWanted = sessionsWanted;
  }

  /** Creates the users and the first sessions. */
  async begin(random: Random): Promise<void> {
    for (const companyId of world.companies) {
      const made = Array.from({ length: usersPerCompany }, () => random.pick(this.#instances).newUser(companyId));
      this.#users.set(companyId, await Promise.all(made));
    }
    await this.#fill(random);
  }

  async step(random: Random): Promise<void> {
    const act = chosen(random, random.pick(this.#load.held).seat);
    const key = JSON.stringify(act);
    if (this.#disabled.has(key)) return;
    if (act.kind === 'remove') await this.#replaceUser(act, random);
    const by = random.below(this.#instances.length);
    const ending: Ending = { act, by, doneAt: never, voidAt: never };
    this.#under.add(ending);
    const meant = this.#load.held.filter(({ seat }) => isMeant(act, seat));
    for (const session of meant) session.endings.push(ending);
    await this.#instances[by]?.act(act);
    ending.doneAt = performance.now();
    this.sessionsEnded += meant.length;
    this.counts.set(nameOf(act), (this.counts.get(nameOf(act)) ?? 0) + 1);
    if (act.kind === 'switch') this.#disabled.set(key, this.#enableLater(ending, act, key));
    else this.#under.delete(ending);
    this.#load.sortOut();
    await this.#fill(random);
  }

  /** Resolves when nothing is disabled any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#disabled.values());
  }

  async #fill(random: Random): Promise<void> {
    const { held } = this.#load;
    const seats = Array.from({ length: Math.max(0, this.#sessionsWanted - held.length) }, (): Seat => {
      const companyId = random.pick(world.companies);
      return {
        companyId,
        appId: random.pick(world.appIds),
        version: random.pick(world.versions),
        userId: random.pick(this.#users.get(companyId) ?? []),
        deviceUdid: `device-${random.below(devices)}`,
      };
    });
    const underAtFirst = [...this.#under];
    const signedIn = await random.pick(this.#instances).signIn(seats);
    const meeting = new Set([...underAtFirst, ...this.#under]);
    for (const seat of signedIn) held.push(this.#heldBy(seat, meeting));
  }

  /** Anything disabled at this moment affects a sign-in now. */
  #heldBy(seat: SignedIn, meeting: ReadonlySet<Ending>): Held {
    const session = new Held(seat);
    session.endings.push(...[...meeting].filter(({ act }) => isMeant(act, seat)));
    return session;
  }

  async #replaceUser({ companyId, userId }: Extract<Act, { kind: 'remove' }>, random: Random): Promise<void> {
    const present = this.#users.get(companyId) ?? [];
    const other = await random.pick(this.#instances).newUser(companyId);
    this.#users.set(companyId, [...present.filter((id) => id !== userId), other]);
  }

  async #enableLater(ending: Ending, act: Extract<Act, { kind: 'switch' }>, key: string): Promise<void> {
    await wait(disabledMs);
    ending.voidAt = performance.now();
    // The user may have been removed by now.
    await this.#instances[ending.by]?.act({ ...act, disabled: false }).catch(() => {});
    this.#under.delete(ending);
    this.#disabled.delete(key);
  }
}

function chosen(random: Random, { id: sessionId, companyId, appId, version, userId, deviceUdid }: SignedIn): Act {
  const revoke = (selection: object): Act => ({ kind: 'revoke', selection: { companyId, ...selection } });
  const disable = (of: object): Act => ({ kind: 'switch', of: { companyId, ...of }, disabled: true });
  return random.weighted<Act>(
    [30, () => revoke({ sessionId })],
    [25, () => revoke({ userId })],
    [15, () => revoke({ deviceUdid })],
    [5, () => revoke({ appId })],
    [5, () => revoke({ appId, version })],
    [5, () => revoke({ userId, appId })],
    [2, () => revoke({})],
    [5, () => ({ kind: 'remove', companyId, userId })],
    [5, () => disable({ userId })],
    [2, () => disable({ appId, version })],
    [1, () => disable({ appId })],
  );
}

function nameOf(act: Act): string {
  const of = (what: object) => Object.keys(what).slice(1).join(' and ') || 'company';
  switch (act.kind) {
    case 'revoke':
      return `ended by ${of(act.selection)}`;
    case 'switch':
      return `disabled: ${of(act.of)}`;
    case 'remove':
      return 'users removed';
  }
}

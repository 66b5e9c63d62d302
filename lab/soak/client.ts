/** One client: signs in, then performs random actions at a given rate until the soak ends. */
import { setTimeout as wait } from 'node:timers/promises';
import { walkDemoSignIn } from '../../src/demo/sign-in.ts';
import type { Random } from '../machine/random.ts';
import { judge } from '../prove/history.ts';
import { tableName } from '../prove/service.ts';
import { Attempts, Family, type Mix, ServerGone, usualMix } from '../prove/workload.ts';
import { account, appId, appKey, type MadeSpace } from '../service/spaces.ts';
import { misbehave, misbehaviours } from './misbehaviour.ts';
import * as requests from './requests.ts';
import { Session } from './session.ts';
import { Interrupted, type World } from './world.ts';
import { wrongRequests } from './wrong-input.ts';

const recordsMin = 60;
const recordsMax = 250;
const mix: Mix = { ...usualMix, add: 0.4, update: 0.35, remove: 0.25, itemsMax: 5, parted: 0, timeoutMs: 40_000 };
const growing: Mix = { ...mix, add: 1 };
const shrinking: Mix = { ...mix, add: 0, update: 0.5, remove: 0.5 };
/** Few, so that the definitions stop growing within the warm-up. */
const extraColumnsMax = 4;

export class Client {
  readonly #world: World;
  readonly #number: number;
  readonly #place: MadeSpace;
  readonly #random: Random;
  /** Its records, and all answers to its writes. */
  readonly #family: Family;
  readonly #session: Session;
  #life = 0;
  /** The shares of a client's actions. Four of five are reads. */
  readonly #doings: readonly (readonly [number, () => Promise<void>])[] = [
    [34, () => this.#readOne()],
    [15, () => this.#read('page', 'POST', `/data/query/${tableName}`, requests.page(this.#random))],
    [8, () => this.#read('own page', 'POST', `/data/query/${tableName}`, requests.ownPage(this.#owner, 50))],
    [9, () => this.#read('count', 'POST', `/data/query/${tableName}/count`, requests.page(this.#random))],
    [9, () => this.#read('older query', 'POST', '/data/query', requests.olderPage(this.#random))],
    [3, () => this.#readSmall()],
    [13, () => this.#write()],
    [2, () => this.#read('log', 'POST', '/logs', { logLevel: 'MONITOR', message: 'soaking '.repeat(20) })],
    [2, () => this.#wrong()],
    [2, () => this.#misbehave()],
    [1.5, () => this.#refresh()],
    [0.2, () => this.#signOutAndIn()],
    [0.4, () => this.#addColumn()],
  ];

  constructor(world: World, number: number, random: Random) {
    this.#world = world;
    this.#number = number;
    this.#place = world.places[number % world.places.length] as MadeSpace;
    this.#random = random;
    const { spaceId, prefix } = this.#place;
    const session = new Session(world, this.#owner, prefix);
    const space = {
      ...{ spaceId, prefix },
      get token() {
        return session.token;
      },
    };
    this.#session = session;
    this.#family = new Family({
      ...{ ports: [world.port], space, name: this.#owner, mix, tally: world.writes, attempts: new Attempts() },
      observe: () => {},
      own: { noteOf: requests.noteOf },
    });
  }

  get #owner(): string {
    return `client-${this.#number}`;
  }

  /** Signs in, and defines the tables if it is the first client of its version. */
  async begin(): Promise<void> {
    this.#life = this.#world.life;
    await this.#signIn();
    if (this.#number >= this.#world.places.length) return;
    await this.#session.expect('define', 'POST', '/schemas', { tables: requests.tablesWith(0) });
    const cities = { objectName: requests.cityTable, data: requests.cities() };
    await this.#session.expect('add', 'POST', '/data/batch/addData', cities);
  }

  /** @param pauseMs mean time between two actions */
  async run(pauseMs: number): Promise<void> {
    while (!this.#world.isOver) {
      await wait(this.#random.fraction() * 2 * pauseMs);
      try {
        await this.#world.up();
        if (this.#life !== this.#world.life) await this.verify();
        await this.#random.weighted(...this.#doings);
      } catch (error) {
        if (!(error instanceof Interrupted)) this.#session.note(`${error instanceof Error ? error.stack : error}`);
      }
    }
    this.#session.disconnect();
    this.#family.close();
  }

  /** After a restart: checks that everything acknowledged is stored once. @returns how many records were checked */
  async verify(): Promise<number> {
    const { life, port } = this.#world;
    this.#session.disconnect();
    this.#family.reconnect(port);
    return this.#unlessGone('verify', async () => {
      await this.#family.settle();
      await this.#family.look();
      const history = await this.#family.history();
      for (const { rule, message } of judge(history)) this.#session.note(`after a restart: ${rule}: ${message}`);
      this.#life = life;
      return history.final.length;
    });
  }

  /** @throws Interrupted when the server was gone and a restart may be the reason */
  async #unlessGone<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { life, tally } = this.#world;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
      if (this.#session.mayFail(life)) tally.lostInRestarts++;
      else this.#session.note(`${what}: ${error.message}`);
      throw new Interrupted();
    }
  }

  async #readOne(): Promise<void> {
    const { present } = this.#family;
    if (present.length === 0) return this.#write();
    const isThere = !this.#random.chance(0.05);
    const { objectId, count } = this.#random.pick(present);
    const path = `/data/${tableName}/${isThere ? objectId : 'nobody'}?token=${this.#session.token}`;
    const { status, json } = await this.#session.call('get', 'GET', path);
    if (!isThere) return this.#session.check(status === 404, 'get of nobody', status, json);
    const isRight = status === 200 && Number(json[tableName]?.[0]?.count) === count;
    this.#session.check(isRight, `get of ${objectId}`, status, json);
  }

  async #read(operation: string, method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
    await this.#session.expect(operation, method, path, body);
  }

  #readSmall(): Promise<void> {
    const path = this.#random.pick(['/roles', `/logLevel?token=${this.#session.token}`, '/schemas']);
    return this.#read('small', 'GET', path);
  }

  async #write(): Promise<void> {
    const { length } = this.#family.present;
    const own = length < recordsMin ? growing : length > recordsMax ? shrinking : mix;
    const started = performance.now();
    await this.#unlessGone('write', () => this.#family.step(this.#random, own));
    this.#world.tally.count({ operation: 'write', status: 200, code: 0, milliseconds: performance.now() - started });
  }

  async #wrong(): Promise<void> {
    const wrong = this.#random.pick(wrongRequests);
    const { status, json } = await this.#session.call('wrong input', 'POST', wrong.path, wrong.body, wrong.token);
    this.#session.check(status >= 400 && status < 500, `wrong input ${String(wrong.body).slice(0, 100)}`, status, json);
  }

  async #misbehave(): Promise<void> {
    const how = this.#random.pick(misbehaviours);
    const bytes = (body: object) => this.#session.request('POST', `/data/query/${tableName}`, JSON.stringify(body));
    const sent = { small: bytes(requests.page(this.#random)), large: bytes(requests.everything) };
    const { life } = this.#world;
    this.#world.tally.misbehaved(how);
    try {
      const status = await misbehave(how, this.#world.port, sent, this.#random);
      if (status !== null && !this.#session.mayFail(life)) this.#session.check(status === 200, how, status, null);
    } catch (error) {
      if (!this.#session.mayFail(life)) throw new Error(how, { cause: error });
    }
  }

  async #refresh(): Promise<void> {
    const { json } = await this.#session.expect('refresh', 'POST', '/auth/refresh');
    this.#session.token = json.authInfo?.userTokens ?? '';
  }

  async #signOutAndIn(): Promise<void> {
    const before = this.#session.token;
    await this.#session.expect('logout', 'POST', '/auth/logout').finally(() => this.#signIn());
    const { status, json } = await this.#session.call('ended session', 'GET', '/roles', undefined, before);
    this.#session.check(status === 401, 'a session after its logout', status, json);
  }

  async #signIn(): Promise<void> {
    const { companyId, version: appVersion } = this.#place;
    const { providerName, clientId } = requests;
    const names = { companyId, appId, appVersion, appKey, providerName, clientId, login: account };
    for (;;) {
      await this.#world.up();
      const { life, url } = this.#world;
      try {
        const started = performance.now();
        this.#session.token = (await walkDemoSignIn({ url, ...names, deviceUDID: this.#owner })).userTokens;
        const milliseconds = performance.now() - started;
        this.#world.tally.count({ operation: 'sign-in', status: 200, code: 0, milliseconds });
        return;
      } catch (error) {
        if (!this.#session.mayFail(life)) throw error;
      }
    }
  }

  async #addColumn(): Promise<void> {
    const { extraColumns } = this.#world;
    const extra = Math.min(extraColumnsMax, (extraColumns.get(this.#place.prefix) ?? 0) + 1);
    extraColumns.set(this.#place.prefix, extra);
    await this.#session.expect('define', 'POST', '/schemas', { tables: requests.tablesWith(extra) });
  }
}

/** One client: signs in, then does one thing after another at the pace that it was given, until the soak is over. */
import { setTimeout as wait } from 'node:timers/promises';
import { walkDemoSignIn } from '../../src/demo/sign-in.ts';
import type { Random } from '../machine/random.ts';
import { account, appId, appKey, type MadeSpace } from '../service/spaces.ts';
import { misbehave, misbehaviours } from './misbehaviour.ts';
import { type Effect, Records } from './records.ts';
import * as requests from './requests.ts';
import { cityCount, cityName, cityTable, clientId, itemTable, providerName, tablesWith } from './requests.ts';
import { Session } from './session.ts';
import { Interrupted, type World } from './world.ts';
import { wrongRequests } from './wrong-input.ts';

const recordsMin = 60;
const recordsMax = 250;
const batchMax = 5;
/** Few, so that the definitions stop growing within the warm-up. */
const extraColumnsMax = 4;

export class Client {
  readonly #world: World;
  readonly #number: number;
  readonly #place: MadeSpace;
  readonly #random: Random;
  readonly #records = new Records();
  readonly #session: Session;
  #life = 0;
  /** Shares of all that a client does. Four of five are reads. */
  readonly #doings: readonly (readonly [number, () => Promise<void>])[] = [
    [34, () => this.#readOne()],
    [15, () => this.#read('page', 'POST', `/data/query/${itemTable}`, requests.page(this.#random))],
    [8, () => this.#read('own page', 'POST', `/data/query/${itemTable}`, requests.ownPage(this.#owner, 50))],
    [9, () => this.#read('count', 'POST', `/data/query/${itemTable}/count`, requests.page(this.#random))],
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
    this.#session = new Session(world, this.#owner, this.#place.prefix);
  }

  get #owner(): string {
    return `client-${this.#number}`;
  }

  /** Signs in, and defines the tables where it is the first one of its place. */
  async begin(): Promise<void> {
    this.#life = this.#world.life;
    await this.#signIn();
    if (this.#number >= this.#world.places.length) return;
    await this.#session.expect('define', 'POST', '/schemas', { tables: tablesWith(0) });
    const cities = Array.from({ length: cityCount }, (_, city) => ({
      objectId: `city-${city}`,
      name: cityName(city),
      label: `The city of number ${city}`,
      scopeType: '3',
    }));
    await this.#session.expect('add', 'POST', '/data/batch/addData', { objectName: cityTable, data: cities });
  }

  /** @param pauseMs mean time between two doings */
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
  }

  /** After a restart: everything that was acknowledged is there. @returns how many records were looked at */
  async verify(): Promise<number> {
    this.#life = this.#world.life;
    this.#session.disconnect();
    const answer = await this.#session.expect(
      'verify',
      'POST',
      `/data/query/${itemTable}`,
      requests.ownPage(this.#owner, 1_000),
    );
    const stored = (answer.json.i ?? []).map((item) => ({
      objectId: item.objectId,
      count: Number(item.count),
      serverUpdateTime: item.serverUpdateTime,
    }));
    for (const text of this.#records.compare(stored)) this.#session.note(`after a restart: ${text}`);
    return stored.length;
  }

  async #readOne(): Promise<void> {
    const { all } = this.#records;
    if (all.length === 0) return this.#write();
    const isThere = !this.#random.chance(0.05);
    const [objectId, known] = this.#random.pick(all);
    const path = `/data/${itemTable}/${isThere ? objectId : 'nobody'}?token=${this.#session.token}`;
    const { status, json } = await this.#session.call('get', 'GET', path);
    if (!isThere) return this.#session.check(status === 404, 'get of nobody', status, json);
    this.#session.check(
      status === 200 && Number(json[itemTable]?.[0]?.count) === known.count,
      `get of ${objectId}`,
      status,
      json,
    );
  }

  async #read(operation: string, method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
    await this.#session.expect(operation, method, path, body);
  }

  #readSmall(): Promise<void> {
    const path = this.#random.pick(['/roles', `/logLevel?token=${this.#session.token}`, '/schemas']);
    return this.#read('small', 'GET', path);
  }

  async #write(): Promise<void> {
    const { size, all } = this.#records;
    const choice = this.#random.fraction();
    const some = () => this.#random.some(all, 1 + this.#random.below(batchMax));
    const transactionId = `${this.#owner}-${crypto.randomUUID()}`;
    const body = { transactionId, objectName: itemTable };
    if (size < recordsMin || (choice < 0.4 && size < recordsMax)) {
      const ids = Array.from({ length: 1 + this.#random.below(batchMax) }, () => this.#records.nextId(this.#number));
      const data = ids.map((objectId) => requests.item(objectId, this.#owner, 0, this.#random));
      await this.#batch('add', 'addData', { ...body, data }, new Map(ids.map((objectId) => [objectId, 0])));
    } else if (choice < 0.75) {
      const chosen = some();
      const data = chosen.map(([objectId, { count, serverUpdateTime }]) => ({
        ...requests.item(objectId, this.#owner, count + 1, this.#random),
        serverUpdateTime,
      }));
      const effect = new Map(chosen.map(([objectId, { count }]) => [objectId, count + 1]));
      await this.#batch('update', 'updateData', { ...body, data }, effect);
    } else {
      const chosen = some();
      const objectIds = chosen.map(([objectId, { serverUpdateTime }]) => ({ objectId, serverUpdateTime }));
      await this.#batch('delete', 'deleteData', { ...body, objectIds }, new Map(chosen.map(([id]) => [id, null])));
    }
  }

  async #batch(operation: string, path: string, body: object, effect: Effect): Promise<void> {
    try {
      const { json } = await this.#session.expect(operation, 'POST', `/data/batch/${path}`, body);
      const times = (json.results ?? []).map((result) => result.serverUpdateTime);
      this.#records.answered(effect, times);
      this.#world.tally.acknowledged++;
    } catch (error) {
      this.#records.lost(effect);
      throw error;
    }
  }

  async #wrong(): Promise<void> {
    const wrong = this.#random.pick(wrongRequests);
    const { status, json } = await this.#session.call('wrong input', 'POST', wrong.path, wrong.body, wrong.token);
    this.#session.check(status >= 400 && status < 500, `wrong input ${String(wrong.body).slice(0, 100)}`, status, json);
  }

  async #misbehave(): Promise<void> {
    const how = this.#random.pick(misbehaviours);
    const bytes = (body: object) => this.#session.request('POST', `/data/query/${itemTable}`, JSON.stringify(body));
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
    await this.#session.expect('define', 'POST', '/schemas', { tables: tablesWith(extra) });
  }
}

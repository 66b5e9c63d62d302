/**
 * Secrets are sent to every operation, in correct and incorrect positions; afterwards no answer, no line of the log at
 * its finest level and no byte of the databases contains one, in any form.
 */
import { hash } from 'node:crypto';
import http from 'node:http';
import { demoNames, signInAtProvider } from '../../src/demo/sign-in.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { exchange } from '../client/messages.ts';
import { type Random, seeded } from '../machine/random.ts';
import { type Found, madeUp, search } from './canaries/marks.ts';
import { type Described, type Known, Requests, type Wanted } from './canaries/requests.ts';
import { type CanaryWorld, openWorld } from './canaries/world.ts';
import type { Violation } from './history.ts';
import { countsByRule, type Proof, type Task } from './report.ts';

const operations = operationsOf('client');
const adminOperations = operationsOf('administration');

export interface CanaryTask extends Task {
  readonly requests: number;
}

/** Requests under way at a time. */
const clients = 16;
/** One request in this many is a whole sign-in at the provider. */
const signInEvery = 400;
const keptMax = 3;
/** Operations that end sessions which the others need. */
const ending = /^(logout|logoutEverywhere|signOut|endSession|end.*Sessions?|setUserPassword|changeOwnPassword)$/;
const device = 'device-of-the-proof';
const prefix = `/api/1/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;

export async function proveCanaries({ server, requests, seed, progress }: CanaryTask): Promise<Proof> {
  const world = await openWorld(server);
  try {
    const run = new Run(world, seed);
    await run.signInEverywhere();
    let sent = 0;
    const tellEvery = Math.ceil(requests / 20);
    const client = async (number: number) => {
      const random = seeded(seed, number);
      while (sent < requests) {
        sent += 1;
        if (sent % tellEvery === 0) progress(`${sent} of ${requests} requests, ${run.found()} found`);
        if (sent % signInEvery === 0) await run.signInAtProvider(random);
        else await run.step(random);
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    return await run.conclude();
  } finally {
    await world.rowhouse.close();
    await world.scratch.remove();
  }
}

class Run {
  readonly #world: CanaryWorld;
  readonly #requests: Requests;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  readonly #userTokens: string[] = [];
  readonly #anonymousTokens: string[] = [];
  readonly #cookies: string[] = [];
  readonly #csrfTokens: string[] = [];
  readonly #codes: string[] = [];
  readonly #inAnswers: Found[] = [];
  readonly #operations = new Set<Described>();
  readonly #codesAnswered = new Map<number, number>();
  #requestsSent = 0;
  #answerBytes = 0;
  #signIns = 0;
  #signInsToTheEnd = 0;

  constructor(world: CanaryWorld, seed: number) {
    this.#world = world;
    this.#requests = new Requests(seeded(seed, 1_000_000), () => this.#known());
  }

  found(): number {
    return this.#inAnswers.length + this.#world.logged.length;
  }

  /** Gets a token of each kind and a cookie to begin with. */
  async signInEverywhere(): Promise<void> {
    const { rowhouse, appKey, person, administrator } = this.#world;
    // A request may have replaced it; if another one is changing the application, the next call succeeds.
    await rowhouse.directory.applications.replaceKey(1, demoNames.appId, appKey).catch(() => {});
    const query = new URLSearchParams({ appKey, deviceUDID: device });
    const anonymous = operations.find(({ name }) => name === 'anonymousToken') as Described;
    await this.#send(anonymous, { ...plain, method: 'GET', path: `${prefix}/anonymousTokens?${query}` });
    const token = this.#anonymousTokens.at(-1) ?? '';
    const login = operations.find(({ name }) => name === 'localLogin') as Described;
    const { account: username, password } = person;
    const { appId, appVersion } = demoNames;
    const body = { username, password, companyId: 1, appId, appVersion, deviceUDID: device, isPush: false };
    const headers = { 'service-token': token, 'content-type': 'application/json' };
    await this.#send(login, { method: 'POST', path: prefix + login.path, headers, body: JSON.stringify(body) });
    const signIn = adminOperations.find(({ name }) => name === 'signIn') as Described;
    const json = { 'content-type': 'application/json' };
    const path = `/admin/api${signIn.path}`;
    await this.#send(signIn, { method: 'POST', path, headers: json, body: JSON.stringify(administrator) });
    if (this.#userTokens.length < 1 || this.#cookies.length < 1) throw new Error('The proof could not sign in.');
  }

  async step(random: Random): Promise<void> {
    if (random.chance(0.04)) await this.signInEverywhere();
    const isOfClients = random.chance(0.5);
    const operation: Described = random.pick<Described>(isOfClients ? operations : adminOperations);
    if (ending.test(operation.name) && random.chance(0.9)) return;
    const below = isOfClients ? (random.chance(0.98) ? prefix : `/api/1/${madeUp('token')}/1_0_0`) : '/admin/api';
    await this.#send(operation, this.#requests.of(operation, below));
  }

  /** The whole sign-in through the provider, valid or with a fault at its end. */
  async signInAtProvider(random: Random): Promise<void> {
    const { appKey, nonces } = this.#world;
    const named = (name: string) => operations.find((operation) => operation.name === name) as Described;
    const deviceUDID = `${device}-${this.#signIns++}`;
    const query = new URLSearchParams({ appKey, deviceUDID });
    await this.#send(named('anonymousToken'), { ...plain, path: `${prefix}/anonymousTokens?${query}` });
    const token = this.#anonymousTokens.at(-1) ?? '';
    const headers = { 'service-token': token, 'content-type': 'application/json' };
    const post = (path: string, body: object): Wanted => ({
      method: 'POST',
      path: prefix + path,
      headers,
      body: JSON.stringify(body),
    });
    await this.#send(named('registerDevice'), post('/devices', { deviceUDID, deviceToken: madeUp('text') }));
    const asked = new URLSearchParams({ authToken: token, clientId: demoNames.clientId });
    const base = `/auth/oidc/${demoNames.providerName}`;
    const answer = await this.#send(named('authenticate'), {
      ...plain,
      path: `${prefix}${base}/Authenticate?${asked}`,
    });
    const location = answer.headers.location;
    if (location === undefined) return;
    nonces.add(new URL(location).searchParams.get('nonce') ?? '');
    const code = (await signInAtProvider(location, 'alice', 'any')).get('code') ?? '';
    this.#codes.push(code);
    const { appId, appVersion, clientId } = demoNames;
    const right = { companyId: 1, appId, appVersion, authToken: token, deviceUDID, isPush: true, clientId };
    const body = { ...right, authzCode: code, authnState: hash('sha1', token) };
    const spoiled = random.chance(0.5)
      ? {}
      : { [random.pick(Object.keys(body))]: madeUp(random.pick(['text', 'token'])) };
    const ended = await this.#send(named('login'), post(`${base}/Login`, { ...body, ...spoiled }));
    if (ended.text.includes('"errCode":0')) this.#signInsToTheEnd += 1;
  }

  async conclude(): Promise<Proof> {
    const { rowhouse, scratch, nonces, logged } = this.#world;
    // Nonces of unfinished sign-ins.
    const { directory: db } = rowhouse.storage;
    for (const { nonce } of await db.read(db.build.selectFrom('login_flow').select('nonce'))) nonces.add(nonce);
    const running = await scratch.contents();
    await rowhouse.close();
    const closed = await scratch.contents();
    this.#agent.destroy();
    const stored = [running, closed].flatMap((text) => [...search(text, nonces), ...this.#codesIn(text)]);
    const violations = [
      ...this.#inAnswers.map((found) => violation('an answer', found)),
      ...logged.map((found) => violation('the log', found)),
      ...stored.map((found) => violation('a database', found)),
    ];
    return { violations, figures: this.#figures(running.length, violations) };
  }

  #figures(storedBytes: number, violations: readonly Violation[]) {
    const refused = [...this.#codesAnswered].sort(([left], [right]) => left - right);
    return [
      { name: 'requests', value: this.#requestsSent },
      { name: 'operations', value: `${this.#operations.size} of ${operations.length + adminOperations.length}` },
      { name: 'sign-ins at the provider, to their end', value: `${this.#signIns}, ${this.#signInsToTheEnd}` },
      { name: 'answered codes', value: refused.map(([code, times]) => `${code}: ${times}`).join(', ') },
      { name: 'bytes of answers searched', value: this.#answerBytes },
      { name: 'bytes of log searched', value: this.#world.logBytes() },
      { name: 'bytes of databases searched, twice', value: storedBytes },
      ...countsByRule(violations, ['no secret is told']),
    ];
  }

  /** Codes come from the provider and have no mark; neither do its tokens, which all begin alike. */
  #codesIn(text: string): Found[] {
    return [...this.#codes, 'eyJhbGciOi']
      .filter((code) => text.includes(code))
      .map((code) => ({ form: 'code of the provider', place: code }));
  }

  #known(): Known {
    const { appKey, person, administrator } = this.#world;
    return {
      userTokens: this.#userTokens,
      anonymousTokens: this.#anonymousTokens,
      cookies: this.#cookies,
      csrfTokens: this.#csrfTokens,
      values: {
        companyId: ['1'],
        appId: [demoNames.appId],
        appVersion: [demoNames.appVersion],
        version: [demoNames.appVersion],
        provider: [demoNames.providerName],
        clientId: [demoNames.clientId],
        deviceUDID: [device],
        objectName: ['DemoNote'],
        phyName: ['DemoNote'],
        username: [person.account],
        account: [administrator.account],
        appKey: [appKey],
        password: [person.password, administrator.password],
        authToken: this.#anonymousTokens,
        authzCode: this.#codes,
      },
    };
  }

  async #send(operation: Described, wanted: Wanted) {
    const { headers: told, bytes } = await exchange(this.#agent, this.#world.rowhouse.url + wanted.path, wanted);
    const answer = { headers: told, text: bytes.toString('latin1') };
    this.#requestsSent += 1;
    this.#operations.add(operation);
    const code = Number(/"errCode":(\d+)/.exec(answer.text.slice(0, 200))?.[1] ?? -1);
    this.#codesAnswered.set(code, (this.#codesAnswered.get(code) ?? 0) + 1);
    const headers = JSON.stringify(answer.headers);
    this.#answerBytes += answer.text.length + headers.length;
    // A trial's answer has the address in its body.
    const location = answer.headers.location ?? /"location":"([^"]*)"/.exec(answer.text)?.[1] ?? '';
    for (const [, value = ''] of location.matchAll(/(?:nonce|state)=([\w-]{43})/g)) this.#world.nonces.add(value);
    const rest = code === 0 ? this.#given(operation.name, answer.text, headers) : answer.text + headers;
    for (const found of search(rest, this.#world.nonces)) {
      this.#inAnswers.push({ ...found, place: `${wanted.method} ${operation.name}: ${found.place}` });
    }
    return answer;
  }

  /** The answer without the secrets that it returns to their owner once. */
  #given(name: string, text: string, headers: string): string {
    const take = (pattern: RegExp, into: string[]) => (whole: string) =>
      whole.replaceAll(pattern, (_, before: string, secret: string, after: string) => {
        into.push(secret);
        if (into.length > keptMax) into.shift();
        return before + after;
      });
    switch (name) {
      case 'anonymousToken':
        return take(/("results":")([0-9a-f]{64})(")/g, this.#anonymousTokens)(text) + headers;
      case 'login':
      case 'localLogin':
      case 'refresh':
        return take(/("userTokens":")([0-9a-f]{64})(")/g, this.#userTokens)(text) + headers;
      case 'setUp':
      case 'signIn':
      case 'beginProviderSignIn': {
        take(/("csrfToken":")([0-9a-f]{64})(")/g, this.#csrfTokens)(text);
        return text + take(/(rowhouse_admin\w*=)([0-9a-f]{64})(;)/g, this.#cookies)(headers);
      }
      default:
        return take(/("appKey":")([^"]+)(")/g, [])(text) + headers;
    }
  }
}

const plain = { method: 'GET', headers: {}, body: undefined } as const;

function violation(where: string, { form, place }: Found): Violation {
  return { rule: 'no secret is told', message: `${where} has one (${form}): ${JSON.stringify(place)}` };
}

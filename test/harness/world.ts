/**
 * A whole running service for one test file: started on a free port and its own storage, with the demo's two companies
 * and users who signed in through the real sign-in. Closing it checks that neither its log nor its data contain a
 * secret, and removes everything.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import { demoNames, walkDemoSignIn } from '../../src/demo/sign-in.ts';
import type { Environment } from '../../src/environment.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { fewThreads, makeLaidOut, type Scratch } from '../engines/scratch.ts';
import { type Call, openClient } from './client.ts';
import { joinGroup } from './memberships.ts';
import type { Names } from './names.ts';

/** alice is in both groups of company 1 and defines tables, bob in the first, carol in the second; dave is company 2. */
export type Who = 'alice' | 'bob' | 'carol' | 'dave';

export const everybody: readonly Who[] = ['alice', 'bob', 'carol', 'dave'];

const companyOf: Readonly<Record<Who, number>> = { alice: 1, bob: 1, carol: 1, dave: 2 };

/** The server's clock: the real one plus an offset, or stopped. */
export interface Clock {
  offsetMs: number;
  /** Milliseconds since 1970, null to let it run. */
  stoppedAt: number | null;
}

export interface Person {
  readonly token: string;
  readonly id: string;
  /** Ascending. */
  readonly groupIds: readonly number[];
  readonly authInfo: unknown;
}

/** A text that must not be in an answer, unless the caller may know it. */
export interface Secret {
  readonly text: string;
  readonly what: string;
  readonly known: readonly Who[];
}

export interface World {
  readonly server: Rowhouse;
  /** `/api/1/…`, and the same for company 2. */
  readonly prefix: string;
  readonly foreignPrefix: string;
  readonly call: Call;
  readonly clock: Clock;
  readonly names: Names;
  readonly secrets: Secret[];
  person(who: Who): Person;
  token(who: Who): string;
  prefixOf(who: Who): string;
  /** Signs someone in again, on another device. The token is added to the secrets. */
  signIn(who: Who, deviceUDID: string): Promise<Person>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly people?: readonly Who[];
  readonly settings?: Partial<Settings>;
  /** Existing storage to use instead of a fresh one; it is kept. */
  readonly scratch?: Scratch;
  /** Called after the start, before anybody signs in. */
  readonly arrange?: (server: Rowhouse) => Promise<void>;
}

export const app = demoNames;

export const appPath = `${app.appId}/${app.appVersion.replaceAll('.', '_')}`;

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const scratch = options.scratch ?? (await makeLaidOut());
  const removeScratch = async () => {
    if (options.scratch === undefined) await scratch.remove();
  };
  const clock: Clock = { offsetMs: 0, stoppedAt: null };
  const environment: Environment = {
    ...systemEnvironment,
    now: () => (clock.stoppedAt ?? Date.now()) + clock.offsetMs,
  };
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, collector(logged));
  const settings: Settings = {
    ...defaults,
    ...fewThreads,
    ...scratch.settings,
    port: 0,
    logLevel: 'silent',
    stopIdleMs: 0,
    ...options.settings,
  };
  const server = await startRowhouse(settings, { demo: true, environment, log });
  const client = openClient(server.url);
  const people = new Map<Who, Person>();
  const names: Names = new Map();
  const secrets: Secret[] = [];
  const prefixOf = (who: Who) => `/api/${companyOf[who]}/${appPath}`;

  function person(who: Who): Person {
    const found = people.get(who);
    assert.ok(found !== undefined, `${who} has not signed in.`);
    return found;
  }

  async function signIn(who: Who, deviceUDID: string): Promise<Person> {
    const authInfo = await walkDemoSignIn({ url: server.url, companyId: companyOf[who], login: who, deviceUDID });
    const { userTokens: token, userId, groupsAndRoles } = authInfo;
    secrets.push({ text: token, what: `a token of ${who}`, known: [] });
    secrets.push({ text: sha256(token), what: `the hash of a token of ${who}`, known: [] });
    const groupIds = [...new Set(groupsAndRoles.map((item) => Number(item.groupId)))].sort((a, b) => a - b);
    return { token, id: String(userId), groupIds, authInfo };
  }

  async function close(): Promise<void> {
    client.close();
    await server.close();
    const stored = await scratch.contents();
    await removeScratch();
    const text = logged.join('');
    for (const secret of [...secrets, { text: app.appKey, what: 'the application key', known: [] }]) {
      if (secret.known.length > 0) continue;
      assert.ok(!text.includes(secret.text), `The log shows ${secret.what}.`);
      const isHash = secret.what.startsWith('the hash of');
      assert.ok(isHash || !stored.includes(secret.text), `The storage holds ${secret.what} in clear.`);
    }
  }

  const world: World = {
    server,
    prefix: prefixOf('alice'),
    foreignPrefix: prefixOf('dave'),
    call: client.call,
    clock,
    names,
    secrets,
    person,
    token: (who) => person(who).token,
    prefixOf,
    signIn,
    close,
  };
  try {
    const groups = await arrangeGroups(server);
    await options.arrange?.(server);
    for (const who of options.people ?? everybody) people.set(who, await signIn(who, `device-of-${who}`));
    nameThings(world, people, groups);
    return world;
  } catch (error) {
    client.close();
    await server.close();
    await removeScratch();
    throw error;
  }
}

interface Groups {
  readonly first: number;
  readonly second: number;
  /** An empty group of company 1. */
  readonly empty: number;
}

/** Puts alice into both groups of company 1, as a plain user in the second, and creates a group without members. */
async function arrangeGroups({ directory }: Rowhouse): Promise<Groups> {
  const [first, second] = await directory.groups.list(1);
  const alice = await directory.users.byAccount(1, 'alice');
  assert.ok(first !== undefined && second !== undefined && alice !== null, 'The demo has two groups and alice.');
  await joinGroup(directory.users, alice.id, { groupId: second.id, roleId: 5 });
  const empty =
    (await directory.groups.byName(1, 'Nobody')) ?? (await directory.groups.create({ companyId: 1, name: 'Nobody' }));
  return { first: first.id, second: second.id, empty: empty.id };
}

function nameThings(world: World, people: ReadonlyMap<Who, Person>, groups: Groups): void {
  const { names } = world;
  names.set('appKey', app.appKey);
  names.set('clientId', app.clientId);
  names.set('prefix', world.prefix);
  names.set('foreignPrefix', world.foreignPrefix);
  names.set('g1', String(groups.first));
  names.set('g2', String(groups.second));
  names.set('foreign.group', String(groups.empty));
  for (const [who, person] of people) {
    names.set(`${who}.token`, person.token);
    names.set(`${who}.tokenInCapitals`, person.token.toUpperCase());
    names.set(`${who}.tokenHash`, sha256(person.token));
    names.set(`${who}.id`, person.id);
    names.set(`${who}.groups`, `{${person.groupIds.join(',')}}`);
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}

/**
 * The service's side of the client's tests: everything that they need from it, as functions that take and return JSON
 * values, so that a process other than the client's can run them.
 */
import assert from 'node:assert/strict';
import { setUserPassword } from '../../src/administration/user-passwords.ts';
import type { Settings } from '../../src/config.ts';
import { signInAtProvider } from '../../src/demo/sign-in.ts';
import { defineTables } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';

export type { Who };

export interface Arrangement<Name extends Who> {
  /** Who has signed in. */
  readonly people: readonly Name[];
  /** Defined by alice, who must be one of the people. */
  readonly tables?: readonly object[];
  readonly settings?: Partial<Settings>;
  /** The origin of pages that may call the application in company 1 or 2. */
  readonly origin?: string;
}

/** A running service; one started for each file of tests. */
export interface Service<Name extends Who = Who> {
  /** What a client must know of an application. */
  readonly place: {
    readonly url: string;
    readonly companyId: number;
    readonly appId: string;
    readonly appVersion: string;
  };
  readonly appKey: string;
  /** At the provider of the demo. */
  readonly clientId: string;
  readonly people: Readonly<Record<Name, { readonly token: string; readonly userId: string }>>;
}

type Reached = Pick<Service, 'place'>;

/** By address. */
const worlds = new Map<string, World>();

function worldOf({ place: { url } }: Reached): World {
  const world = worlds.get(url);
  assert.ok(world !== undefined, `No service runs at ${url}.`);
  return world;
}

export async function start<const Name extends Who>(arrangement: Arrangement<Name>): Promise<Service<Name>> {
  const { people: names, tables, settings = {}, origin } = arrangement;
  const world = await startWorld({ people: names, settings });
  const { url, directory } = world.server;
  worlds.set(url, world);
  if (tables !== undefined) await defineTables(world, 'alice', tables);
  if (origin !== undefined) {
    for (const companyId of [1, 2])
      await directory.applications.update(companyId, app.appId, { corsOrigins: [origin] });
  }
  const people = names.map((who) => [who, { token: world.token(who), userId: world.person(who).id }]);
  return {
    place: { url, companyId: 1, appId: app.appId, appVersion: app.appVersion },
    appKey: app.appKey,
    clientId: app.clientId,
    people: Object.fromEntries(people),
  };
}

/** Checks that the service's log and data contain no secret. @param service undefined if it did not start */
export async function stop(service: Reached | undefined): Promise<void> {
  if (service === undefined) return;
  const world = worldOf(service);
  worlds.delete(service.place.url);
  await world.close();
}

/** Defines more tables, as alice. */
export async function define(service: Reached, tables: readonly object[]): Promise<void> {
  await defineTables(worldOf(service), 'alice', tables);
}

/** The answer to a request that alice sends without the client. @param path below the application's */
export async function read(service: Reached, path: string): Promise<unknown> {
  const world = worldOf(service);
  const { status, json, text } = await world.call('GET', `${world.prefix}${path}`, { token: world.token('alice') });
  assert.equal(status, 200, text);
  return json;
}

/** Ends the session with this token. */
export async function endSession(service: Reached, token: string): Promise<void> {
  const world = worldOf(service);
  const { status, text } = await world.call('POST', `${world.prefix}/auth/logout`, { token });
  assert.equal(status, 200, text);
}

/** Sets the service's clock forward. */
export async function passTime(service: Reached, ms: number): Promise<void> {
  worldOf(service).clock.offsetMs += ms;
}

/** The lowest level of log messages that the service wants. */
export async function setLogLevel(service: Reached, logLevel: 'ERROR' | 'MONITOR'): Promise<void> {
  await worldOf(service).server.directory.versions.update(1, app.appId, app.appVersion, { logLevel });
}

/** Lets a user of company 1 sign in with a password. */
export async function givePassword(service: Reached, account: string, password: string): Promise<void> {
  const world = worldOf(service);
  const { directory, administration } = world.server;
  const user = await directory.users.byAccount(1, account);
  await setUserPassword(administration, { kind: 'operator' }, { companyId: 1, userId: user?.id ?? 0, password });
  await directory.applications.update(1, app.appId, { localAccounts: true });
  world.secrets.push({ text: password, what: 'a password', known: [] });
}

/** Signs in at the demo's provider, like a user in a browser. @returns the address that the provider sends the user to */
export async function visitProvider(address: string, who: Who): Promise<string> {
  const returned = await signInAtProvider(address, who, 'any');
  return `${new URL(address).searchParams.get('redirect_uri')}?${returned}`;
}

/**
 * A running service whose application has the falsifying proxy as its provider, and the steps of a sign-in. A sign-in
 * that wrongly succeeds would create an account, which the later checks would find.
 */
import assert from 'node:assert/strict';
import { openSeal } from '../../../src/auth/seal.ts';
import { fetchWithCookies, newCookieJar } from '../../../src/demo/cookie-jar.ts';
import type { NewClient } from '../../../src/directory/clients.ts';
import type { ProviderColumns } from '../../../src/directory/providers.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { assertEnvelope, statusOfCode } from '../../harness/cases.ts';
import type { Answer } from '../../harness/client.ts';
import { valueAt } from '../../harness/match.ts';
import {
  anonymousToken,
  authenticate,
  type LoginBody,
  login,
  loginBody,
  type Place,
  placeOf,
  registerDevice,
} from '../../harness/sign-in.ts';
import { app, sha256, startWorld, type World } from '../../harness/world.ts';
import { domain, mainClient, otherClient, redirectBase } from './provider.ts';
import { type LyingProxy, startLyingProxy, type TenantLies } from './proxy.ts';

/** How a tenant of the proxy is registered, if unlike the main one. */
export type Registered = Partial<NewClient> & Pick<ProviderColumns, 'accountPolicy'>;

export interface House {
  readonly world: World;
  readonly proxy: LyingProxy;
  /** The application's provider `main`. */
  readonly place: Place;
  /** Another application of the company, with the same provider. */
  readonly elsewhere: { readonly appId: string; readonly prefix: string };
  /** Adds a provider for one case, with its own issuer; returns its name. */
  addTenant(lies: TenantLies, changes?: Registered): Promise<Place>;
  begin(device: string, place?: Place): Promise<Begun>;
  close(): Promise<void>;
}

export interface Begun {
  readonly token: string;
  readonly device: string;
  readonly place: Place;
  /** Of Authenticate. */
  readonly answer: Answer;
}

export async function openHouse(): Promise<House> {
  const proxy = await startLyingProxy();
  const world = await startWorld({ people: ['alice'], settings: { providerTimeMs: 2_500 } });
  const { directory, settings } = world.server;
  const secretSealed = openSeal(settings, systemEnvironment).seal(proxy.clientSecret);
  const group = (await directory.groups.byName(1, 'Sales'))!.id;
  const accounts = { accountPolicy: 'refuse', defaultGroupId: group, defaultRoleId: 5 } as const;
  await directory.applications.update(1, app.appId, accounts);
  const createsAt = (issuer: string) => ({ issuer, accountPolicy: 'create' }) as const;
  const add = (client: Partial<NewClient> & { providerName: string; redirectUri: string }) =>
    directory.clients.create({
      companyId: 1,
      appId: app.appId,
      clientId: mainClient,
      secretSealed,
      ...client,
    });
  await add({ providerName: 'main', newProvider: createsAt(proxy.issuer), redirectUri: `${redirectBase}/main` });
  await add({
    providerName: 'main',
    redirectUri: `${redirectBase}/main`,
    clientId: otherClient,
  });
  const elsewhere = { appId: 'elsewhere', prefix: '/api/1/elsewhere/1_0_0' };
  await directory.applications.create({ companyId: 1, appId: elsewhere.appId, appKey: app.appKey });
  await directory.versions.create({ companyId: 1, appId: elsewhere.appId, version: '1.0.0' });
  const place = placeOf(world, { provider: 'main', clientId: mainClient });

  let tenants = 0;
  return {
    world,
    proxy,
    place,
    elsewhere,
    async addTenant(lies, changes = {}) {
      const tenant = `t-${tenants++}`;
      proxy.lieAsTenant(tenant, lies);
      const redirectUri = `${redirectBase}/${tenant}`;
      const { accountPolicy, ...client } = { accountPolicy: 'create', ...changes } as const;
      const newProvider = { issuer: `${proxy.issuer}/${tenant}`, accountPolicy };
      await add({ providerName: tenant, newProvider, redirectUri, ...client });
      return { ...place, provider: tenant, clientId: changes.clientId ?? mainClient };
    },
    async begin(device, at = place) {
      const token = await anonymousToken(world, device);
      assertEnvelope(await registerDevice(world, token, device), 0);
      return { token, device, place: at, answer: await authenticate(world, token, at) };
    },
    async close() {
      await proxy.close();
      world.secrets.push(...proxy.secrets.map((text) => ({ text, what: 'a secret of the provider', known: [] })));
      await world.close();
    },
  };
}

/** The person's step at the provider: returns the code, or null when the provider does not send the browser back. */
export async function codeFrom(location: string, person: string): Promise<string | null> {
  const jar = newCookieJar();
  let next = new URL(location);
  next.searchParams.set('login_hint', person);
  for (let step = 0; step < 8; step += 1) {
    const response = await fetchWithCookies(jar, next, null);
    await response.text();
    const redirect = response.headers.get('location');
    if (redirect === null) return null;
    next = new URL(redirect, next);
    if (next.origin === new URL(redirectBase).origin) return next.searchParams.get('code');
  }
  throw new Error('The provider redirects without end.');
}

/** What a client sends to Login. */
export interface Sent {
  readonly header: string | undefined;
  readonly body: Record<keyof LoginBody | 'iss', unknown>;
  readonly place: Place;
}

export function rightRequest({ token, device, place }: Begun, code: string): Sent {
  return { header: token, body: { ...loginBody(token, device, code, place), iss: undefined }, place };
}

export function send({ world }: House, { header, body, place }: Sent): Promise<Answer> {
  return login(world, header, body, place);
}

/** Expects the documented code with its status, and no token in the answer. */
export function assertRefused(answer: Answer, code: number): void {
  assert.equal(valueAt(answer.json, 'errCode'), code, answer.text);
  assertEnvelope(answer, code);
  assert.equal(answer.status, statusOfCode[code]);
  assert.equal(valueAt(answer.json, 'authInfo'), undefined);
}

/** Expects no session of the device, and no account or identity of the person. */
export async function assertNothingWritten({ world }: House, device: string, person: string): Promise<void> {
  const { build, read } = world.server.storage.directory;
  const [sessions, users, identities] = await Promise.all([
    read(build.selectFrom('token').select('hash').where('device_udid', '=', device).where('kind', '=', 'user')),
    read(build.selectFrom('user').select('id').where('account', 'like', `${person}@%`)),
    read(build.selectFrom('identity').select('user_id').where('subject', '=', person)),
  ]);
  assert.deepEqual([sessions, users, identities], [[], [], []]);
}

export type FlowState = 'open' | 'used' | 'none';

export async function assertFlow({ world }: House, token: string, expected: FlowState): Promise<void> {
  const { build, read } = world.server.storage.directory;
  const [flow] = await read(build.selectFrom('login_flow').select('used').where('token_hash', '=', sha256(token)));
  assert.equal(flow === undefined ? 'none' : flow.used === 1 ? 'used' : 'open', expected, 'the login flow');
}

export async function countRows({ world }: House) {
  const { build, read } = world.server.storage.directory;
  const count = async (table: 'user' | 'identity' | 'membership') =>
    Number((await read(build.selectFrom(table).select(build.fn.countAll().as('count'))))[0]?.count);
  return { users: await count('user'), identities: await count('identity'), memberships: await count('membership') };
}

export const emailOf = (person: string) => `${person}@${domain}`;

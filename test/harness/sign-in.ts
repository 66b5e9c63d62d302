/**
 * The steps of a sign-in one by one, for tests that stop, repeat or falsify one of them
 * (docs/reference/sign-in.md#the-way-to-a-user-token).
 */
import assert from 'node:assert/strict';
import { signInAtProvider } from '../../src/demo/sign-in.ts';
import { assertEnvelope } from './cases.ts';
import type { Answer } from './client.ts';
import { valueAt } from './match.ts';
import { app, sha1, type Who, type World } from './world.ts';

export interface LoginBody {
  readonly companyId: unknown;
  readonly appId: unknown;
  readonly appVersion: unknown;
  readonly authToken: unknown;
  readonly deviceUDID: unknown;
  readonly isPush: unknown;
  readonly clientId: unknown;
  readonly authzCode: unknown;
  readonly authnState: unknown;
}

/** Identifies the application; company 1 and the default provider by default. */
export interface Place {
  readonly prefix: string;
  readonly companyId: number;
  readonly provider: string;
  readonly clientId: string;
}

export function placeOf(world: World, more: Partial<Place> = {}): Place {
  return { prefix: world.prefix, companyId: 1, provider: app.providerName, clientId: app.clientId, ...more };
}

/** An anonymous token, which is added to the world's secrets. */
export async function anonymousToken(world: World, deviceUDID: string, prefix = world.prefix): Promise<string> {
  const query = new URLSearchParams({ appKey: app.appKey, deviceUDID });
  const answer = await world.call('GET', `${prefix}/anonymousTokens?${query}`);
  assertEnvelope(answer, 0);
  const token = valueAt(answer.json, 'results');
  assert.match(String(token), /^[0-9a-f]{64}$/);
  world.secrets.push({ text: String(token), what: 'an anonymous token', known: [] });
  return String(token);
}

export function registerDevice(
  world: World,
  token: string,
  deviceUDID: string,
  more: object = {},
  prefix = world.prefix,
): Promise<Answer> {
  const body = { deviceToken: 'push', deviceUDID, deviceName: 'Test device', osType: 'test', ...more };
  return world.call('POST', `${prefix}/devices`, { token, body });
}

export function authenticate(world: World, authToken: string, place: Place, accept = '*/*'): Promise<Answer> {
  const query = new URLSearchParams({ authToken, clientId: place.clientId });
  return world.call('GET', `${place.prefix}/auth/oidc/${place.provider}/Authenticate?${query}`, {
    headers: { accept },
  });
}

/** Anonymous token, registered device, and the provider's address. */
export async function beginSignIn(
  world: World,
  deviceUDID: string,
  place = placeOf(world),
): Promise<{ token: string; location: URL }> {
  const token = await anonymousToken(world, deviceUDID, place.prefix);
  assertEnvelope(await registerDevice(world, token, deviceUDID, {}, place.prefix), 0);
  const answer = await authenticate(world, token, place);
  assert.equal(answer.status, 302, answer.text);
  return { token, location: new URL(String(answer.headers.location)) };
}

/** Signs the user in at the provider. @returns the code of the redirect address */
export async function codeFor(who: Who, location: URL): Promise<string> {
  const returned = await signInAtProvider(location.href, who, 'any');
  return String(returned.get('code'));
}

export function loginBody(token: string, deviceUDID: string, authzCode: string, place: Place): LoginBody {
  return {
    companyId: place.companyId,
    appId: app.appId,
    appVersion: app.appVersion,
    authToken: token,
    deviceUDID,
    isPush: 'false',
    clientId: place.clientId,
    authzCode,
    authnState: sha1(token),
  };
}

export function login(
  world: World,
  headerToken: string | undefined,
  body: unknown,
  place = placeOf(world),
): Promise<Answer> {
  return world.call('POST', `${place.prefix}/auth/oidc/${place.provider}/Login`, { token: headerToken, body });
}

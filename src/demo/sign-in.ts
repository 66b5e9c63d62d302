/**
 * Runs the whole sign-in of docs/reference/sign-in.md#the-way-to-a-user-token over HTTP, as a client with a browser
 * would, against the demo's provider.
 */
import { hash } from 'node:crypto';
import type { AuthInfo } from '../auth/open.ts';
import { demoApp } from './company.ts';
import { fetchWithCookies, newCookieJar } from './cookie-jar.ts';

/** Configuration of the demo's client; the same in both companies. */
export const demoNames = {
  appId: demoApp.appId,
  appVersion: demoApp.version,
  appKey: demoApp.appKey,
  providerName: demoApp.providerName,
  clientId: demoApp.clientId,
} as const;

/** Absent members default to the demo's values. */
export interface DemoSignIn {
  /** The address of the service, including its context root. */
  readonly url: string;
  readonly companyId: number;
  /** `alice` or `alice@example.com`. */
  readonly login: string;
  /** Any one does. */
  readonly password?: string;
  readonly appId?: string;
  readonly appVersion?: string;
  readonly appKey?: string;
  readonly providerName?: string;
  readonly clientId?: string;
  readonly deviceUDID?: string;
}

interface Envelope {
  readonly errCode: number;
  readonly description: string | null;
  readonly results?: unknown;
  readonly authInfo?: AuthInfo;
}

const redirectsMax = 10;

/**
 * The code of device registration for a known device; the client continues with it
 * (docs/reference/sign-in.md#the-way-to-a-user-token).
 */
const alreadyRegistered = 161;

/** @throws Error with a readable message: what did not answer, or which step was refused and why */
export async function walkDemoSignIn(wanted: DemoSignIn): Promise<AuthInfo> {
  const { url, companyId, login, password = 'demo' } = wanted;
  const { appId, appVersion, appKey, providerName, clientId } = { ...demoNames, ...wanted };
  const { deviceUDID = `demo-${login}` } = wanted;
  const prefix = `${url.replace(/\/$/, '')}/api/${companyId}/${appId}/${appVersion.replaceAll('.', '_')}`;

  const tokenQuery = new URLSearchParams({ appKey, deviceUDID });
  const { results } = await call('anonymous token', `${prefix}/anonymousTokens?${tokenQuery}`);
  const authToken = String(results);
  const device = { deviceUDID, deviceName: 'demo sign-in', osType: 'node' };
  await call('device registration', `${prefix}/devices`, { token: authToken, body: device, fine: [alreadyRegistered] });

  const location = await askForLocation(`${prefix}/auth/oidc/${providerName}`, authToken, clientId);
  const returned = await signInAtProvider(location, login, password);
  const { authInfo } = await call('login', `${prefix}/auth/oidc/${providerName}/Login`, {
    token: authToken,
    body: {
      companyId,
      appId,
      appVersion,
      authToken,
      deviceUDID,
      isPush: 'false',
      clientId,
      authzCode: returned.get('code'),
      authnState: hash('sha1', authToken),
    },
  });
  if (authInfo === undefined) throw new Error('login: the answer has no authInfo.');
  return authInfo;
}

/**
 * Does what a browser does with Authenticate's address: follows redirects, fills in the sign-in form, and stops at the
 * application's redirect address. Returns that address's query: `code` and `state`.
 */
export async function signInAtProvider(location: string, login: string, password: string): Promise<URLSearchParams> {
  const jar = newCookieJar();
  const home = new URL(location).searchParams.get('redirect_uri') ?? '';
  const target = new URL(home);
  let next = new URL(location);
  let form: URLSearchParams | null = null;
  for (let step = 0; step < redirectsMax; step += 1) {
    const response = await fetchWithCookies(jar, next, form).catch((error: unknown) => {
      throw new Error(`The identity provider at ${next.origin} does not answer.`, { cause: error });
    });
    const redirect = response.headers.get('location');
    const page = await response.text();
    if (redirect !== null) {
      next = new URL(redirect, next);
      form = null;
      if (next.origin === target.origin && next.pathname === target.pathname) return codeOf(next);
    } else if (response.status === 200 && form === null && page.includes('<form')) {
      form = new URLSearchParams({ login, password });
    } else if (form !== null) {
      throw new Error(`The identity provider does not know ${JSON.stringify(login)}.`);
    } else {
      throw new Error(`The identity provider answered with status ${response.status} and no sign-in form.`);
    }
  }
  throw new Error(`The identity provider redirected more than ${redirectsMax} times.`);
}

function codeOf(returned: URL): URLSearchParams {
  const error = returned.searchParams.get('error');
  if (error !== null) throw new Error(`The identity provider refused the sign-in: ${error}.`);
  return returned.searchParams;
}

async function askForLocation(base: string, authToken: string, clientId: string): Promise<string> {
  const query = new URLSearchParams({ authToken, clientId });
  const response = await reach(`${base}/Authenticate?${query}`, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status === 302 && location !== null) return location;
  throw refused('authenticate', (await response.json()) as Envelope);
}

async function call(
  step: string,
  url: string,
  options: { readonly token?: string; readonly body?: object; readonly fine?: readonly number[] } = {},
): Promise<Envelope> {
  const { token, body, fine = [] } = options;
  const headers = {
    ...(token === undefined ? {} : { 'service-token': token }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await reach(url, request);
  const envelope = (await response.json()) as Envelope;
  if (Number(envelope.errCode) !== 0 && !fine.includes(Number(envelope.errCode))) throw refused(step, envelope);
  return envelope;
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const { origin } = new URL(url);
    throw new Error(`Nothing answers at ${origin}. Start the service with "rowhouse serve --demo".`, { cause: error });
  }
}

function refused(step: string, { errCode, description }: Envelope): Error {
  return new Error(`The step "${step}" was refused with code ${errCode}: ${description}`);
}

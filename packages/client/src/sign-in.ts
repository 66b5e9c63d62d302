/** The steps of a sign-in, at the provider or with a password (docs/reference/sign-in.md#the-way-to-a-user-token). */
import { RowhouseError, SignInRefused } from './errors.ts';
import { timeOrderedId } from './ids.ts';
import { readJson, type TextStorage } from './storage.ts';
import type { Transport, TransportOptions } from './transport.ts';
import type { Operations } from './wire.ts';

/** At which provider, and as which of its clients. */
export interface SignInRequest {
  /** The client id configured at the provider. */
  readonly clientId: string;
  /** The provider's name in the service: `idp` unless given. */
  readonly provider?: string | undefined;
}

/** What this device says of itself. */
export interface Device {
  /** Shown to administrators: `Browser` unless given. */
  readonly name?: string | undefined;
  readonly osType?: string | undefined;
}

export type AuthInfo = Operations['login']['answer']['authInfo'];

/** A sign-in under way, kept until the provider sends the user back. */
interface Flow {
  readonly provider: string;
  readonly clientId: string;
  readonly authToken: string;
  /** Whether the page that the user returns to hands the answer to the page that began. */
  readonly isElsewhere: boolean;
  /** Milliseconds of this machine's clock. */
  readonly begun: number;
}

/** As long as the service waits for the login. */
const flowMsMax = 600_000;
const alreadyRegistered = 161;

interface SignInPlace extends Pick<TransportOptions, 'companyId' | 'appId' | 'appVersion'> {
  readonly appKey: string;
  readonly device?: Device | undefined;
  readonly newId?: (() => string) | undefined;
  readonly storage: TextStorage;
  /** The beginning of the keys in the storage. */
  readonly keys: string;
}

export interface SignInSteps {
  /** @returns the provider's address @throws RowhouseError */
  begin(request: SignInRequest, isElsewhere: boolean): Promise<string>;
  /** Where the answer to a sign-in belongs that has this `state`; null if none is under way, as far as this page can see. */
  belongsTo(state: string): Promise<'here' | 'elsewhere' | null>;
  /** @param returned the address to which the provider sent the user @throws SignInRefused, or another RowhouseError */
  finish(returned: string | URL): Promise<AuthInfo>;
  /** @throws SignInRefused, or another RowhouseError */
  withPassword(username: string, password: string): Promise<AuthInfo>;
}

export function signInSteps(transport: Transport, place: SignInPlace): SignInSteps {
  const { companyId, appId, appVersion, appKey, device = {}, newId = timeOrderedId, storage, keys } = place;
  const flowsKey = `${keys}.flows`;
  const deviceKey = `${keys}.device`;
  const application = { companyId, appId, appVersion };

  /** Made once for each application version and storage, because the service knows one user at a time by it. */
  async function deviceUDID(): Promise<string> {
    const known = await storage.getItem(deviceKey);
    if (known !== null) return known;
    const made = `device-${newId()}`;
    await storage.setItem(deviceKey, made);
    return made;
  }

  async function anonymousToken(deviceUDID: string): Promise<string> {
    const query = { appKey, deviceUDID };
    return (await transport.send('anonymousToken', { query, token: null, isRepeatable: true })).answer.results;
  }

  async function flows(): Promise<Record<string, Flow>> {
    const kept = Object.entries((await readJson<Record<string, Flow>>(storage, flowsKey)) ?? {});
    return Object.fromEntries(kept.filter(([, { begun }]) => Math.abs(Date.now() - begun) < flowMsMax));
  }

  async function begin({ clientId, provider = 'idp' }: SignInRequest, isElsewhere: boolean): Promise<string> {
    const udid = await deviceUDID();
    const authToken = await anonymousToken(udid);
    const body = { deviceUDID: udid, deviceName: device.name ?? 'Browser', osType: device.osType ?? 'browser' };
    await transport.send('registerDevice', { body, token: authToken, isRepeatable: true }).catch((error: unknown) => {
      if (!(error instanceof RowhouseError) || error.code !== alreadyRegistered) throw error;
    });
    const sent = { params: { provider }, query: { authToken, clientId }, token: null };
    const address = (await transport.send('authenticate', sent)).headers.get('location');
    // The service chooses the state: the SHA-1 of the anonymous token.
    const state = address === null ? null : new URL(address).searchParams.get('state');
    if (address === null || state === null) throw refusal('No address.');
    const flow = { provider, clientId, authToken, isElsewhere, begun: Date.now() };
    await storage.setItem(flowsKey, JSON.stringify({ ...(await flows()), [state]: flow }));
    return address;
  }

  async function belongsTo(state: string): Promise<'here' | 'elsewhere' | null> {
    const flow = (await flows())[state];
    if (flow === undefined) return null;
    return flow.isElsewhere ? 'elsewhere' : 'here';
  }

  async function finish(returned: string | URL): Promise<AuthInfo> {
    const params = new URL(returned).searchParams;
    const state = params.get('state') ?? '';
    const { [state]: flow, ...others } = await flows();
    if (flow === undefined) {
      throw refusal('No sign-in under way has this state. Begin anew.');
    }
    // A code is tried once.
    await storage.setItem(flowsKey, JSON.stringify(others));
    const authzCode = params.get('code');
    if (authzCode === null) throw refusal(`The provider refused the sign-in: ${params.get('error') ?? 'no code'}.`);
    const { authToken, clientId, provider } = flow;
    const iss = params.get('iss');
    const body = {
      ...application,
      ...{ authToken, deviceUDID: await deviceUDID(), isPush: false, clientId, authzCode, authnState: state },
      ...(iss !== null && { iss }),
    };
    return (await transport.send('login', { params: { provider }, body, token: authToken })).answer.authInfo;
  }

  async function withPassword(username: string, password: string): Promise<AuthInfo> {
    const udid = await deviceUDID();
    const token = await anonymousToken(udid);
    const body = { username, password, ...application, deviceUDID: udid, isPush: false };
    return (await transport.send('localLogin', { body, token })).answer.authInfo;
  }

  return { begin, belongsTo, finish, withPassword };
}

export function refusal(message: string): SignInRefused {
  return new SignInRefused({ code: null, status: null, message });
}

/** The steps of a sign-in, at the provider or with a password (docs/reference/sign-in.md#the-way-to-a-user-token). */
import { type RowhouseError, SignInRefused } from './errors.ts';
import { timeOrderedId } from './ids.ts';
import { readJson, type TextStorage } from './storage.ts';
import type { Transport, TransportOptions } from './transport.ts';
import type { Operations } from './wire.ts';

/** The provider, and its client to sign in with. */
export interface SignInRequest {
  /** The client id configured at the provider. */
  readonly clientId: string;
  /** The provider's name in the service: `idp` by default. */
  readonly provider?: string | undefined;
}

/** The description of this device. */
export interface Device {
  /** Shown to administrators: `Browser` by default. */
  readonly name?: string | undefined;
  readonly osType?: string | undefined;
}

export type AuthInfo = Operations['login']['answer']['authInfo'];

/** A sign-in under way, kept until the provider sends the user back. */
interface Flow {
  readonly provider: string;
  readonly clientId: string;
  readonly deviceUDID: string;
  readonly authToken: string;
  /** Whether the page that the user returns to passes the answer to the page that began. */
  readonly isElsewhere: boolean;
  /** Milliseconds of this machine's clock. */
  readonly begun: number;
}

/** The same time as the service waits for the login. */
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
  /** Whether this page is to finish the sign-in with this `state`: not one of a pop-up's opener, or one that it cannot see. */
  finishesHere(state: string): Promise<boolean>;
  /** @param returned the address to which the provider sent the user @throws SignInRefused, or another RowhouseError */
  finish(returned: string | URL): Promise<AuthInfo>;
  /** @throws SignInRefused, or another RowhouseError */
  withPassword(username: string, password: string): Promise<AuthInfo>;
}

export function signInSteps(transport: Transport, place: SignInPlace): SignInSteps {
  const { companyId, appId, appVersion, appKey, device = {}, newId = timeOrderedId, storage, keys } = place;
  const { name: deviceName = 'Browser', osType = 'browser' } = device;
  const flowsKey = `${keys}.flows`;
  const deviceKey = `${keys}.device`;
  const application = { companyId, appId, appVersion };

  /** An id of the device, made once for each application version and storage, because the service knows one user at a time by it. */
  async function introduce(): Promise<{ deviceUDID: string; authToken: string }> {
    const deviceUDID = (await storage.getItem(deviceKey)) ?? `device-${newId()}`;
    await storage.setItem(deviceKey, deviceUDID);
    const call = { query: { appKey, deviceUDID }, token: null, isRepeatable: true };
    return { deviceUDID, authToken: (await transport.send('anonymousToken', call)).answer.results };
  }

  async function flows(): Promise<Record<string, Flow>> {
    const kept = Object.entries((await readJson<Record<string, Flow>>(storage, flowsKey)) ?? {});
    return Object.fromEntries(kept.filter(([, { begun }]) => Date.now() - begun < flowMsMax));
  }

  async function begin({ clientId, provider = 'idp' }: SignInRequest, isElsewhere: boolean): Promise<string> {
    const { deviceUDID, authToken } = await introduce();
    const body = { deviceUDID, deviceName, osType };
    await transport
      .send('registerDevice', { body, token: authToken, isRepeatable: true })
      .catch((error: RowhouseError) => {
        if (error.code !== alreadyRegistered) throw error;
      });
    const sent = { params: { provider }, query: { authToken, clientId }, token: null };
    const address = (await transport.send('authenticate', sent)).headers.get('location') ?? '';
    // The service chooses the state: the SHA-1 of the anonymous token.
    const state = queryOf(address).get('state');
    if (!state) throw refusal('No header Location was read.');
    const flow: Flow = { provider, clientId, deviceUDID, authToken, isElsewhere, begun: Date.now() };
    await storage.setItem(flowsKey, JSON.stringify({ ...(await flows()), [state]: flow }));
    return address;
  }

  const finishesHere = async (state: string) => (await flows())[state]?.isElsewhere === false;

  async function finish(returned: string | URL): Promise<AuthInfo> {
    const params = queryOf(returned);
    const state = params.get('state') ?? '';
    const { [state]: flow, ...others } = await flows();
    if (flow === undefined) {
      throw refusal('No sign-in under way has this state.');
    }
    // A code may be tried only once.
    await storage.setItem(flowsKey, JSON.stringify(others));
    const authzCode = params.get('code');
    if (authzCode === null) throw refusal(`The provider refused the sign-in: ${params.get('error') ?? 'no code'}.`);
    const { authToken, clientId, provider, deviceUDID } = flow;
    const body = {
      ...application,
      ...{ authToken, deviceUDID, isPush: false, clientId, authzCode, authnState: state },
      // JSON omits it if it is undefined.
      iss: (params.get('iss') ?? undefined) as string,
    };
    return (await transport.send('login', { params: { provider }, body, token: authToken })).answer.authInfo;
  }

  async function withPassword(username: string, password: string): Promise<AuthInfo> {
    const { deviceUDID, authToken: token } = await introduce();
    const body = { username, password, ...application, deviceUDID, isPush: false };
    return (await transport.send('localLogin', { body, token })).answer.authInfo;
  }

  return { begin, finishesHere, finish, withPassword };
}

export function refusal(message: string): SignInRefused {
  return new SignInRefused({ message });
}

/** The query parameters of an address. In many versions of React Native, `URL` does not parse them. */
export function queryOf(address: string | URL): URLSearchParams {
  return new URLSearchParams(`${address}`.split(/[?#]/)[1]);
}

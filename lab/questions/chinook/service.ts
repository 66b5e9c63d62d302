/** Rowhouse with its demo on a free port, and alice, who came in through the real sign-in. */
import { pino } from 'pino';
import { defaults, type Settings } from '../../../src/config.ts';
import { demoNames, walkDemoSignIn } from '../../../src/demo/sign-in.ts';
import { startRowhouse } from '../../../src/main.ts';

const companyId = 1;

/** Where the service keeps its data. */
export type Place = Pick<Settings, 'storage' | 'secretKey'>;

export interface Service {
  /** Posts a body as alice. @throws Error with the answer when it is no success */
  post(path: string, body: object): Promise<unknown>;
  close(): Promise<void>;
}

/** @param place an empty storage */
export async function startService(place: Place): Promise<Service> {
  const settings = { ...defaults, ...place, port: 0 };
  const rowhouse = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
  try {
    const { userTokens } = await walkDemoSignIn({ url: rowhouse.url, companyId, login: 'alice' });
    const prefix = `${rowhouse.url}/api/${companyId}/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;
    return { post: (path, body) => post(`${prefix}/${path}`, userTokens, body), close: () => rowhouse.close() };
  } catch (error) {
    await rowhouse.close();
    throw error;
  }
}

async function post(url: string, token: string, body: object): Promise<unknown> {
  const headers = { 'service-token': token, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status === 200) return JSON.parse(text);
  throw new Error(`${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 2_000)}`);
}

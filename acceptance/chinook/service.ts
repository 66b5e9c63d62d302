/** Rowhouse with its demo on a free port and a folder of its own, and alice, who came in through the real sign-in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { demoNames, walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { startRowhouse } from '../../src/main.ts';

const companyId = 1;

export interface Service {
  /** Posts a body as alice. @throws Error with the answer when it is no success */
  post(path: string, body: object): Promise<unknown>;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-chinook-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const settings = { ...defaults, port: 0, storage: `sqlite:${folder}` };
    const rowhouse = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
    const close = async () => {
      await rowhouse.close();
      removeFolder();
    };
    try {
      const { userTokens } = await walkDemoSignIn({ url: rowhouse.url, companyId, login: 'alice' });
      const prefix = `${rowhouse.url}/api/${companyId}/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;
      return { post: (path, body) => post(`${prefix}/${path}`, userTokens, body), close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    removeFolder();
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

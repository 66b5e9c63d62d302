/**
 * A running service without a demo, with a clock set by the test, and browsers that keep the administration's cookies.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { fewThreads, makeLaidOut } from '../engines/scratch.ts';
import { type Answer, openClient } from '../harness/client.ts';

export const password = 'a password for the tests';

export interface House {
  readonly server: Rowhouse;
  readonly settings: Settings;
  readonly clock: { ms: number };
  readonly logged: string[];
  /** Secrets that must not appear in the log or the storage. */
  readonly secrets: string[];
  browser(): Browser;
  /** Creates the first administrator with a link; the browser is then signed in. */
  setUp(account?: string): Promise<Browser>;
  close(): Promise<void>;
}

export interface Browser {
  /** By name. */
  readonly cookies: Map<string, string>;
  csrfToken: string | undefined;
  /** Below `/admin/api`; sends the cookies and, with everything but GET, the CSRF token. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  signIn(account: string, secret?: string, companyId?: number): Promise<Answer>;
}

export async function openHouse(changes: Partial<Settings> = {}): Promise<House> {
  const scratch = await makeLaidOut();
  const clock = { ms: Date.now() };
  const environment = { ...systemEnvironment, now: () => clock.ms };
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const settings: Settings = {
    ...defaults,
    ...fewThreads,
    ...scratch.settings,
    port: await freePort(),
    attemptLimits: false,
    secretKey: '5e'.repeat(32),
    ...changes,
  };
  const server = await startRowhouse(settings, { demo: false, environment, log });
  const open: { close(): unknown }[] = [server];
  const secrets: string[] = [password];
  const browser = () => {
    const client = openClient(`http://127.0.0.1:${settings.port}`);
    open.push(client);
    return openBrowser(client.call, secrets);
  };
  return {
    server,
    settings,
    clock,
    logged,
    secrets,
    browser,
    async setUp(account = 'root') {
      const link = await server.setUpLink();
      const secret = new URL(link ?? '').hash.slice(1);
      secrets.push(secret);
      const made = browser();
      const answer = await made.call('POST', '/set-up', { secret, account, password });
      assert.equal(answer.status, 200, answer.text);
      return made;
    },
    async close() {
      for (const one of open.reverse()) await one.close();
      const stored = await scratch.contents();
      await scratch.remove();
      const text = logged.join('');
      for (const secret of secrets) {
        assert.ok(!text.includes(secret), `The log shows ${secret}.`);
        assert.ok(!stored.includes(secret), `The storage holds ${secret} in clear.`);
      }
    },
  };
}

/** Chosen before the start, because the service must know its public address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function openBrowser(send: ReturnType<typeof openClient>['call'], secrets: string[]): Browser {
  const self: Browser = {
    cookies: new Map(),
    csrfToken: undefined,
    async call(method, path, body, headers = {}) {
      const cookie = [...self.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await send(method, `/admin/api${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: {
          ...(cookie === '' ? {} : { cookie }),
          ...(self.csrfToken === undefined || method === 'GET' ? {} : { 'x-csrf-token': self.csrfToken }),
          ...headers,
        },
      });
      for (const text of answer.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        if (value === '') self.cookies.delete(name);
        else {
          self.cookies.set(name, value);
          secrets.push(value);
        }
      }
      const csrfToken = (answer.json as { results?: { csrfToken?: string } } | undefined)?.results?.csrfToken;
      if (csrfToken !== undefined) self.csrfToken = csrfToken;
      return answer;
    },
    signIn: (account, secret = password, companyId) =>
      self.call('POST', '/sign-in', { account, password: secret, ...(companyId === undefined ? {} : { companyId }) }),
  };
  return self;
}

/** Envelope code and HTTP status. */
export function outcome({ status, json }: Answer): string {
  return `${(json as { errCode?: number } | undefined)?.errCode} ${status}`;
}

/** Entries of the audit trail, latest last: `<outcome> <action> by <who>`. */
export async function trail({ storage, auth }: Rowhouse): Promise<string[]> {
  await auth.refusals.flush();
  const db = storage.directory;
  const rows = await db.read(db.build.selectFrom('audit').selectAll().orderBy('id'));
  return rows.map(
    ({ outcome: how, action, actor_kind, actor_name }) => `${how} ${action} by ${actor_kind} ${actor_name}`,
  );
}

/** The two compared services: the same demo on SQLite and on PostgreSQL, with one stopped clock. */
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { demoNames, walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { startRowhouse } from '../../src/main.ts';
import { type Postgres, startPostgres } from '../machine/postgres.ts';
import { seeded } from '../machine/random.ts';
import { type Engine, makeStorage } from '../machine/scratch.ts';
import type { Request } from './requests.ts';

/** Two users of the first company in different groups, and one in both. */
export const callers = ['alice', 'bob', 'carol'] as const;
export type Caller = (typeof callers)[number];

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Pair {
  /** Both answers to the same request, on SQLite and on PostgreSQL. */
  ask(caller: Caller, request: Request): Promise<readonly [Answer, Answer]>;
  /** The time of both services' clock, in milliseconds. */
  now: number;
  groupsOf(caller: Caller): readonly number[];
  /** On SQLite and on PostgreSQL. */
  readonly services: readonly [Service, Service];
  close(): Promise<void>;
}

export interface Service {
  ask(caller: Caller, request: Request): Promise<Answer>;
  userIdOf(caller: Caller): number;
  close(): Promise<void>;
}

/** The locale of the database. It does not sort by code point, so SQL without a collation gives other answers. */
const locale = 'icu:de-DE';

const start = Date.UTC(2026, 0, 1);

/** The time zone of the services; runs with different seeds cover several. */
export const zoneFor = (seed: number) => seeded(seed).pick(['UTC', 'Europe/Berlin', 'America/St_Johns', '-11:00']);

/**
 * @param serverUrl of a PostgreSQL server on which databases may be created; by default one is started
 * @param zone of both services (setting zone)
 */
export async function startPair(serverUrl?: string, zone = 'UTC'): Promise<Pair> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closing.reverse()) await one();
  };
  // Sign-in checks the provider's tokens against the real time.
  const clock = { now: Date.now() };
  try {
    const server: Postgres | null = serverUrl === undefined ? await startPostgres() : null;
    if (server !== null) closing.push(() => server.stop());
    const url = serverUrl ?? (server?.url as string);
    const services: Service[] = [];
    for (const engine of ['sqlite', 'postgres'] as const) {
      const service = await startService(engine, url, zone, () => clock.now);
      closing.push(() => service.close());
      services.push(service);
    }
    clock.now = start;
    const [one, other] = services as [Service, Service];
    return {
      ask: (caller, request) => Promise.all([one.ask(caller, request), other.ask(caller, request)]),
      get now() {
        return clock.now;
      },
      set now(time) {
        clock.now = time;
      },
      groupsOf: (caller) => groups[caller],
      services: [one, other],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The cursor of the next page, in an answer to a select query. */
const cursor = /"next":"(v1\.[^"]+)"/;
/** How long a change of tables would take, in the answer to a dry run. */
const estimate = /"timeMs":\d+/g;

/** The same groups as in the demo. */
const groups: Readonly<Record<Caller, readonly number[]>> = { alice: [1, 2], bob: [1], carol: [2] };

async function startService(engine: Engine, serverUrl: string, zone: string, now: () => number): Promise<Service> {
  const storage = await makeStorage(engine, async () => serverUrl, undefined, locale);
  // Small enough that some answers are too large, which both must report in the same way.
  const limits = { resultRowsMax: 3_000, queryTimeMs: 60_000, historyDays: 3_650 };
  const settings = { ...defaults, ...storage.settings, ...limits, zone, port: 0 };
  const environment = { ...systemEnvironment, now };
  const rowhouse = await startRowhouse(settings, { demo: true, environment, log: pino({ level: 'silent' }) });
  const close = async () => {
    await rowhouse.close();
    await storage.remove();
  };
  try {
    const { users } = rowhouse.directory;
    const alice = await users.byAccount(1, 'alice');
    const second = { groupId: 2, roleId: 5 };
    const held = await users.memberships(alice?.id as number);
    await users.update(1, alice?.id as number, { memberships: [...held, second] });
    const tokens = new Map<Caller, string>();
    const userIds = new Map<Caller, number>();
    for (const login of callers) {
      userIds.set(login, (await users.byAccount(1, login))?.id as number);
      const { userTokens } = await walkDemoSignIn({ url: rowhouse.url, companyId: 1, login });
      tokens.set(login, userTokens);
    }
    const prefix = `${rowhouse.url}/api/1/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;
    return {
      userIdOf: (caller) => userIds.get(caller) as number,
      async ask(caller, { method, path, body, pages = 1 }) {
        const headers = { 'service-token': tokens.get(caller) as string, 'content-type': 'application/json' };
        const send = async (content?: object): Promise<Answer> => {
          const sent = content === undefined ? {} : { body: JSON.stringify(content) };
          const response = await fetch(`${prefix}/${path}`, { method, headers, ...sent });
          return { status: response.status, text: await response.text() };
        };
        const texts: string[] = [];
        for (let content = body; ; ) {
          const { status, text } = await send(content);
          const next = status === 200 ? (cursor.exec(text)?.[1] ?? null) : null;
          // Each engine has its own cursors, and a sealed text is never the same twice.
          const told = text.replace(cursor, '"next":"…"').replaceAll(estimate, '"timeMs":"…"');
          texts.push(told);
          if (next === null || texts.length >= pages) return { status, text: texts.join('\n') };
          content = { ...content, after: next };
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

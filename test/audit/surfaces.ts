/** A running service with an access to each surface, and the entries in its audit trail. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { tokenHash } from '../../src/auth/tokens.ts';
import { run } from '../../src/cli/run.ts';
import type { Directory } from '../../src/directory/directory.ts';
import { type AdminWorld, type Asked, openAdminWorld } from '../admin/world.ts';
import { openClient } from '../harness/client.ts';

export type Surface = 'client' | 'admin' | 'cli';

/** The object of an act; each surface has its own, so that acts do not affect each other. */
export interface Subject {
  /** Unique in the run; part of the names of created and changed objects. */
  readonly name: string;
  /** Id of the object created by `make`; 0 without one. */
  readonly id: number;
  readonly revision: number;
  /** Further objects created before it. */
  readonly more: Readonly<Record<string, unknown>>;
}

export interface Entry {
  readonly action: string;
  readonly target: string;
  readonly companyId: number | null;
  readonly appId: string | null;
  readonly detail: object;
}

/** A request to the client interface, below the version in the path. */
export type ClientRequest = readonly [method: string, path: string, body?: unknown];
/** An operation of the administration interface, and its input. */
export type AdminRequest = readonly [operation: string, asked: Asked];
/** A command line, and further variables of its environment. */
export type CommandLine = readonly [line: string, variables?: Readonly<Record<string, string>>];

export interface Surfaces {
  readonly directory: Directory;
  readonly world: AdminWorld;
  /** The user who signs in as a client: the Super Admin of company 1. */
  readonly client: { readonly id: number; readonly account: string };
  /** A user token in `shop` 1.0, stored without a sign-in. @returns the token and the id of its session */
  session(userId: number, device: string): Promise<{ readonly token: string; readonly sessionId: string }>;
  /** Requires success. @param token instead of that of `client` */
  byClient(request: ClientRequest, token?: string): Promise<void>;
  byAdmin(request: AdminRequest): Promise<void>;
  byCommand(line: CommandLine): Promise<void>;
  /** Entries since the previous call, without those of sign-ins. */
  fresh(): Promise<(Entry & { readonly actor: unknown; readonly outcome: string })[]>;
  close(): Promise<void>;
}

export const newPassword = 'a new password of the acts';

export async function openSurfaces(): Promise<Surfaces> {
  const world = await openAdminWorld();
  const { server, settings, secrets, clock } = world.house;
  secrets.push(newPassword);
  const db = server.storage.directory;
  const http = openClient(server.url);
  const clientId = world.userId('superAdmin');
  let last = 0;

  async function session(userId: number, device: string) {
    const token = hash('sha256', `token of ${device}`);
    secrets.push(token);
    const now = clock.ms;
    const row = {
      ...{ hash: tokenHash(token), session: tokenHash(token), kind: 'user', user_id: userId, device_udid: device },
      ...{ company_id: 1, app_id: 'shop', version: '1.0' },
      ...{ created: now, last_used: now, valid_time: 3_600_000, expires: now + 3_600_000 },
    };
    await db.write([db.build.insertInto('token').values(row)]);
    return { token, sessionId: tokenHash(token).slice(0, 24) };
  }
  const { token: own } = await session(clientId, 'phone of the Super Admin');

  async function fresh() {
    const rows = await db.read(db.build.selectFrom('audit').selectAll().where('id', '>', last).orderBy('id'));
    last = rows.at(-1)?.id ?? last;
    return rows.map((row) => ({
      action: row.action,
      target: row.target,
      companyId: row.company_id,
      appId: row.app_id,
      detail: JSON.parse(row.detail),
      outcome: row.outcome,
      actor: [row.actor_kind, row.actor_id, row.actor_name, row.address],
    }));
  }
  await fresh();

  return {
    directory: server.directory,
    world,
    client: { id: clientId, account: 'superAdmin' },
    session,
    async byClient([method, path, body], token = own) {
      const answer = await http.call(method, `/api/1/shop/1_0${path}`, {
        token,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(answer.status, 200, answer.text);
    },
    async byAdmin([operation, asked]) {
      const answer = await world.ask('root', operation, asked);
      assert.equal(answer.status, 200, answer.text);
      const appKey = /"appKey":"(\w+)"/.exec(answer.text)?.[1];
      if (appKey !== undefined) secrets.push(appKey);
    },
    async byCommand([line, more = {}]) {
      const error: string[] = [];
      const words = [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
      const key = { ROWHOUSE_STORAGE: settings.storage, ROWHOUSE_SECRET_KEY: settings.secretKey };
      const status = await run(words, {
        variables: { ...key, ROWHOUSE_READER_THREADS: '1', ROWHOUSE_WRITER_THREADS: '1', ...more },
        isTerminal: false,
        out: () => {},
        error: (text) => void error.push(text),
        secret: async () => newPassword,
      });
      assert.deepEqual([status, error], [0, []], line);
    },
    fresh,
    async close() {
      http.close();
      await world.close();
    },
  };
}

/**
 * The client with the globals of React Native alone: a sign-in, and a write through an outbox in SQLite. The engine of
 * the service does not matter.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { signInAtProvider } from '../../../src/demo/sign-in.ts';
import { defineTables } from '../../harness/requests.ts';
import { app, startWorld, type World } from '../../harness/world.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice'] });
  await defineTables(world, 'alice', [{ name: 'Task', columns: [{ colName: 'title', type: 'text' }] }]);
});
after(() => world.close());

/** Signs in, adds and changes a task through the outbox, and reads it. */
const script = `
  import { createClient, createSession } from './index.ts';
  import { createOutbox, sqlStore } from './outbox/index.ts';
  export async function use({ place, appKey, clientId, storage, execute, visit }) {
    const session = createSession({ ...place, appKey, storage });
    const outbox = createOutbox({ session, store: await sqlStore({ execute, close() {} }) });
    const { db } = createClient({ ...place, session, commit: outbox.connect });
    const { account } = await session.signIn({ clientId }, visit);
    const task = await db.Task.add({ title: 'New' });
    await db.Task.update(task, { title: 'Changed' });
    await outbox.flush();
    const rows = [];
    for await (const page of db.Task.pages({ where: ({ title }) => title.like('Ch%') })) rows.push(...page);
    await outbox.close();
    await session.signOut();
    return JSON.stringify({ account, titles: rows.map(({ title }) => title) });
  }`;

/** Those of React Native 0.76, whose URL does not parse addresses; apps add getRandomValues with a polyfill. */
const globals = {
  ...{ fetch, Headers, Request, Response, AbortController, AbortSignal, URLSearchParams },
  ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, queueMicrotask, console },
  URL: class {
    get searchParams() {
      return new URLSearchParams();
    }
  },
  crypto: { getRandomValues: (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array) },
  navigator: { product: 'ReactNative' },
};

test('with the globals of React Native alone, a user signs in, writes through the outbox, and reads', async () => {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: join(import.meta.dirname, '../../../packages/client/src'), loader: 'ts' },
    ...{ bundle: true, format: 'iife', globalName: 'client', target: 'es2017', write: false, logLevel: 'silent' },
  });
  const { client } = runInNewContext(`${outputFiles[0]?.text}; globalThis`, globals);
  const kept = new Map<string, string>();
  const database = new DatabaseSync(':memory:');
  const used = await client.use({
    place: { url: world.server.url, companyId: 1, appId: app.appId, appVersion: app.appVersion },
    ...{ appKey: app.appKey, clientId: app.clientId },
    storage: {
      getItem: async (key: string) => kept.get(key) ?? null,
      setItem: async (key: string, text: string) => void kept.set(key, text),
      removeItem: async (key: string) => void kept.delete(key),
    },
    execute: async (sql: string, parameters: (string | number)[]) => database.prepare(sql).all(...parameters),
    visit: async (address: string) => `com.example.crm://signed-in?${await signInAtProvider(address, 'alice', 'any')}`,
  });
  assert.deepEqual(JSON.parse(used), { account: 'alice', titles: ['Changed'] });
});

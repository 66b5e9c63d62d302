/**
 * The key file that is created with the data on SQLite if no key is given: it is reported, and it opens what was
 * sealed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pino } from 'pino';
import { openSeal } from '../../../src/auth/seal.ts';
import { run } from '../../../src/cli/run.ts';
import { defaults } from '../../../src/config.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { startRowhouse } from '../../../src/main.ts';
import { folderOf } from '../../engines/scratch.ts';
import { bareVariables } from '../../harness/bare.ts';

test('a command reports the key file, whose key opens what it sealed', async (t) => {
  const folder = join(folderOf(t), 'data');
  const error: string[] = [];
  const type = async (words: string, secret?: string) => {
    const status = await run(words.split(' '), {
      variables: { ROWHOUSE_STORAGE: `sqlite:${folder}`, ...(secret && { ROWHOUSE_CLIENT_SECRET: secret }) },
      isTerminal: false,
      out: () => {},
      error: (text) => void error.push(text),
    });
    assert.equal(status, 0, error.join('\n'));
  };
  await type('company add --name Acme');
  await type('app add --company 1 --app crm');
  assert.deepEqual(error, []);
  const client = 'client add --company 1 --app crm --provider idp --issuer https://idp.example.com --client-id c1';
  await type(`${client} --redirect-uri https://crm.example.com/`, 'top secret');
  assert.match(error.join('\n'), /^A key file was created: .*secret\.key\. Keep it with your backups/);

  const database = new DatabaseSync(join(folder, 'directory.db'), { readOnly: true });
  const row = database.prepare('SELECT secret_sealed AS sealed FROM oidc_client').get();
  database.close();
  const sealed = String(row?.sealed);
  assert.equal(sealed.includes('top secret'), false);
  const settings = { ...defaults, storage: `sqlite:${folder}`, port: 0, writerThreads: 1, readerThreads: 1 };
  const seal = openSeal(settings, systemEnvironment);
  assert.equal(seal.open(sealed), 'top secret');

  // If lost, it is not silently recreated, neither by a start nor by a command.
  const keyFile = join(folder, 'secret.key');
  rmSync(keyFile);
  const log = pino({ level: 'silent' });
  await assert.rejects(startRowhouse(settings, { demo: false, log }), /the key is missing that opens .*"c1"/);
  const told: string[] = [];
  const words = `${client.replace('c1', 'c2')} --redirect-uri https://crm.example.com/`.split(' ');
  const commandProcess = { isTerminal: false, out: () => {}, error: (text: string) => void told.push(text) };
  const variables = { ROWHOUSE_STORAGE: settings.storage, ROWHOUSE_CLIENT_SECRET: 'another' };
  assert.equal(await run(words, { ...commandProcess, variables }), 1);
  assert.match(told.join(''), /the key is missing/);
  assert.equal(existsSync(keyFile), false);
  const service = await startRowhouse(settings, { demo: false, newKey: true, log });
  await service.close();
  assert.equal(service.keyFileMade, keyFile);
  assert.equal(await run(words, { ...commandProcess, variables }), 0, told.join('\n'));
});

test('the service logs that it made a key file', { timeout: 60_000 }, async (t) => {
  const folder = join(folderOf(t), 'data');
  const command = join(import.meta.dirname, '../../../src/cli/main.ts');
  const child = spawn(process.execPath, [command, 'serve', '--port', '0'], {
    env: { ...bareVariables, ROWHOUSE_STORAGE: `sqlite:${folder}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let file: unknown;
  for await (const line of createInterface({ input: child.stdout })) {
    const logged = JSON.parse(line);
    if (!String(logged.msg).includes('A key file was created')) continue;
    file = logged.file;
    child.kill('SIGTERM');
  }
  assert.equal(file, join(folder, 'secret.key'));
});

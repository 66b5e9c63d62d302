/** `rowhouse check` on damaged files. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { run } from '../../../src/cli/run.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { openScratch } from '../../storage/scratch.ts';
import { dataFolder } from '../../storage/stored.ts';

test('damage of every kind is found, and each file named', async (t) => {
  const { storage, scratch, close } = await openScratch(t);
  for (const spaceId of [1, 2, 3]) await storage.spaces.create(spaceId);
  await close();
  const folder = dataFolder(scratch);
  const dangling = new DatabaseSync(pathOf(folder, 1), { enableForeignKeyConstraints: false });
  dangling.exec(
    "INSERT INTO _column (table_id, position, name, type, required, system) VALUES (77, 1, 'x', '{}', 0, 0)",
  );
  dangling.close();
  writeFileSync(pathOf(folder, 2), 'no database '.repeat(1_000));
  const pages = openSync(pathOf(folder, 3), 'r+');
  writeSync(pages, Buffer.alloc(4096, 0x5a), 0, 4096, 4096 * 3);
  closeSync(pages);
  writeFileSync(pathOf(folder, 4), '');

  const out: string[] = [];
  const [words, told] = [['check'], (text: string) => void out.push(text)];
  const status = await run(words, { variables: scratch.variables, isTerminal: false, out: told, error: () => {} });
  assert.equal(status, 1);
  const text = out.join('\n');
  assert.match(text, /0000000001\.db +Row .* of "_column" refers to a row of "_table" that is not there/);
  assert.match(text, /0000000002\.db +It can't be read: .*not a database/);
  assert.match(text, /0000000003\.db +(Its content is damaged|It can't be read)/);
  assert.match(text, /0000000004\.db +It is empty/);
  assert.doesNotMatch(text, /(directory|logs)\.db +(Its content|It can't)/);
});

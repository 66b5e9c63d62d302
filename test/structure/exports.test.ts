/** Every export of src is imported somewhere: an export without an import is dead or misleading. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const folders = ['src', 'docs', 'lab', 'test'];

const texts = new Map(
  folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

/** The imported or re-exported names, with their files. */
const imported = new Set<string>();
/** By file imported as a whole (`import * as wire`, `await import(…)`): the importing texts. */
const wholes = new Map<string, string[]>();
for (const [file, text] of texts) {
  for (const [, names = '', path = ''] of text.matchAll(/^(?:im|ex)port (?:type )?{([^}]*)} from '(\.[^']+)'/gm)) {
    for (const [, name] of names.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)) {
      imported.add(`${join(file, '..', path)} ${name}`);
    }
  }
  for (const [, path = ''] of text.matchAll(/(?:\* as \w+ from |import\()\s*'(\.[^']+)'/g)) {
    const target = join(file, '..', path);
    wholes.set(target, [...(wholes.get(target) ?? []), text]);
  }
}

const declaration = /^export (?:async )?(const|function|class|interface|type) (\w+)/gm;

test('every export of src is imported somewhere', () => {
  const dead: string[] = [];
  for (const [file, text] of texts) {
    // A generator has the exports of its file in its text.
    if (!file.startsWith('src/') || file.endsWith('.generate.ts')) continue;
    for (const [, kind, name] of text.matchAll(declaration)) {
      const word = new RegExp(`\\b${name}\\b`);
      const isImported = imported.has(`${file} ${name}`) || wholes.get(file)?.some((whole) => word.test(whole));
      // A type may exist for the signature of an imported function.
      const describes = (kind === 'type' || kind === 'interface') && text.split(word).length > 2;
      if (!isImported && !describes) dead.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(dead, []);
});

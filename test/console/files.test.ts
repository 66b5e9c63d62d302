/** The files of the console: every module that browsers may load, its imports, and the size of the first screen. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { init, parse } from 'es-module-lexer';
import { openConsoleFiles } from '../../src/http/console/files.ts';

const files = openConsoleFiles();
await init;

interface Loaded {
  readonly modules: Set<string>;
  readonly bytes: number;
}

/** What a browser loads for a module, including its static and, optionally, its dynamic imports. */
async function load(entry: string, { later }: { readonly later: boolean }): Promise<Loaded> {
  const modules = new Set<string>();
  let bytes = 0;
  const wanted = [entry];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (modules.has(path)) continue;
    modules.add(path);
    const file = await files.file(path);
    assert.ok(file !== null, `${path} is served`);
    assert.deepEqual(gunzipSync(file.gzipped), file.plain);
    bytes += file.gzipped.length;
    const [imports] = parse(file.plain.toString(), path);
    for (const { specifier, type } of imports) {
      if (specifier === null || specifier === undefined || (type !== 'static' && !later)) continue;
      assert.match(specifier, /^\.{1,2}\//, `${path} imports ${specifier}`);
      wanted.push(posix.join(posix.dirname(path), specifier));
    }
  }
  return { modules, bytes };
}

test('the first screen loads at most 40 modules and 80 kB, and the whole console 160 kB', async (t) => {
  const first = await load('console/main.ts', { later: false });
  const home = await load('console/screens/home.ts', { later: false });
  const english = await load('console/words/en.ts', { later: false });
  const modules = new Set([...first.modules, ...home.modules, ...english.modules]);
  let bytes = 0;
  for (const path of modules) bytes += (await files.file(path))!.gzipped.length;
  // A reader loads one language; the larger one counts.
  const { modules: every } = await load('console/main.ts', { later: true });
  let all = 0;
  for (const path of every) if (!path.startsWith('console/words/en')) all += (await files.file(path))!.gzipped.length;
  t.diagnostic(`${modules.size} modules, ${bytes} bytes; in all ${every.size} modules, ${all} bytes`);
  assert.ok(modules.size <= 40, `${modules.size} modules`);
  assert.ok(bytes <= 80_000, `${bytes} bytes`);
  assert.ok(all <= 160_000, `${all} bytes`);
});

test('a file that is not the console’s is not served', async () => {
  for (const path of ['src/main.ts', '../package.json', 'console/../src/main.ts', 'console/tsconfig.json', '']) {
    assert.equal(await files.file(path), null, path);
  }
});

/** Globals that browsers don't have. */
const ofNode = /\b(Buffer|process|setImmediate|global|require|__dirname)\b/;

test('no module depends on Node', async () => {
  const { modules } = await load('console/main.ts', { later: true });
  for (const path of modules) {
    const code = (await files.file(path))!.plain.toString().replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
    // It tests for Buffer.
    if (path === 'src/text.ts') continue;
    if (!path.startsWith('packages/')) assert.doesNotMatch(code, ofNode, path);
  }
});

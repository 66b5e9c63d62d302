/** The client's package for a registry: built, complete, accepted by tools, and small. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { bundles, weighBundle } from '../../lab/apps/weigh-bundles.ts';
import { compile } from '../../lab/apps/weigh-types.ts';
import { typescriptOf } from '../../packages/client/src/types/typescript.ts';

const root = join(import.meta.dirname, '../..');

let folder: string;
/** The package's folder in an app. */
let installed: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-pack-'));
  const options = ['pack', '--silent', '--workspace', '@rowhouse/client', '--pack-destination', folder];
  const npm = process.env.npm_execpath;
  const [command, words] = npm === undefined ? ['npm', options] : [process.execPath, [npm, ...options]];
  execFileSync(command, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [archive] = globSync('*.tgz', { cwd: folder });
  execFileSync('tar', ['-xzf', String(archive)], { cwd: folder });
  mkdirSync(join(folder, 'node_modules/@rowhouse'), { recursive: true });
  installed = join(folder, 'node_modules/@rowhouse/client');
  renameSync(join(folder, 'package'), installed);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('it has licence, readme, modules, types, source maps and the sources that they name', () => {
  for (const file of [
    'LICENSE',
    'README.md',
    'bin/rowhouse-client.js',
    'dist/index.js',
    'dist/index.d.ts',
    'src/index.ts',
  ]) {
    assert.ok(existsSync(join(installed, file)), file);
  }
  const maps = globSync('dist/**/*.map', { cwd: installed });
  const missing = maps.filter((map) => {
    const { sources } = JSON.parse(readFileSync(join(installed, map), 'utf8')) as { sources: string[] };
    return sources.some((source) => !existsSync(join(installed, map, '..', source)));
  });
  assert.deepEqual([maps.length > 20, missing], [true, []]);
});

test('it needs no other package, and publint finds nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
  assert.equal(pkg.dependencies, undefined);
});

test('each of its entries can be loaded, and has types for both ways of resolving them', async () => {
  const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const names = Object.keys(entries).filter((name) => !name.endsWith('.json'));
  const modules = names.map((name) => `@rowhouse/client${name.slice(1)}`);
  const ofBrowsers = modules.filter((name) => !name.endsWith('/react'));
  const program = ofBrowsers.map((name) => `await import('${name}');`).join('\n');
  writeFileSync(join(folder, 'load.mjs'), program);
  execFileSync(process.execPath, [join(folder, 'load.mjs')]);
  const uses = ofBrowsers
    .map((name, index) => `import * as m${index} from '${name}';\nexport { m${index} };`)
    .join('\n');
  writeFileSync(join(folder, 'uses.ts'), uses);
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const lib = ['es2022', 'dom'];
    const compilerOptions = { module, moduleResolution, lib, target: 'es2022', strict: true, types: [], noEmit: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['uses.ts'] }));
    assert.equal(compile('-p', folder), '');
  }
});

test('the example of its readme compiles', () => {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(installed, 'README.md'), 'utf8')) ?? [];
  const columns = [
    { colName: 'title', type: 'varchar', required: true },
    { colName: 'priority', type: 'integer' },
  ];
  writeFileSync(join(folder, 'rowhouse.ts'), typescriptOf([{ name: 'Task', columns }]));
  writeFileSync(join(folder, 'example.ts'), example);
  const compilerOptions = { module: 'nodenext', lib: ['es2022', 'dom'], target: 'es2022', strict: true, noEmit: true };
  const project = { compilerOptions: { ...compilerOptions, types: [] }, files: ['example.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  assert.match(example, /db\.Task/);
  assert.equal(compile('-p', folder), '');
});

for (const [name, { module, bytesMax }] of Object.entries(bundles)) {
  test(`at most ${bytesMax} bytes, gzipped: ${name}`, async () => {
    const bytes = await weighBundle(module);
    assert.ok(bytes > 1_000 && bytes <= bytesMax, `${bytes} bytes`);
  });
}

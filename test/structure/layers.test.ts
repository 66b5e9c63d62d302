/** Checks the structure of the source tree: modules import only downwards, without cycles, and no file is dead. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');

/** Which modules a module may import (ARCHITECTURE.md, "The modules"). Each may also import its own files and the kernel. */
const mayImport: Record<string, readonly string[]> = {
  kernel: [],
  entities: [],
  schema: [],
  query: ['schema'],
  storage: ['entities', 'query', 'schema'],
  directory: ['entities', 'storage', 'schema'],
  logs: ['directory', 'storage'],
  statistics: ['storage'],
  audit: ['directory', 'storage'],
  auth: ['audit', 'directory', 'storage'],
  data: ['storage', 'query', 'schema'],
  operations: ['entities'],
  administration: ['entities', 'audit', 'auth', 'data', 'directory', 'logs', 'storage', 'schema'],
  http: [
    'entities',
    'operations',
    'administration',
    'audit',
    'auth',
    'data',
    'directory',
    'logs',
    'storage',
    'schema',
    'statistics',
  ],
  demo: ['administration', 'audit', 'auth', 'data', 'directory', 'storage', 'schema', 'query'],
  main: [
    'http',
    'operations',
    'administration',
    'audit',
    'auth',
    'data',
    'directory',
    'logs',
    'storage',
    'schema',
    'statistics',
    'demo',
  ],
  move: ['storage', 'schema'],
  cli: ['main', 'entities', 'administration', 'audit', 'auth', 'directory', 'move', 'storage', 'demo', 'schema'],
};

/** Engines are separate: neither may import the other, and only `storage/open.ts` may import them. */
const engines = ['storage/sqlite', 'storage/postgres'];

/** Files that are started rather than imported. */
const entryPoints = /^(cli\/(main|worker)\.ts|schema\/.*\.generate\.ts|storage\/\w+\/[\w-]*thread\.ts)$/;

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'))
  .sort();

function importsOf(file: string, text = readFileSync(join(source, file), 'utf8')): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, path]) => normalize(join(dirname(file), path as string)).replaceAll('\\', '/'));
}

function moduleOf(file: string): string {
  if (file === 'main.ts') return 'main';
  return file.includes('/') ? (file.split('/')[0] as string) : 'kernel';
}

test('ARCHITECTURE.md has the same table', () => {
  const rows = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| (kernel|`(\w+)(?:\/|\.ts)`).* \| ([^|]+) \|$/gm,
  );
  const namesOf = (list: string) => list.split(', ').filter((name) => name !== 'kernel' && name !== 'no other module');
  const onPage = [...rows].map(([, kernel = '', module = kernel, list = '']) => [module, namesOf(list).sort()]);
  const here = Object.entries(mayImport).map(([module, list]) => [module, list.toSorted()]);
  assert.deepEqual(Object.fromEntries(onPage), Object.fromEntries(here));
});

test('modules import only downwards', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const module = moduleOf(file);
    assert.ok(module in mayImport, `${file}: the module "${module}" has no row in the table`);
    for (const imported of importsOf(file)) {
      // The command line also runs the client's own command.
      if (file === 'cli/types.ts' && imported === '../packages/client/src/types/main.ts') continue;
      const target = moduleOf(imported);
      if (target !== module && target !== 'kernel' && !mayImport[module]?.includes(target))
        wrong.push(`${file} → ${imported}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('an engine is imported only by storage/open.ts', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => {
        const engine = engines.find((name) => imported.startsWith(`${name}/`));
        return engine !== undefined && !file.startsWith(`${engine}/`) && file !== 'storage/open.ts';
      })
      .map((imported) => `${file} → ${imported}`),
  );
  assert.deepEqual(wrong, []);
});

test('descriptors of operations import only shapes, so that others can use their types', () => {
  const entities = files.filter((file) => file.startsWith('entities/'));
  const shapes = [
    'operations/define.ts',
    'operations/entities.ts',
    'operations/record-shapes.ts',
    'operations/shapes.ts',
    ...entities,
  ];
  const descriptors = files.filter((file) => file.endsWith('.operations.ts'));
  const readers = [...descriptors, 'operations/entities.ts', 'operations/shapes.ts', ...entities];
  const wrong = readers.flatMap((file) => importsOf(file).filter((imported) => !shapes.includes(imported)));
  assert.deepEqual(wrong, []);
  const listed = importsOf('http/api/operations.ts').filter((imported) => imported !== 'operations/define.ts');
  assert.deepEqual(listed.sort(), descriptors);
});

test('only administrators with a checked permission see every record', () => {
  const users = files.filter((file) =>
    /\beverything\b.*from '[^']*visibility\.ts'/.test(readFileSync(join(source, file), 'utf8')),
  );
  assert.deepEqual(users, [
    'administration/record-access.ts',
    'administration/record-writes.ts',
    'data/query.ts',
    'data/run-shape.ts',
    'data/select.ts',
  ]);
});

test('no cycles of imports', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const imported of valueImportsOf(file)) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

test('every file of src is used', () => {
  const used = new Set(files.flatMap((file) => importsOf(file)));
  const dead = files.filter((file) => !used.has(file) && !entryPoints.test(file));
  assert.deepEqual(dead, []);
});

test('files of src stay within 350 lines', () => {
  const long = files
    .filter((file) => !/(?:fold|term)-table/.test(file))
    .map((file) => ({ file, lines: readFileSync(join(source, file), 'utf8').split('\n').length }))
    .filter(({ lines }) => lines > 350);
  assert.deepEqual(long, []);
});

test('package-lock.json records no download addresses', () => {
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>;
  };
  const resolved = Object.values(locked.packages).filter(({ resolved, link }) => resolved !== undefined && !link);
  assert.deepEqual(resolved, []);
});

/** Type-only imports vanish when the program runs, so they cause no cycle. */
function valueImportsOf(file: string): string[] {
  return importsOf(file, readFileSync(join(source, file), 'utf8').replaceAll(/import type [^;]+;/g, ''));
}

/** The client's tests as a program for a platform other than Node: a module that runs all of them, and its parts. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as service from '../service.ts';

const tests = join(import.meta.dirname, '..');
const substitutes = join(import.meta.dirname, 'substitutes');
const replaced = join(tests, 'service.ts');

export type Kind = 'browser' | 'runtime';

const testsIn = (folder: string, of: RegExp) => readdirSync(join(tests, folder)).filter((name) => of.test(name));

const onEveryPlatform = testsIn('.', /\.test\.ts$/);

/** The tests for each kind of platform. */
export const filesFor: Readonly<Record<Kind, readonly string[]>> = {
  browser: [...onEveryPlatform, ...testsIn('page', /\.ts$/).map((name) => `page/${name}`)],
  runtime: [...onEveryPlatform, ...testsIn('node', /\.test\.ts$/).map((name) => `node/${name}`)],
};

/** Replaces what a platform other than Node lacks; any other module of Node fails the build. */
const substituting = (kind: Kind): Plugin => ({
  name: 'substituting',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:test$/ }, () => ({ path: join(substitutes, 'test.ts') }));
    onResolve({ filter: /^node:assert\/strict$/ }, () => ({ path: join(substitutes, 'assert.ts') }));
    if (kind === 'browser')
      onResolve({ filter: /^\.\/store\.ts$/ }, ({ resolveDir }) =>
        resolveDir === tests ? { path: join(substitutes, 'store.ts') } : null,
      );
    onLoad({ filter: /service\.ts$/ }, ({ path }) => {
      if (path !== replaced) return null;
      const lines = Object.keys(service).map((name) => `export const ${name} = remote('${name}');`);
      return {
        contents: `import { remote } from './platforms/substitutes/control.ts';\n${lines.join('\n')}`,
        resolveDir: tests,
      };
    });
  },
});

/** The modules by name; `main.js` runs the tests. @throws Error if a file can't be built */
export async function bundle(files: readonly string[], kind: Kind, controlUrl: string): Promise<Map<string, string>> {
  const runs = files.map((file) => `await runFile('${file}', () => import('./${file}'));`);
  const main = [
    "import { end } from './platforms/substitutes/control.ts';",
    "import { runFile } from 'node:test';",
    ...runs,
    'await end();',
  ];
  const { outputFiles } = await build({
    stdin: { contents: main.join('\n'), resolveDir: tests, loader: 'ts' },
    ...{ bundle: true, splitting: true, write: false, format: 'esm', target: 'es2022', logLevel: 'silent' },
    ...{ outdir: tests, entryNames: 'main' },
    define: { controlUrl: JSON.stringify(controlUrl), 'process.env.NODE_ENV': '"development"' },
    ...(kind === 'runtime' && { external: ['node:*'] }),
    plugins: [substituting(kind)],
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
}

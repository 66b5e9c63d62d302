/** The size of the client in apps: bundled, minified and gzipped as by their build tools. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const source = join(import.meta.dirname, '../../packages/client/src');

const core = `
  export { createClient, createSession, signInWithRedirect, resume, and, or, not, count, sum, exists,
    Busy, Forbidden, Invalid, NetworkError, NotFound, SignInRefused, SignInRequired } from './index.ts';`;

const kB = 1_024;

/** By name: the module of an app, and its limit in bytes. */
export const bundles: Readonly<Record<string, { readonly module: string; readonly bytesMax: number }>> = {
  'records, queries, sign-in by redirect, errors and logs': { module: core, bytesMax: 8 * kB },
  'the same with the outbox': {
    module: `${core} export { createOutbox, indexedDbStore } from './outbox/index.ts';`,
    bytesMax: 13 * kB,
  },
  'the same with the hooks for React, without the outbox': {
    module: `${core} export * from './react.ts';`,
    bytesMax: 10 * kB,
  },
  'everything that the package exports but outbox and hooks': {
    module: "export * from './index.ts';",
    bytesMax: 8.75 * kB,
  },
};

/** Bytes of the bundle, gzipped; React is left to the app. @throws Error if it can't be built */
export async function weighBundle(module: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: source, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['react'],
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

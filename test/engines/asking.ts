/** Which files of tests work on storage of the engine of the run: those that import `engine.ts`, by whatever way. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const tests = join(import.meta.dirname, '..');
const engine = join(import.meta.dirname, 'engine.ts');

/** Of each file that was read, by its path: the files below `test/` that it imports. */
const imports = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  const paths = [...found].map(([, path]) => join(dirname(file), path as string));
  const own = paths.filter((path) => path.startsWith(tests) && existsSync(path));
  imports.set(file, own);
  return own;
}

/** @param file path below `test/` */
export function asksForStorage(file: string): boolean {
  const seen = new Set([join(tests, file)]);
  for (const each of seen) for (const imported of importsOf(each)) seen.add(imported);
  return seen.has(engine);
}

/**
 * The files of the console as browsers get them: the modules in `console/` and the pure ones of the service that they
 * share, without types, and the few packages that they import. There is no build step; a file is made at its first
 * request. The version is a hash of all files, so the content at an address below it never changes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ImportDeclaration, Token } from 'acorn';
import { type StoredFile, storedFile } from '../stored-file.ts';

const root = new URL('../../../', import.meta.url);

/** What browsers may load. The console's modules import nothing else at run time, as a test verifies. */
const folders = ['console', 'src/query', 'src/schema'];
const kernel = ['src/errors.ts', 'src/json-bounds.ts', 'src/nearest.ts', 'src/setting.ts', 'src/text.ts'];

/** By the name under which modules import them. */
const packages: Readonly<Record<string, string>> = Object.fromEntries(
  ['preact', 'preact/hooks', '@preact/signals', '@preact/signals-core'].map((name) => [
    name,
    fileURLToPath(import.meta.resolve(name)),
  ]),
);

const types: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

export interface ConsoleFiles {
  /** A hash of all files. */
  readonly version: string;
  /** @param path such as `console/main.ts`. @returns null where there is no such file */
  file(path: string): Promise<StoredFile | null>;
}

export function openConsoleFiles(): ConsoleFiles {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const name of readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })) {
      const path = `${folder}/${name.replaceAll('\\', '/')}`;
      if (types[posix.extname(path)] !== undefined) sources.set(path, fileURLToPath(new URL(path, root)));
    }
  }
  for (const path of kernel) sources.set(path, fileURLToPath(new URL(path, root)));
  for (const [name, source] of Object.entries(packages)) sources.set(addressOf(name), source);

  const made = new Map<string, Promise<StoredFile>>();
  return {
    version: versionOf(sources),
    async file(path) {
      const source = sources.get(path);
      if (source === undefined) return null;
      const file = made.get(path) ?? make(path, source);
      made.set(path, file);
      return file;
    },
  };
}

function versionOf(sources: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const path of [...sources.keys()].sort()) hash.update(path).update(readFileSync(sources.get(path) as string));
  return hash.digest('hex').slice(0, 16);
}

async function make(path: string, source: string): Promise<StoredFile> {
  const extension = posix.extname(path);
  const text = await readFile(source, 'utf8');
  const content =
    extension === '.css' ? text : await lean(extension === '.ts' ? stripTypeScriptTypes(text) : text, path);
  return storedFile(types[extension] as string, content);
}

/**
 * The module without comments and spaces, which are more than half of our sources, and with addresses in place of
 * package names, because an import map would have to be inline.
 */
async function lean(text: string, path: string): Promise<string> {
  const { parse } = await import('acorn');
  const tokens: Token[] = [];
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  const addresses = new Map<number, string>();
  for (const node of body) {
    const name = 'source' in node && node.source != null ? String(node.source.value) : '';
    if (packages[name] === undefined) continue;
    addresses.set((node as ImportDeclaration).source.start, `'${relativeTo(path, addressOf(name))}'`);
  }
  let result = '';
  let end = 0;
  for (const token of tokens) {
    const own = addresses.get(token.start) ?? text.slice(token.start, token.end);
    // A trailing comma is redundant in a list, but in an array it might stand for an element.
    if ((own === ')' || own === '}') && result.endsWith(',')) result = result.slice(0, -1);
    result += gapBetween(result.slice(-1), text.slice(end, token.start), own) + own;
    end = token.end;
  }
  return result;
}

/** Whether two tokens that touch might be read as one: names and numbers, or operators. */
const mightMerge = /[\w$\u0080-\uffff][\w$\u0080-\uffff]|[-+*/%&|^!~<>=?.][-+*/%&|^!~<>=?./]|\d\./;
/** No statement ends after the former or begins with the latter, so a line break next to them has no meaning. */
const goesOn = /[([{,;:=?&|<>*%]/;
const belongsBefore = /^[)\]},;:.?]/;

/** The separator needed between two tokens that the source separates. @param before the last character */
function gapBetween(before: string, gap: string, after: string): string {
  if (gap === '') return '';
  if (gap.includes('\n') && !goesOn.test(before) && !belongsBefore.test(after)) return '\n';
  return mightMerge.test(before + after.slice(0, 1)) ? ' ' : '';
}

function relativeTo(path: string, address: string): string {
  return posix.relative(posix.dirname(path), address).replace(/^(?!\.)/, './');
}

function addressOf(name: string): string {
  return `packages/${name}.js`;
}

/** Apps shown on pages of docs/: writes their files to a folder and compiles them against the client's source. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compile } from '../../lab/apps/weigh-types.ts';
import { writeTypes } from '../../packages/client/src/types/main.ts';
import { blocksOf, root } from '../docs/shell.ts';
import { aliases } from './app-host.ts';

const tutorial = 'docs/tutorials/first-app.md';
const written = ['tsconfig.json', 'tables.json', 'src/data.ts', 'index.html', 'src/main.tsx'];
/** The address of the reader's service. */
const address = 'http://127.0.0.1:8080';

/** The pages whose code continues that of the tutorial. */
export const guides = readdirSync(join(root, 'docs/how-to'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/how-to/${name}`)
  .filter((guide) => blocksOf(guide).some(({ language, text }) => language === 'ts' && text.includes("from './data'")));
/** The files on a page, each after a paragraph that begins with its name. */
function filesOf(page: string): Map<string, string> {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = text.matchAll(/^`([\w/.-]+)`[^\n]*\n(?:[^\n]+\n)*\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name = '', content = '']) => [name, content]));
}

export function writeInto(folder: string, name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

async function makeTutorialApp(service: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-app-'));
  const files = filesOf(tutorial);
  assert.deepEqual([...files.keys()], written);
  assert.ok(files.get('src/data.ts')?.includes(address));
  for (const [name, content] of files) writeInto(folder, name, content.replaceAll(address, service));
  await writeTypes({ tables: join(folder, 'tables.json'), out: join(folder, 'src/rowhouse.ts') }, undefined);
  return folder;
}

/** Writes the tutorial's app for the service into a folder that is removed afterwards. */
export async function withTutorialApp(service: string, use: (folder: string) => Promise<void>): Promise<void> {
  const made = await makeTutorialApp(service);
  try {
    await use(made);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** The file of this name on the page. */
export function fileOf(page: string, name: string): string {
  const content = filesOf(page).get(name);
  assert.ok(content !== undefined, `${page} shows no ${name}.`);
  return content;
}

/** The compiler's errors in the app, with the settings of its own tsconfig.json. */
export function complaintsAbout(folder: string): string {
  const types = join(root, 'node_modules/@types');
  const paths = {
    ...Object.fromEntries(Object.entries(aliases).map(([name, path]) => [name, [path]])),
    ...{
      react: [join(types, 'react')],
      'react/*': [join(types, 'react/*')],
      'react-dom/*': [join(types, 'react-dom/*')],
    },
  };
  const compilerOptions = { paths, types: [], allowImportingTsExtensions: true, skipLibCheck: true };
  writeInto(folder, 'here.json', JSON.stringify({ extends: './tsconfig.json', compilerOptions }));
  return compile('-p', join(folder, 'here.json'));
}

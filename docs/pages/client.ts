/** The reference of the client, from the declarations and comments of its source. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { help } from '../../packages/client/src/types/main.ts';
import { code, generatedNote, page } from './markdown.ts';

const root = join(import.meta.dirname, '../..');

/** By entry: the file with what it exports. */
const entries = {
  '@rowhouse/client': 'index.ts',
  '@rowhouse/client/outbox': 'outbox/index.ts',
  '@rowhouse/client/react': 'react.ts',
  '@rowhouse/client/definition': 'definition.ts',
  '@rowhouse/client/node': 'node/index.ts',
} as const;

/** Told elsewhere: docs/reference/operations.md has what goes over the wire. */
const toldElsewhere = new Set(['operations', 'Operations']);

interface Declared {
  readonly name: string;
  readonly comment: string;
  readonly text: string;
}

/** @throws Error where the client does not compile, or an exported name has no declaration */
export function clientPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-declarations-'));
  try {
    declare(folder);
    const told = new Set<string>(toldElsewhere);
    const sections = Object.entries(entries).flatMap(([entry, file]) => {
      const declared = exportsOf(folder, file).filter(({ name }) => !told.has(name));
      for (const { name } of declared) told.add(name);
      return [`## ${code(entry)}`, fileComment(folder, file), ...declared.flatMap(section)];
    });
    return page(
      '# Client',
      generatedNote('packages/client/src/'),
      'What the package `@rowhouse/client` exports, by entry.',
      ...sections,
      '## The command',
      `\`\`\`text\n${help.trimEnd()}\n\`\`\``,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has the compiler write the declarations, which have the comments and no bodies. */
function declare(folder: string): void {
  for (const project of ['tsconfig.json', 'tsconfig.node.json']) {
    const options = ['--emitDeclarationOnly', '--declarationMap', 'false', '--sourceMap', 'false', '--outDir', folder];
    const words = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'packages/client', project)];
    const { status, stdout } = spawnSync(process.execPath, [...words, ...options], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stdout);
  }
}

const textOf = (folder: string, file: string) => readFileSync(join(folder, file.replace(/\.ts$/, '.d.ts')), 'utf8');

function fileComment(folder: string, file: string): string {
  const [, comment = ''] = /^\/\*\*\s*([\s\S]*?)\s*\*\//.exec(textOf(folder, file)) ?? [];
  const text = sentence(comment.replace(/^`[^`]+`: /, ''));
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What a file exports, its own declarations and those of other files, in the order of the file. */
function exportsOf(folder: string, file: string): Declared[] {
  const text = textOf(folder, file);
  const elsewhere = [...text.matchAll(/^export (?:type )?(\*|{[^}]*}) from '([^']+)'/gm)].flatMap(
    ([, what = '', from = '']) => {
      const all = exportsOf(folder, normalize(join(file, '..', from)));
      if (what === '*') return all;
      const names = [...what.matchAll(/(?:^{|,)\s*(?:type )?(\w+)/g)].map(([, name]) => name as string);
      return names.map((name) => {
        const found = all.find((declared) => declared.name === name);
        if (found === undefined) throw new Error(`${from} declares no ${name}.`);
        return found;
      });
    },
  );
  return [...elsewhere, ...declarationsIn(text)];
}

/** A declaration ends where the next line at the left margin begins. */
const declaration =
  /^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:declare )?((?:class|function|interface|type|const) (\w+)[^\n]*\n(?:[ \t}][^\n]*\n)*)/gm;

function declarationsIn(text: string): Declared[] {
  const all = [...text.matchAll(declaration)].map(([, comment = '', whole = '', name = '']) => ({
    name,
    comment: sentence(comment),
    text: whole.trimEnd().replace(/^ *(?:#private;|private [^\n]*)\n/gm, ''),
  }));
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function sentence(comment: string): string {
  const text = comment.replaceAll(/\s*\n \* ?/g, ' ').trim();
  return text
    .replaceAll(/ ?@(param \w+|returns|throws) /g, (_, tag: string) => `\n\n**${tag.replace('param ', '')}**: `)
    .trim();
}

function section({ name, comment, text }: Declared): string[] {
  return [`### ${name}`, comment, `\`\`\`ts\n${text}\n\`\`\``];
}

/**
 * The pages of the documentation, their order and their addresses: those that docs/README.md lists, in its sections,
 * and below each page those in a folder of its name.
 */
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';

export interface DocPage {
  /** From the root of the repository. */
  readonly file: string;
  /** Path below `/docs/`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Empty for the first page, which is in no section. */
  readonly section: string;
  /** The page below which it is listed. */
  readonly parent: DocPage | null;
  readonly source: string;
}

export interface Library {
  /** In reading order. */
  readonly pages: readonly DocPage[];
  readonly byFile: ReadonlyMap<string, DocPage>;
  /** Pictures in pages, by path below `/docs/`. */
  readonly pictures: ReadonlyMap<string, URL>;
}

const root = new URL('../../../', import.meta.url);
const contents = 'docs/README.md';

/** Pages outside docs/. */
const outside: Readonly<Record<string, { readonly path: string; readonly title: string }>> = {
  'README.md': { path: 'tour', title: 'Start and tour' },
  'ARCHITECTURE.md': { path: 'architecture', title: 'Architecture' },
  'CHANGELOG.md': { path: 'changelog', title: 'Changelog' },
  'CONTRIBUTING.md': { path: 'contributing', title: 'Contributing' },
  LICENSE: { path: 'licence', title: 'Licence' },
  'packages/client/README.md': { path: 'client', title: 'The client for apps' },
  'examples/field-notes/README.md': { path: 'field-notes', title: 'The example app' },
  'examples/field-notes/src/decisions.tsx': { path: 'field-notes/decisions', title: 'decisions.tsx' },
  'examples/field-notes/public/service-worker.js': { path: 'field-notes/service-worker', title: 'service-worker.js' },
};

export async function openLibrary(): Promise<Library> {
  const names = await readdir(new URL('docs/', root), { recursive: true });
  const all = names.map((name) => `docs/${name.replaceAll('\\', '/')}`);
  const inDocs = all.filter((name) => name.endsWith('.md'));
  const files = [...inDocs, ...Object.keys(outside)];
  const sources = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(new URL(file, root), 'utf8')] as const)),
  );
  const pages: DocPage[] = [];
  const add = (file: string, section: string, parent: DocPage | null = null): void => {
    const source = sources.get(file);
    if (source === undefined || pages.some((page) => page.file === file)) return;
    const page = { file, path: pathOf(file), title: titleOf(file, source), section, parent, source };
    pages.push(page);
    const folder = file.replace(/\.md$/, '/');
    for (const below of linksOf(file, source)) if (below.startsWith(folder)) add(below, section, page);
  };
  add(contents, '');
  add('README.md', 'Tutorial');
  for (const [file, section] of sectionsOf(sources.get(contents) as string)) add(file, section);
  for (const file of Object.keys(outside)) add(file, 'Project');
  const pictures = all.filter((name) => name.endsWith('.png'));
  return {
    pages,
    byFile: new Map(pages.map((page) => [page.file, page])),
    pictures: new Map(pictures.map((name) => [name.slice('docs/'.length), new URL(name, root)])),
  };
}

/** The files linked by the table of contents, each with its section. */
function sectionsOf(source: string): (readonly [file: string, section: string])[] {
  const [, ...parts] = source.split(/^\*\*(.+)\*\*$/m);
  const sections = parts.filter((_part, index) => index % 2 === 0);
  return sections.flatMap((section, index) =>
    linksOf(contents, parts[2 * index + 1] as string).map((file) => [file, section] as const),
  );
}

function linksOf(file: string, source: string): string[] {
  return [...source.matchAll(/\]\(([\w./-]+\.md)/g)].map(([, to]) => posix.join(posix.dirname(file), to as string));
}

function pathOf(file: string): string {
  if (file === contents) return '';
  return outside[file]?.path ?? file.slice('docs/'.length, -'.md'.length);
}

/** The first heading; below "How to", these words are left out. */
function titleOf(file: string, source: string): string {
  const heading = /^# (.+)$/m.exec(source)?.[1] ?? file;
  return outside[file]?.title ?? heading.replace(/^How to (.)/, (_all, letter: string) => letter.toUpperCase());
}

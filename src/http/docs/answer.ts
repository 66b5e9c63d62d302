/** Answers requests for pages of the documentation and the files that they load. Each is made at its first request. */
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTurns } from '../../time-slices.ts';
import { consolePolicy, viewerPolicy } from '../page-policies.ts';
import { type StoredFile, sendStored, storedFile } from '../stored-file.ts';
import { addressOf, docHtml, type Site } from './frame.ts';
import { type DocPage, type Library, openLibrary } from './library.ts';
import { partsOf } from './markdown.ts';
import { searchIndex } from './search-index.ts';
import { viewerFiles, viewerHtml } from './viewer.ts';

/** Files that the pages load, in `http/pages/docs/`. */
const parts = ['docs.js', 'frame.js', 'search.js', 'japanese.js', 'examples.js', 'api.js', 'docs.css', 'api.css'];

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png' };

export type DocAnswer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function openDocs(site: Site): DocAnswer {
  let library: Promise<Library> | undefined;
  /** By path below `/docs/`. */
  const makers = new Map<string, () => Promise<StoredFile>>([
    ['api', () => storedFile('text/html', viewerHtml(site))],
    [
      'search.json',
      async () => storedFile('application/json', JSON.stringify(await inTurns(searchIndex(await opened())))),
    ],
    ...parts.map((name) => [name, () => fileOf(new URL(`../pages/docs/${name}`, import.meta.url))] as const),
    ...viewerFiles().map(([name, url]) => [name, () => fileOf(url)] as const),
  ]);
  const made = new Map<string, Promise<StoredFile>>();

  function opened(): Promise<Library> {
    library ??= openLibrary().then((all) => {
      for (const page of all.pages) makers.set(page.path, () => pageFile(page, all, site));
      for (const [path, url] of all.pictures) makers.set(path, () => fileOf(url));
      return all;
    });
    return library;
  }

  async function find(path: string): Promise<StoredFile | null> {
    if (!makers.has(path)) await opened();
    const make = makers.get(path);
    if (make === undefined) return null;
    const file = made.get(path) ?? make();
    made.set(path, file);
    // A failure, such as an unreadable file, is not cached.
    file.catch(() => made.delete(path));
    return file;
  }

  return async (request, reply) => {
    const path = ((request.params as { readonly '*'?: string })['*'] ?? '').replace(/\/$/, '');
    const file = await find(path);
    if (file === null) return reply.callNotFound();
    const policy = path === 'api' ? viewerPolicy : consolePolicy;
    return sendStored(request, reply, file, { 'cache-control': 'no-cache', 'content-security-policy': policy });
  };
}

async function fileOf(url: URL): Promise<StoredFile> {
  return storedFile(types[posix.extname(url.pathname)] as string, await readFile(url));
}

async function pageFile(page: DocPage, library: Library, site: Site): Promise<StoredFile> {
  const isMarkdown = page.file.endsWith('.md');
  const source = isMarkdown ? page.source : `# ${page.title}\n\n\`\`\`text\n${page.source}\n\`\`\`\n`;
  const made = await inTurns(partsOf(source, (href) => targetOf(href, page, library, site.base)));
  return storedFile('text/html', docHtml(page, made, library, site));
}

/** @throws Error for a link that leads nowhere; a test follows the links of all pages */
function targetOf(href: string, page: DocPage, { byFile, pictures }: Library, base: string): string {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', heading] = href.split('#');
  const file = posix.join(posix.dirname(page.file), path);
  const picture = file.replace(/^docs\//, '');
  if (pictures.has(picture)) return `${base}/docs/${picture}`;
  const target = byFile.get(file);
  if (target === undefined) throw new Error(`${page.file} links "${href}", which is no page.`);
  return addressOf(target, base) + (heading === undefined ? '' : `#${heading}`);
}

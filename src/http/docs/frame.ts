/**
 * The frame of a documentation page: the bar, the list of all pages, the headings, and the links to the next pages. Its
 * ids have capital letters, so that none equals a heading's anchor.
 */
import type { DocPage, Library } from './library.ts';
import { escapeHtml, type Part } from './markdown.ts';

/** The deepest level of headings listed beside a page. */
const listedDepthMax = 3;
/** A page with fewer headings needs no list of them. */
const listedFrom = 3;

/** The site that the pages belong to. */
export interface Site {
  /** The context root. */
  readonly base: string;
  /** What the pages need to know about the demo; null without it. */
  readonly demo: object | null;
}

export function docHtml(page: DocPage, parts: readonly Part[], { pages }: Library, site: Site): string {
  const { base } = site;
  const at = pages.indexOf(page);
  const body = `
      <nav id="pageList" aria-label="Documentation">${listHtml(page, pages, base)}</nav>
      <main id="pageText" tabindex="-1">
        ${examplesHtml}
        <article>${parts.map(({ html }) => html).join('')}</article>
        <nav class="turn" aria-label="Page before and after">${turnHtml(pages[at - 1], 'prev', base)}${turnHtml(pages[at + 1], 'next', base)}</nav>
      </main>
      ${headingsHtml(parts)}`;
  return frameHtml(site, { title: page.title, body, scripts: ['docs.js'], styles: [] });
}

export function addressOf({ path }: DocPage, base: string): string {
  return path === '' ? `${base}/docs` : `${base}/docs/${path}`;
}

interface Frame {
  readonly title: string;
  readonly body: string;
  /** Paths below `/docs/`, like those of the style sheets; the last one is a module. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export function frameHtml({ base, demo }: Site, { title, body, scripts, styles }: Frame): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} · Rowhouse</title>
    <link rel="icon" href="${base}/icon.svg">
    <link rel="stylesheet" href="${base}/tokens.css">
    <link rel="stylesheet" href="${base}/shared.css">
    ${[...styles, 'docs.css'].map((name) => `<link rel="stylesheet" href="${base}/docs/${name}">`).join('\n    ')}
    <script src="${base}/theme.js"></script>
    ${scripts.map((name, at) => `<script ${at < scripts.length - 1 ? 'defer' : 'type="module"'} src="${base}/docs/${name}"></script>`).join('\n    ')}
  </head>
  <body data-base="${base}" data-demo="${escapeHtml(JSON.stringify(demo))}">
    <a class="skip" href="#pageText">To the text</a>
    <header class="bar">
      <button id="pageMenu" type="button" aria-expanded="false" aria-controls="pageList" hidden>Pages</button>
      <a class="name" href="${base}/">Rowhouse</a>
      <search id="searchBox" hidden>
        <input type="search" aria-label="Search the documentation" aria-controls="searchResults" placeholder="Search ( / )" autocomplete="off" spellcheck="false">
        <div id="searchResults" hidden></div>
        <p id="searchCount" class="visually-hidden" role="status"></p>
      </search>
      <nav aria-label="Rowhouse">
        <a href="${base}/docs">Docs</a>
        <a href="${base}/docs/api">API</a>
        <a href="${base}/admin/">Console</a>
      </nav>
      <select id="themeChoice" aria-label="Theme" hidden>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </header>
    <div class="columns">${body}
    </div>
    <p id="statusText" class="visually-hidden" role="status"></p>
  </body>
</html>
`;
}

/** The script shows it on pages with values to fill in. */
const examplesHtml = `<details id="exampleForm" hidden>
          <summary>Examples for <code id="exampleTarget"></code></summary>
          <p id="noDemo" hidden>The demo does not run here. Name your application; <code>$TOKEN</code> is a token for it.</p>
          <form>
            <label>Company <input name="companyId" inputmode="numeric" pattern="[0-9]+" required></label>
            <label>Application <input name="appId" required></label>
            <label>Version <input name="appVersion" required></label>
            <button type="submit">Use these</button>
            <button type="reset">As written</button>
          </form>
        </details>`;

function listHtml(current: DocPage, pages: readonly DocPage[], base: string): string {
  const sections = Map.groupBy(
    pages.filter(({ section }) => section !== ''),
    ({ section }) => section,
  );
  return [...sections]
    .map(([section, within]) => {
      const top = within.filter(({ parent }) => parent === null);
      const items = top.map((page) => {
        const below = within.filter(({ parent }) => parent === page);
        const isOpen = page === current || below.includes(current);
        const inner =
          isOpen && below.length > 0 ? `<ul>${below.map((one) => itemHtml(one, current, base)).join('')}</ul>` : '';
        return itemHtml(page, current, base, inner);
      });
      return `<h2>${escapeHtml(section)}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');
}

function itemHtml(page: DocPage, current: DocPage, base: string, below = ''): string {
  const mark = page === current ? ' aria-current="page"' : '';
  return `<li><a href="${addressOf(page, base)}"${mark}>${escapeHtml(page.title)}</a>${below}</li>`;
}

function turnHtml(page: DocPage | undefined, way: 'prev' | 'next', base: string): string {
  if (page === undefined) return '';
  const word = way === 'prev' ? 'Previous' : 'Next';
  return `<a rel="${way}" href="${addressOf(page, base)}"><small>${word}</small> ${escapeHtml(page.title)}</a>`;
}

function headingsHtml(parts: readonly Part[]): string {
  const listed = parts.filter(({ depth }) => depth > 1 && depth <= listedDepthMax);
  if (listed.length < listedFrom) return '';
  const items = listed.map(
    ({ depth, anchor, heading }) => `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav id="pageHeadings" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

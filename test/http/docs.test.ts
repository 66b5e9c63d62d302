/** The served documentation: every page answers, has only valid links, and contains nothing executable. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Fastify from 'fastify';
import { addressOf } from '../../src/http/docs/frame.ts';
import { type Library, openLibrary } from '../../src/http/docs/library.ts';
import { type Part, partsOf } from '../../src/http/docs/markdown.ts';
import { docRoutes } from '../../src/http/docs/routes.ts';
import type { SearchIndex } from '../../src/http/docs/search-index.ts';
import { consolePolicy, viewerPolicy } from '../../src/http/page-policies.ts';

const root = join(import.meta.dirname, '../..');
const basePath = '/data';
const app = Fastify();
let library: Library;
/** The HTML of each page, by its address. */
const pages = new Map<string, string>();

before(async () => {
  docRoutes(app, { base: basePath, demo: null });
  library = await openLibrary();
  for (const page of library.pages) pages.set(addressOf(page, basePath), (await get(addressOf(page, basePath))).body);
});
after(() => app.close());

function get(url: string, headers: Record<string, string> = {}) {
  return app.inject({ url, headers });
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value as string);
}

test('every page of the documentation is shown, in a section', () => {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const markdown = [...files, ...readdirSync(root)].filter((name) => name.endsWith('.md'));
  assert.deepEqual(
    library.pages
      .map(({ file }) => file)
      .filter((file) => file.endsWith('.md') && !/^(packages|examples)\//.test(file))
      .sort(),
    markdown.sort(),
  );
  assert.deepEqual(
    [...new Set(library.pages.map(({ section }) => section))],
    ['', 'Tutorial', 'How to', 'Reference: the interface', 'Reference: the program', 'Explanation', 'Project'],
  );
});

test('every page answers with its policy, and contains nothing that the policy would block', async () => {
  for (const [address, html] of pages) {
    const { statusCode, headers } = await get(address);
    assert.equal(`${statusCode} ${headers['content-type']}`, '200 text/html; charset=utf-8', address);
    assert.equal(headers['content-security-policy'], consolePolicy);
    assert.deepEqual(html.match(/<script(?! (?:type="module" )?src=)|<style|<[^>]+ (?:style|on\w+)=/g), null, address);
  }
  assert.equal((await get(`${basePath}/docs/api`)).headers['content-security-policy'], viewerPolicy);
  assert.equal((await get(`${basePath}/docs/no-such-page`)).statusCode, 404);
  assert.equal((await get(`${basePath}/docs/..%2fpackage.json`)).statusCode, 404);
});

test('every link and every part of a page leads to an existing page, heading or file', async () => {
  const others = ['/', '/admin/', '/icon.svg', '/tokens.css', '/shared.css', '/theme.js', '/openapi.json'].map(
    (path) => basePath + path,
  );
  const shown = new Map(pages).set(`${basePath}/docs/api`, (await get(`${basePath}/docs/api`)).body);
  const checked = new Set(others);
  const lost: string[] = [];
  for (const [address, html] of shown) {
    const ids = attributes(html, 'id');
    assert.equal(new Set(ids).size, ids.length, `${address} has an id twice`);
    for (const link of [...attributes(html, 'href'), ...attributes(html, 'src')]) {
      if (/^https?:/.test(link)) continue;
      const [path = '', heading] = link.split('#');
      const target = shown.get(path === '' ? address : path);
      if (target === undefined && !checked.has(path)) {
        if ((await get(path)).statusCode !== 200) lost.push(`${address}: ${link}`);
        checked.add(path);
      }
      if (heading !== undefined && !attributes(target ?? '', 'id').includes(heading)) lost.push(`${address}: ${link}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('the search index is bounded, and leads to existing headings', async () => {
  const { body } = await get(`${basePath}/docs/search.json`);
  assert.ok(Buffer.byteLength(body) < 1_000_000, `${Buffer.byteLength(body)} bytes`);
  const index = JSON.parse(body) as SearchIndex;
  assert.ok(index.parts.length > index.pages.length);
  const lost = index.parts.filter(([page, anchor]) => {
    const path = index.pages[page]?.path as string;
    const html = pages.get(path === '' ? `${basePath}/docs` : `${basePath}/docs/${path}`) ?? '';
    return anchor !== '' && !html.includes(` id="${anchor}"`);
  });
  assert.deepEqual(lost, []);
});

test('a browser that has a page is not sent it again', async () => {
  const url = `${basePath}/docs/tour`;
  const first = await get(url, { 'accept-encoding': 'gzip' });
  assert.equal(first.headers['content-encoding'], 'gzip');
  assert.ok(first.rawPayload.length < (pages.get(url) as string).length / 2);
  const again = await get(url, { 'if-none-match': String(first.headers.etag) });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
});

test('HTML in a source is shown as text, and a comment in code is not a heading', () => {
  const source =
    '# A `b` [c](d.md)\n<!-- gone -->\n\n<script>x</script>\n\n<b onclick=y>z</b> & "\n\n```sh"><i>\n# no\n```\n# A b c\n';
  const [first, second] = partsNow(source);
  assert.equal(
    first?.html.replaceAll(/\s*\n\s*/g, ''),
    '<h1 id="a-b-c">A <code>b</code> <a href="to%20d.md">c</a></h1>' +
      '&#60;script&#62;x&#60;/script&#62;<p>&#60;b onclick=y&#62;z&#60;/b&#62; &amp; &quot;</p>' +
      '<div class="code"><pre><code data-language="sh&#34;&#62;&#60;i&#62;"># no</code></pre></div>',
  );
  assert.equal(second?.anchor, 'a-b-c-1');
});

function partsNow(source: string): Part[] {
  const steps = partsOf(source, (href) => `to ${href}`);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Part[];
  }
}

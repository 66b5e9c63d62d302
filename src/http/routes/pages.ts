/** The pages for a browser: a first page and, with the demo, the sign-in that ends with a token and a first query. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' } as const;

/** Path below the context root, and the file of `http/pages/` that it answers. */
const pages: readonly (readonly [path: string, file: `${string}.${keyof typeof types}`])[] = [
  ['/', 'index.html'],
  ['/sign-in', 'sign-in.html'],
  ['/signed-in', 'signed-in.html'],
  ['/index.js', 'index.js'],
  ['/sign-in.js', 'sign-in.js'],
  ['/signed-in.js', 'signed-in.js'],
  ['/service.js', 'service.js'],
  ['/page.css', 'page.css'],
  ['/icon.svg', 'icon.svg'],
];

/** Scripts and styles of our own only; nothing may frame a page that shows a token. */
export const contentPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

export function pageRoutes(app: FastifyInstance, { settings, demo, version }: Services): void {
  for (const [path, file] of pages) {
    const content = readFileSync(new URL(`../pages/${file}`, import.meta.url));
    const type = types[file.split('.').at(-1) as keyof typeof types];
    const headers = { 'content-security-policy': contentPolicy, 'content-type': `${type}; charset=utf-8` };
    app.get(`${settings.basePath}${path}`, (_request, reply) => reply.headers(headers).send(content));
  }
  app.get(`${settings.basePath}/page.json`, async () => ({ name: 'Rowhouse', version, demo }));
}

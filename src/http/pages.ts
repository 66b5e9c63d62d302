/**
 * The pages for a browser: a first page and, with the demo, the sign-in that ends with a token and a first query; for
 * the administration, the set-up by the first administrator, and sign-in.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Services } from './services.ts';

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' } as const;

/** Path below the context root, and the file in `http/pages/` that answers it. */
type Page = readonly [path: string, file: `${string}.${keyof typeof types}`];

const pages: readonly Page[] = [
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

const administrationPages: readonly Page[] = [
  ['/admin/', 'admin/home.html'],
  ['/admin/home.js', 'admin/home.js'],
  ['/admin/set-up', 'admin/set-up.html'],
  ['/admin/set-up.js', 'admin/set-up.js'],
  ['/admin/call.js', 'admin/call.js'],
];

/** Only our own scripts and styles; no frame may show a page with a token. */
export const contentPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Only our own scripts and styles, no form that posts elsewhere, and no frame around a page that takes a password. */
const administrationPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export function pageRoutes(app: FastifyInstance, { settings, demo, version }: Services): void {
  const { basePath, adminIssuer, passwordLengthMin } = settings;
  const home = `${basePath}/admin/`;
  const serve = ([path, file]: Page, policy: string) => {
    const content = readFileSync(new URL(`./pages/${file}`, import.meta.url));
    const type = types[file.split('.').at(-1) as keyof typeof types];
    const headers = { 'content-security-policy': policy, 'content-type': `${type}; charset=utf-8` };
    app.get(basePath + path, (request, reply) => {
      // Without the slash, the page would resolve its parts one level too high.
      if (path === '/admin/' && request.url.split('?', 1)[0] !== home) return reply.redirect(home, 308);
      return reply.headers(headers).send(content);
    });
  };
  for (const page of pages) serve(page, contentPolicy);
  for (const page of administrationPages) serve(page, administrationPolicy);
  app.get(`${basePath}/page.json`, async () => ({ name: 'Rowhouse', version, demo }));
  app.get(`${basePath}/admin/page.json`, async () => ({ version, hasProvider: adminIssuer !== '', passwordLengthMin }));
}

/**
 * The pages for a browser: a first page; with the demo, the sign-in that ends with a token and a first query; the
 * set-up by the first administrator; the console; and the documentation.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { consoleRoutes } from './console/routes.ts';
import { docRoutes } from './docs/routes.ts';
import { consolePolicy, contentPolicy } from './page-policies.ts';
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
  ['/theme.js', 'theme.js'],
  ['/page.css', 'page.css'],
  ['/tokens.css', '../../../console/look/tokens.css'],
  ['/shared.css', '../../../console/look/shared.css'],
  ['/icon.svg', 'icon.svg'],
];

const administrationPages: readonly Page[] = [
  ['/admin/set-up', 'admin/set-up.html'],
  ['/admin/set-up.js', 'admin/set-up.js'],
  ['/admin/call.js', 'admin/call.js'],
];

export function pageRoutes(app: FastifyInstance, services: Services): void {
  const { settings, demo, version } = services;
  const { basePath, adminIssuer, passwordLengthMin } = settings;
  const serve = ([path, file]: Page, policy: string) => {
    const content = readFileSync(new URL(`./pages/${file}`, import.meta.url));
    const type = types[file.split('.').at(-1) as keyof typeof types];
    const headers = { 'content-security-policy': policy, 'content-type': `${type}; charset=utf-8` };
    app.get(basePath + path, (_request, reply) => reply.headers(headers).send(content));
  };
  for (const page of pages) serve(page, contentPolicy);
  for (const page of administrationPages) serve(page, consolePolicy);
  consoleRoutes(app, services);
  docRoutes(app, { base: basePath, demo });
  app.get(`${basePath}/page.json`, async () => ({ name: 'Rowhouse', version, demo }));
  app.get(`${basePath}/admin/page.json`, async () => ({ version, hasProvider: adminIssuer !== '', passwordLengthMin }));
}

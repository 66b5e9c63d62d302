/** The pages of the administration for a browser: the set-up by the first administrator, and sign-in. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';

const types = { html: 'text/html', js: 'text/javascript' } as const;

/** Path below `/admin`, and the file of `http/admin/pages/` that it answers. */
const pages: readonly (readonly [path: string, file: `${string}.${keyof typeof types}`])[] = [
  ['/', 'home.html'],
  ['/home.js', 'home.js'],
  ['/set-up', 'set-up.html'],
  ['/set-up.js', 'set-up.js'],
  ['/call.js', 'call.js'],
];

/** Scripts and styles of our own only, no form that goes elsewhere, no frame around a page that takes a password. */
const contentPolicy = [
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

export function adminPages(app: FastifyInstance, { settings, version }: Services): void {
  const home = `${settings.basePath}/admin/`;
  for (const [path, file] of pages) {
    const content = readFileSync(new URL(`./pages/${file}`, import.meta.url));
    const type = types[file.split('.').at(-1) as keyof typeof types];
    const headers = {
      'content-security-policy': contentPolicy,
      'content-type': `${type}; charset=utf-8`,
    };
    app.get(`${settings.basePath}/admin${path}`, (request, reply) => {
      // Without the slash, the page would look for its parts one folder up.
      if (path === '/' && request.url.split('?', 1)[0] !== home) return reply.redirect(home, 308);
      return reply.headers(headers).send(content);
    });
  }
  const facts = { version, hasProvider: settings.adminIssuer !== '', passwordLengthMin: settings.passwordLengthMin };
  app.get(`${settings.basePath}/admin/page.json`, async () => facts);
}

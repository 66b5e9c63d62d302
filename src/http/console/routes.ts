/** Serves the console below `/admin/`: its page, and its files below their version. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { consolePolicy } from '../page-policies.ts';
import { send } from '../route.ts';
import type { Services } from '../services.ts';
import { sendStored } from '../stored-file.ts';
import { noSuchRequest } from '../unknown-requests.ts';
import { type ConsoleFiles, openConsoleFiles } from './files.ts';

const yearSeconds = 365 * 24 * 3_600;

/** In the demo, `/admin/catalogue` shows the components of the console, for its developers. */
export function consoleRoutes(app: FastifyInstance, { settings, demo }: Pick<Services, 'settings' | 'demo'>): void {
  const home = `${settings.basePath}/admin/`;
  let opened: ConsoleFiles | undefined;
  // At the first request: a start need not read and hash the sources.
  const open = () => {
    opened ??= openConsoleFiles();
    return opened;
  };
  const page = (reply: FastifyReply, entry: string) =>
    reply
      .headers({ 'content-security-policy': consolePolicy, 'content-type': 'text/html; charset=utf-8' })
      .send(pageOf(`files/${open().version}`, entry));
  app.get(home, (request, reply) => {
    // Without the slash, the page would resolve its parts one level too high.
    if (request.url.split('?', 1)[0] !== home) return reply.redirect(home, 308);
    return page(reply, 'main');
  });
  if (demo !== null) app.get(`${home}catalogue`, (_request, reply) => page(reply, 'catalogue'));
  app.get(`${home}files/:version/*`, async (request: FastifyRequest, reply: FastifyReply) => {
    const files = open();
    const { version, '*': path } = request.params as { readonly version: string; readonly '*': string };
    const file = version === files.version ? await files.file(path) : null;
    if (file === null) return send(reply, noSuchRequest(request.url, settings));
    return sendStored(request, reply, file, { 'cache-control': `public, max-age=${yearSeconds}, immutable` });
  });
}

function pageOf(folder: string, entry: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>Rowhouse</title>
    <link rel="icon" href="../icon.svg">
    <link rel="stylesheet" href="${folder}/console/look/tokens.css">
    <link rel="stylesheet" href="${folder}/console/look/shared.css">
    <link rel="stylesheet" href="${folder}/console/look/base.css">
    <link rel="stylesheet" href="${folder}/console/look/components.css">
    <script type="module" src="${folder}/console/${entry}.ts"></script>
  </head>
  <body>
    <noscript>The console needs JavaScript.</noscript>
    <div id="console"></div>
  </body>
</html>
`;
}

/** A host of browser apps for tests: bundles an app with the client's source, and serves it to browsers. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'packages/client/src');

/** Imports of apps and their location here, with a single React, whatever an app has installed. */
export const aliases = {
  '@rowhouse/client': join(source, 'index.ts'),
  '@rowhouse/client/react': join(source, 'react.ts'),
  '@rowhouse/client/outbox': join(source, 'outbox/index.ts'),
  '@rowhouse/client/definition': join(source, 'definition.ts'),
  react: join(root, 'node_modules/react'),
  'react-dom': join(root, 'node_modules/react-dom'),
};

export interface AppHost {
  readonly url: string;
  /** Whether the host does not answer. */
  isDown: boolean;
  /**
   * Serves the app of a folder instead of the previous one: its `index.html` with `src/main.tsx`, and a service worker.
   */
  show(folder: string, environment?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

const script = 'text/javascript';

export async function openAppHost(): Promise<AppHost> {
  const files = new Map<string, { readonly type: string; readonly content: string | Uint8Array }>();
  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (host.isDown) response.destroy();
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function show(folder: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'src/main.tsx')],
      ...{ bundle: true, write: false, format: 'esm', target: 'es2022', jsx: 'automatic', outdir: '/' },
      define: { 'import.meta.env': JSON.stringify(environment), 'process.env.NODE_ENV': '"production"' },
      alias: aliases,
    });
    files.clear();
    for (const { path, contents } of outputFiles) {
      files.set(path, { type: path.endsWith('.css') ? 'text/css' : script, content: contents });
    }
    const style = files.has('/main.css') ? '<link rel="stylesheet" href="/main.css" />' : '';
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const content = page.replace('/src/main.tsx', '/main.js').replace('</head>', `${style}</head>`);
    files.set('/', { type: 'text/html', content });
    const worker = join(folder, 'public/service-worker.js');
    if (existsSync(worker)) files.set('/service-worker.js', { type: script, content: readFileSync(worker, 'utf8') });
  }

  const host: AppHost = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    isDown: false,
    show,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return host;
}

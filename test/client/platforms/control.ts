/** The server that sends a platform its tests, runs their calls of `service.ts`, and receives their reports. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as service from '../service.ts';
import { bundle, type Kind } from './bundle.ts';
import type { Reply, Report } from './substitutes/control.ts';

export interface Control {
  /** Of the page that runs the tests. */
  readonly url: string;
  /** The modules of the program, by name; `main.js` runs the tests. */
  readonly modules: ReadonlyMap<string, string>;
  /** Resolves when all tests have been run. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

type Order = (...input: never[]) => Promise<unknown>;

const html = '<!doctype html><title>Tests of the client</title><script type="module" src="/main.js"></script>';

/** @param told called with each report */
export async function openControl(
  files: readonly string[],
  kind: Kind,
  told: (report: Report) => void,
): Promise<Control> {
  const ended = Promise.withResolvers<void>();
  const started = new Set<string>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // Browsers trust names below `localhost` like HTTPS, but the service takes them for any other origin.
  const url = `http://${kind === 'browser' ? 'app.localhost' : '127.0.0.1'}:${port}`;
  const modules = await bundle(files, kind, url);

  const orders: Readonly<Record<string, Order>> = {
    ...service,
    async start(arrangement: service.Arrangement<service.Who>) {
      const made = await service.start({ ...arrangement, origin: url });
      started.add(made.place.url);
      return made;
    },
    async stop(made: service.Service | null) {
      if (made !== null && started.delete(made.place.url)) await service.stop(made);
    },
  };

  async function carryOut({ name, input }: { readonly name: string; readonly input: never[] }): Promise<Reply> {
    try {
      return { answer: (await orders[name]?.(...input)) ?? null };
    } catch (error) {
      return { failed: String(error) };
    }
  }

  async function take(path: string | undefined, content: unknown): Promise<unknown> {
    if (path === '/call') return carryOut(content as Parameters<typeof carryOut>[0]);
    if (path === '/report') told(content as Report);
    if (path === '/end') ended.resolve();
    return null;
  }

  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST') {
      const answer = await take(request.url, JSON.parse(await text(request)));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      return;
    }
    const module = modules.get(request.url?.slice(1) ?? '');
    if (module !== undefined) response.setHeader('content-type', 'text/javascript').end(module);
    else if (request.url === '/') response.setHeader('content-type', 'text/html').end(html);
    else response.writeHead(404).end();
  });

  return {
    url,
    modules,
    ended: ended.promise,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const address of started)
        await service.stop({ place: { url: address, companyId: 1, appId: '', appVersion: '' } });
    },
  };
}

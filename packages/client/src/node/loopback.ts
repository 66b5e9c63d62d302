/** Sign-in from a program on the user's machine: the provider sends the browser to an address on 127.0.0.1 (RFC 8252 §7.3). */
import { createServer } from 'node:http';
import { refusal } from '../sign-in.ts';
import type { Visit } from '../user-session.ts';

export interface LoopbackOptions {
  /**
   * The client's redirect address as configured in the service, on `127.0.0.1`, `[::1]` or `localhost`:
   * `http://127.0.0.1:8765/signed-in`.
   */
  readonly redirectUri: string;
  /** Shows the address to the user: prints it, or opens a browser. */
  readonly show: (address: string) => void | Promise<void>;
  /** How long to wait for the user, milliseconds: ten minutes by default, as long as the service waits. */
  readonly waitMs?: number | undefined;
}

const loopbacks = ['127.0.0.1', '[::1]', 'localhost'];
const page = '<!doctype html><meta charset="utf-8"><title>Signed in</title><p>You can close this page.</p>';

/** Listens only during the sign-in: `session.signIn(request, loopback({ redirectUri, show }))`. */
export function loopback({ redirectUri, show, waitMs = 600_000 }: LoopbackOptions): Visit {
  const { protocol, hostname, port, pathname } = new URL(redirectUri);
  if (protocol !== 'http:' || !loopbacks.includes(hostname)) {
    throw new TypeError(`redirectUri: expected http on ${loopbacks.join(', ')}, got ${redirectUri}.`);
  }
  return (address) =>
    new Promise<string>((resolve, reject) => {
      const state = new URL(address).searchParams.get('state');
      const server = createServer((request, response) => {
        // Any program and page on this machine can send anything, such as `//`, which is not a valid URL.
        const returned = URL.canParse(`${request.url}`, redirectUri) ? new URL(`${request.url}`, redirectUri) : null;
        const isAnswer = request.method === 'GET' && returned?.pathname === pathname;
        if (!isAnswer || returned.searchParams.get('state') !== state) {
          response.writeHead(404).end();
          return;
        }
        const headers = {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          connection: 'close',
        };
        response.writeHead(200, headers).end(page, () => end(() => resolve(returned.href)));
      });
      const late = setTimeout(() => {
        end(() => reject(refusal(`Nobody came back to ${redirectUri} within ${waitMs} ms.`)));
      }, waitMs);
      function end(tell: () => void): void {
        clearTimeout(late);
        server.close(tell);
        server.closeAllConnections();
      }
      server.on('error', (cause) => {
        clearTimeout(late);
        reject(cause);
      });
      server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''), () => {
        Promise.resolve(address)
          .then(show)
          .catch((error) => end(() => reject(error)));
      });
    });
}

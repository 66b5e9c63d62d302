/** The client against a server that redirects. Only programs on Node can open such a server. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { NetworkError } from '../../../packages/client/src/errors.ts';
import { tokenSession } from '../../../packages/client/src/session.ts';
import { createTransport } from '../../../packages/client/src/transport.ts';

test('a redirect is not followed, because it could take the token to another host', async () => {
  const heard: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    heard.push(headers['service-token']);
    response.writeHead(url === '/elsewhere' ? 200 : 307, { location: '/elsewhere' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const place = { url: `http://127.0.0.1:${port}`, companyId: 1, appId: 'a', appVersion: '1' };
  const { send } = createTransport(place, () => tokenSession('secret'));
  await assert.rejects(send('sendLog', { body: { logLevel: 'ERROR' } }), NetworkError);
  server.close();
  server.closeAllConnections();
  assert.deepEqual(heard, ['secret']);
});

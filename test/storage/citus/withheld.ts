/**
 * A proxy between the coordinator of a cluster and a worker: withholds the answer to one statement, so that its outcome
 * is unknown.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Connection } from '../../../src/storage/postgres/connections.ts';

export interface Withheld {
  /** The most bytes sent at once so far. */
  readonly bytesMost: number;
  /** Withholds all answers on the next connection on which this many bytes are sent at once. They are encrypted. */
  after(bytesMin: number): void;
  /** Ends that connection, at both ends. */
  cut(): void;
}

/**
 * Makes the nodes of a database reach one of them through this process, until the end of the test.
 * @param coordinator address, whose user is the superuser
 * @param node `host:port` on this machine
 */
export async function withholding(t: TestContext, coordinator: Connection, node: string): Promise<Withheld> {
  const [host = '', port] = node.split(':');
  const sockets = new Set<Socket>();
  let bytesMost = 0;
  let awaited = Number.POSITIVE_INFINITY;
  let cut = () => {};
  const server = createServer((client) => {
    const worker = connect({ host, port: Number(port) });
    let isKept = false;
    for (const [one, other] of [
      [client, worker],
      [worker, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    client.on('data', (bytes) => {
      bytesMost = Math.max(bytesMost, bytes.length);
      if (bytes.length >= awaited) {
        awaited = Number.POSITIVE_INFINITY;
        isKept = true;
        cut = () => {
          client.destroy();
          worker.destroy();
        };
      }
      worker.write(bytes);
    });
    worker.on('data', (bytes) => {
      if (!isKept) client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await coordinator.query({
    text: `SELECT citus_update_node(nodeid, '127.0.0.1', $1::integer) FROM pg_dist_node WHERE nodename = $2 AND nodeport = $3::integer`,
    values: [String((server.address() as AddressInfo).port), host, port ?? null],
  });
  return {
    get bytesMost() {
      return bytesMost;
    },
    after(bytesMin) {
      awaited = bytesMin;
    },
    cut: () => cut(),
  };
}

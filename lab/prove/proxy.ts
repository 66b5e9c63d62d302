/**
 * A TCP proxy in front of the service that simulates a bad network: each request names its fault, which the client
 * chooses by its seed, so that a run can be repeated. Every answer is passed to a witness, because it counts even if
 * the client never receives it.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Connections, headerOf, Lost, messageLength, type Reply, reset } from '../client/connection.ts';

export const faults = ['none', 'drop', 'reset', 'late', 'hold', 'twice'] as const;

/**
 * `drop`: the service's answer is discarded, and the connection reset · `reset`: the connection ends in the middle of
 * the request's body · `late`: the request arrives after the client gave up · `hold`: the answer arrives after the
 * client gave up · `twice`: the same bytes arrive on two connections at once.
 */
export type Fault = (typeof faults)[number];

export interface FaultProxy {
  readonly port: number;
  readonly met: Readonly<Record<Fault, number>>;
  /** Resolves when everything that the clients have sent so far has arrived and was answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** The port of the service. */
  readonly port: number;
  /** Longer than the client waits for an answer. */
  readonly stallMs: number;
  /**
   * Called with every answer to a request with an attempt number (reads have none), before the client can receive it. A
   * forwarded answer may still not reach the client, which may be disconnecting; only the client knows.
   */
  readonly witness: (attempt: number, reply: Reply, isHandedOn: boolean) => void;
}

const upstreamTimeMs = 30_000;

export async function openProxy({ port, stallMs, witness }: ProxyOptions): Promise<FaultProxy> {
  const upstream = new Connections(port);
  const clients = new Set<Socket>();
  const underWay = new Set<Promise<void>>();
  const met = { none: 0, drop: 0, reset: 0, late: 0, hold: 0, twice: 0 };
  const ask = (bytes: Buffer) => upstream.using((connection) => connection.exchange(bytes, upstreamTimeMs));
  const stall = () => new Promise((resolve) => setTimeout(resolve, stallMs));

  async function handle(client: Socket, bytes: Buffer): Promise<void> {
    const fault = (headerOf(bytes, 'x-fault') ?? 'none') as Fault;
    const attempt = headerOf(bytes, 'x-attempt');
    const tell = (reply: Reply, isHandedOn: boolean) => {
      if (attempt !== undefined) witness(Number(attempt), reply, isHandedOn);
    };
    const pass = (reply: Reply) => {
      tell(reply, true);
      if (client.writable) client.write(reply.bytes);
    };
    met[fault]++;
    switch (fault) {
      case 'none':
        return pass(await ask(bytes));
      case 'drop':
        tell(await ask(bytes), false);
        return reset(client);
      case 'reset':
        await upstream.using((connection) => connection.abandon(bytes.subarray(0, bytes.length - 20)));
        return reset(client);
      case 'late':
        await stall();
        return pass(await ask(bytes));
      case 'hold': {
        const reply = await ask(bytes);
        await stall();
        return pass(reply);
      }
      case 'twice': {
        const both = [ask(bytes), ask(bytes)];
        const first = await Promise.race(both.map((reply, index) => reply.then((told) => ({ told, index }))));
        pass(first.told);
        return tell(await (both[1 - first.index] as Promise<Reply>), false);
      }
    }
  }

  const server = createServer((client) => {
    clients.add(client);
    let received = Buffer.alloc(0);
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = messageLength(received);
      if (length === null || received.length < length) return;
      const work = handle(client, received.subarray(0, length)).catch((error: unknown) => {
        if (!(error instanceof Lost)) throw error;
        reset(client);
      });
      received = Buffer.alloc(0);
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    met,
    async settled() {
      await Promise.all(underWay);
    },
    async close() {
      for (const client of clients) client.destroy();
      upstream.close();
      server.close();
      await once(server, 'close');
    },
  };
}

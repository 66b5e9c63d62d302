/** Starting, sampling and stopping the service's process, from the outside. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromServer, Place, Sample, ServerOptions } from './server.ts';

export interface Server {
  readonly url: string;
  readonly port: number;
  /** Made by this start. */
  readonly places: readonly Place[];
  sample(): Promise<Sample>;
  /** SIGTERM. @throws Error when the process does not end by itself with status 0 */
  stop(): Promise<void>;
}

const stopTimeMs = 60_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--expose-gc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const answer = await nextMessage(child, exited);
  if (!('started' in answer)) throw new Error('The server answered before it had started.');
  const { url, places } = answer.started;
  return {
    url,
    port: Number(new URL(url).port),
    places,
    async sample() {
      child.send('sample');
      const message = await nextMessage(child, exited);
      if (!('sample' in message)) throw new Error('The server told something else than its sample.');
      return message.sample;
    },
    async stop() {
      const late = setTimeout(() => child.kill('SIGKILL'), stopTimeMs);
      child.kill('SIGTERM');
      const [code, signal] = await exited;
      clearTimeout(late);
      if (code !== 0) throw new Error(`Told to stop, the server ended with ${code ?? signal}.`);
    },
  };
}

async function nextMessage(child: ChildProcess, exited: Promise<unknown[]>): Promise<FromServer> {
  const gone = exited.then(([code, signal]) => {
    throw new Error(`The server ended with ${code ?? signal}.`);
  });
  return Promise.race([once(child, 'message').then(([message]) => message as FromServer), gone]);
}

/** Rowhouse as a process under strace: started with as many data spaces as asked for, told to stop, its trace kept. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Started } from '../../measure/server.ts';
import { EventReader, type TraceEvent, tracedCalls } from './events.ts';

export interface Traced extends Started {
  /** Ends the service in its orderly way; afterwards the trace is whole. */
  stop(): Promise<void>;
}

/** Larger than anything that the service reads or writes at once. */
const stringBytesMax = 8 * 1024 * 1024;

export const howToInstall =
  'strace is needed and was not found. On Debian and Ubuntu, as root: apt-get update && apt-get install -y strace';

export function hasStrace(): boolean {
  return spawnSync('strace', ['--version']).status === 0;
}

/** @throws Error when strace is missing or may not trace, or when the service does not start */
export async function startTraced(folder: string, spaces: number, traceFile: string): Promise<Traced> {
  if (!hasStrace()) throw new Error(howToInstall);
  const strace = ['-f', '--seccomp-bpf', '-ttt', '-y', '-xx', '-s', String(stringBytesMax), '-o', traceFile];
  const command = [
    process.execPath,
    join(import.meta.dirname, '../../measure/server.ts'),
    `sqlite:${folder}`,
    String(spaces),
  ];
  const child = spawn('strace', [...strace, '-e', `trace=${tracedCalls.join(',')}`, ...command], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Writes that the kernel carries out from a ring would not be seen as calls.
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const started = await Promise.race([startOf(child), exited.then(([code]) => refusal(code))]);
  return {
    ...started,
    async stop() {
      child.send('stop');
      const [code] = await exited;
      if (code !== 0) throw new Error(`The traced service ended with status ${code}.`);
    },
  };
}

/** Everything of the trace that concerns the folder or a socket, in order. */
export async function readTrace(traceFile: string, folder: string): Promise<TraceEvent[]> {
  const reader = new EventReader(folder);
  const events: TraceEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(traceFile, 'latin1') })) {
    const event = reader.read(line);
    if (event !== null) events.push(event);
  }
  return events;
}

async function startOf(child: ChildProcess): Promise<Started> {
  const [message] = await once(child, 'message');
  return message as Started;
}

function refusal(code: number | null): never {
  throw new Error(`The traced service did not start (status ${code}); in a container, strace needs SYS_PTRACE.`);
}

/**
 * Rowhouse as a process under strace: starts it with the given number of data spaces, stops it, and keeps its trace.
 */
import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { secretKey } from '../../machine/scratch.ts';
import { type Running, startServer } from '../../service/process.ts';
import { EventReader, type TraceEvent, tracedCalls } from './events.ts';

/** Larger than anything that the service reads or writes at once. */
const stringBytesMax = 8 * 1024 * 1024;

export const howToInstall =
  'strace is needed and was not found. On Debian and Ubuntu, as root: apt-get update && apt-get install -y strace';

export function hasStrace(): boolean {
  return spawnSync('strace', ['--version']).status === 0;
}

/** @throws Error when strace is missing or may not trace, or when the service does not start */
export async function startTraced(folder: string, spaces: number, traceFile: string): Promise<Running> {
  if (!hasStrace()) throw new Error(howToInstall);
  const strace = ['-f', '--seccomp-bpf', '-ttt', '-y', '-xx', '-s', String(stringBytesMax), '-o', traceFile];
  // Writes through a kernel ring (io_uring) would not appear as calls.
  const variables = { UV_USE_IO_URING: '0' };
  try {
    const command = ['strace', ...strace, '-e', `trace=${tracedCalls.join(',')}`];
    return await startServer({ storage: `sqlite:${folder}`, secretKey }, { spaces }, { command, variables });
  } catch (cause) {
    throw new Error('The traced service did not start; in a container, strace needs SYS_PTRACE.', { cause });
  }
}

/** All events of the trace about the folder or a socket, in order. */
export async function readTrace(traceFile: string, folder: string): Promise<TraceEvent[]> {
  const reader = new EventReader(folder);
  const events: TraceEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(traceFile, 'latin1') })) {
    const event = reader.read(line);
    if (event !== null) events.push(event);
  }
  return events;
}

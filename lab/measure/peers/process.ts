/** A peer as a process: started on a free port, waited for, and stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { memoryMib } from '../../machine/usage.ts';

/** How long a peer may take from its start to its first answer. */
const startTimeMs = 120_000;

/** What a peer is run with. */
export interface Program {
  readonly program: string;
  /** The working folder. */
  readonly folder: string;
}

export interface PeerProcess {
  /** MiB; NaN if the system doesn't report it. */
  residentMiB(): Promise<number>;
  stop(): Promise<void>;
}

export type Variables = Readonly<Record<string, string>>;

/** Runs the peer's own program to its end. @throws Error with the end of its output */
export async function runToEnd(peer: Program, args: readonly string[], variables: Variables): Promise<void> {
  const { child, said } = spawnPeer(peer, args, variables);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with status ${code}:\n${said()}`);
}

/** Starts the peer and waits until this address answers with 200. */
export async function startPeer(
  peer: Program,
  args: readonly string[],
  variables: Variables,
  healthUrl: string,
): Promise<PeerProcess> {
  const { child, said } = spawnPeer(peer, args, variables);
  const until = Date.now() + startTimeMs;
  while (!(await answers(healthUrl))) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill();
      throw new Error(`${args.join(' ')} did not start:\n${said()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    residentMiB: async () => Math.round(memoryMib(child.pid as number, 'VmRSS')),
    async stop() {
      process.off('exit', kill);
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

function spawnPeer(
  { program, folder }: Program,
  args: readonly string[],
  variables: Variables,
): { child: ChildProcess; said: () => string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const listen = (chunk: Buffer) => {
    text = (text + chunk).slice(-4_000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  return { child, said: () => text };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

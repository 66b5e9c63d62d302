/** Child processes that execute orders: both sides of the protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

interface Order {
  readonly number: number;
  readonly name: string;
  readonly input: unknown;
}

type Report = { readonly number: number } & ({ readonly answer: unknown } | { readonly failed: string });

export interface ChildOptions {
  /** A command that gets the program and its arguments, and replaces itself by it. */
  readonly command?: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

export interface Child {
  readonly pid: number;
  /** Resolves to its status, or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  isAlive(): boolean;
  /** @throws Error with the child's message, or because it ended */
  ask<Answer>(order: string, input?: unknown): Promise<Answer>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Lets the child end by itself from now on. */
  disconnect(): void;
}

/** Resolves when the child has loaded its program. @throws Error if it ends before */
export async function startChild(file: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { command = [], flags = [], variables = {} } = options;
  const [program, ...rest] = [...command, process.execPath, ...flags, file, ...args];
  const child = spawn(program as string, rest, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...variables },
    // In its own process group, so that Ctrl-C reaches only the parent. It ends when its parent is gone.
    detached: true,
  });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const waiting = new Map<number, (report: Report) => void>();
  let orders = 0;
  await Promise.race([once(child, 'message'), goneOf(ended)]);
  child.on('message', (report: Report) => {
    waiting.get(report.number)?.(report);
    waiting.delete(report.number);
  });
  return {
    pid: child.pid as number,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async ask<Answer>(name: string, input?: unknown) {
      const number = orders++;
      const reported = new Promise<Report>((resolve) => waiting.set(number, resolve));
      send(child, { number, name, input });
      const report = await Promise.race([reported, goneOf(ended)]);
      if ('failed' in report) throw new Error(report.failed);
      return report.answer as Answer;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    disconnect: () => child.disconnect(),
  };
}

/** A child that has just ended can't receive anything; callers that wait learn of its end. */
function send(child: ChildProcess, order: Order): void {
  if (child.connected) child.send(order, () => {});
}

async function goneOf(ended: Child['ended']): Promise<never> {
  throw new Error(`The process ended with ${await ended}.`);
}

/** The orders of a child, by name. */
export type Orders = Readonly<Record<string, (input: never) => unknown>>;

/** In the child: reports that it is ready, executes orders, and ends when its parent is gone. */
export function carryOut(orders: Orders): void {
  process.on('message', async ({ number, name, input }: Order) => {
    const report = (result: { answer: unknown } | { failed: string }) => process.send?.({ number, ...result });
    try {
      report({ answer: await orders[name]?.(input as never) });
    } catch (error) {
      report({ failed: error instanceof Error ? error.message : String(error) });
    }
  });
  process.on('disconnect', endWithParent);
  process.send?.('ready');
}

function endWithParent(): void {
  process.exit(0);
}

/** In the child: lets it end by itself from now on. */
export function outliveParent(): void {
  process.off('disconnect', endWithParent);
}

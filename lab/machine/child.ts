/** Child processes that carry out orders: both sides of the conversation. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

interface Order {
  readonly number: number;
  readonly name: string;
  readonly input: unknown;
}

type Report = { readonly number: number } & ({ readonly answer: unknown } | { readonly failed: string });

export interface ChildOptions {
  /** Is given the program and its arguments, and becomes it. */
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
  /** @throws Error with what the child says, or that it ended */
  ask<Answer>(order: string, input?: unknown): Promise<Answer>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** From now on the child may end by itself. */
  disconnect(): void;
}

/** Resolves when the child has loaded its program. @throws Error when it ended before */
export async function startChild(file: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { command = [], flags = [], variables = {} } = options;
  const [program, ...rest] = [...command, process.execPath, ...flags, file, ...args];
  const child = spawn(program as string, rest, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...variables },
    // In a group of its own, so that Ctrl-C reaches the parent alone. It ends when its parent is gone.
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

/** To a child that has just ended, nothing can be said; that it ended is told to whoever waits. */
function send(child: ChildProcess, order: Order): void {
  if (child.connected) child.send(order, () => {});
}

async function goneOf(ended: Child['ended']): Promise<never> {
  throw new Error(`The process ended with ${await ended}.`);
}

/** What a child can do, by the name of the order. */
export type Orders = Readonly<Record<string, (input: never) => unknown>>;

/** In the child: says that it is ready, carries out what it is told, and ends when its parent is gone. */
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

/** In the child: it may end by itself from now on. */
export function outliveParent(): void {
  process.off('disconnect', endWithParent);
}

/** Starting and ordering the processes of `server.ts`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Settings } from '../../../src/config.ts';
import type { Act, Order, Report, Seat, SignedIn } from './server.ts';

export interface Instance {
  readonly port: number;
  signIn(seats: readonly Seat[]): Promise<readonly SignedIn[]>;
  newUser(companyId: number): Promise<number>;
  /** Resolves when it is answered, as an administrator would be. */
  act(act: Act): Promise<void>;
  stop(): Promise<void>;
}

/** @param make whether the companies are to be made */
export async function startInstance(settings: Partial<Settings>, make: boolean): Promise<Instance> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const waiting = new Map<number, (report: Report) => void>();
  let orders = 0;
  child.on('message', ({ number, answer }: { number: number; answer: Report }) => {
    waiting.get(number)?.(answer);
    waiting.delete(number);
  });

  async function ask<Wanted extends Report>(order: Order): Promise<Wanted> {
    const number = orders++;
    const answered = new Promise<Report>((resolve) => waiting.set(number, resolve));
    child.send({ number, order });
    const report = await Promise.race([answered, exited.then((): Report => ({ failed: 'The server ended.' }))]);
    if ('failed' in report) throw new Error(report.failed);
    return report as Wanted;
  }

  const { port } = await ask<{ readonly port: number }>({ open: settings, make });
  return {
    port,
    signIn: async (seats) => (await ask<{ readonly sessions: readonly SignedIn[] }>({ signIn: seats })).sessions,
    newUser: async (companyId) => (await ask<{ readonly userId: number }>({ newUser: { companyId } })).userId,
    act: async (act) => void (await ask({ act })),
    async stop() {
      await ask({ stop: true });
      child.disconnect();
      await exited;
    },
  };
}

/** An instance of the service with the orders of this proof. */
import { join } from 'node:path';
import type { Settings } from '../../../src/config.ts';
import { startServer } from '../../service/process.ts';
import type { Act, Seat, SignedIn } from './orders.ts';

export interface Instance {
  readonly port: number;
  signIn(seats: readonly Seat[]): Promise<readonly SignedIn[]>;
  newUser(companyId: number): Promise<number>;
  /** Resolves when it is answered, as an administrator would be. */
  act(act: Act): Promise<void>;
  stop(): Promise<void>;
}

type InstanceSettings = Partial<Settings> & Pick<Settings, 'storage' | 'secretKey'>;

/** @param make whether the companies are to be made */
export async function startInstance(settings: InstanceSettings, make: boolean): Promise<Instance> {
  const orders = join(import.meta.dirname, 'orders.ts');
  const { port, ask, stop } = await startServer(settings, { settings }, { orders });
  if (make) await ask('makeCompanies');
  return {
    port,
    signIn: (seats) => ask('signIn', seats),
    newUser: (companyId) => ask('newUser', companyId),
    act: (act) => ask('act', act),
    stop,
  };
}

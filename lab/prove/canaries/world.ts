/** A service with people, passwords, an administrator and a provider, with all secrets marked, and its whole log. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { operator } from '../../../src/actor.ts';
import { beginSetUp, completeSetUp } from '../../../src/administration/set-up.ts';
import { setUserPassword } from '../../../src/administration/user-passwords.ts';
import { defaults } from '../../../src/config.ts';
import { demoNames } from '../../../src/demo/sign-in.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../../src/main.ts';
import { makeStorage, type Scratch } from '../../machine/scratch.ts';
import { type Found, madeUp, marked, search } from './marks.ts';

const mib = 1024 * 1024;

export interface CanaryWorld {
  readonly rowhouse: Rowhouse;
  readonly scratch: Scratch;
  readonly person: { readonly account: string; readonly password: string };
  readonly administrator: { readonly account: string; readonly password: string };
  /** An additional key of the sample application. */
  readonly appKey: string;
  /**
   * Values of `nonce`, and of the `state` of a trial: they are sent to the provider, and the directory stores nonces in
   * clear text.
   */
  readonly nonces: Set<string>;
  /** Secrets found in the log so far. */
  readonly logged: Found[];
  logBytes(): number;
}

export async function openWorld(server: string | undefined): Promise<CanaryWorld> {
  const scratch = await makeStorage(server === undefined ? 'sqlite' : 'postgres', async () => server ?? '');
  const nonces = new Set<string>();
  const logged: Found[] = [];
  let logBytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logBytes += chunk.length;
      // Nonces count too: they must not be in the log.
      logged.push(...search(chunk.toString('latin1')));
      done();
    },
  });
  const settings = {
    ...defaults,
    ...scratch.settings,
    // Configured, because a key file would also begin with the mark.
    secretKey: 'a5'.repeat(32),
    port: 0,
    attemptLimits: false,
    passwordMemoryBytes: 7 * mib,
    passwordPasses: 1,
    readerThreads: 1,
    writerThreads: 1,
  };
  const rowhouse = await startRowhouse(settings, {
    demo: true,
    environment: { ...systemEnvironment, random: marked },
    log: pino({ level: 'trace' }, sink),
  });
  const { directory, administration } = rowhouse;
  const appKey = madeUp('text');
  await directory.applications.replaceKey(1, demoNames.appId, appKey);
  await directory.applications.update(1, demoNames.appId, { localAccounts: true });
  const person = { account: 'alice', password: madeUp('text') };
  const { id: userId } = (await directory.users.byAccount(1, person.account)) ?? { id: 0 };
  await setUserPassword(administration, operator, { companyId: 1, userId, password: person.password });
  const administrator = { account: 'root', password: madeUp('text') };
  const secret = (await beginSetUp(administration)) ?? '';
  await completeSetUp(administration, { secret, ...administrator }, { address: null });
  return { rowhouse, scratch, person, administrator, appKey, nonces, logged, logBytes: () => logBytes };
}

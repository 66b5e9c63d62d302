/**
 * The service as a process that may be killed: it loads the program and reports that it stands by, opens the storage that
 * it is told, and then serves with a clock that its parent steps. Made once in a storage: one company with as many
 * application versions (each with a data space) as asked for, one user, and a token for each version.
 */
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { insertToken, newToken } from '../../src/auth/tokens.ts';
import { role } from '../../src/caller.ts';
import { loadSettings } from '../../src/config.ts';
import { type Environment, systemEnvironment } from '../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import type { Stored } from './installation.ts';
import type { OpenOptions } from './process.ts';
import { longestTurn } from './stalls/turn-meter.ts';

export interface Space {
  /** Number of the data space. */
  readonly spaceId: number;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
  readonly token: string;
}

export type ToServer =
  | { readonly open: OpenOptions & { readonly stored: Stored } & Required<Pick<OpenOptions, 'spaces' | 'settings'>> }
  | { readonly clockOffsetMs: number }
  | { readonly longestTurn: true }
  | { readonly stop: true };

export type FromServer =
  | { readonly standsBy: true }
  | { readonly opened: { readonly port: number; readonly spaces: readonly Space[] } }
  | { readonly longestTurnMs: number }
  | { readonly refused: string };

let clockOffsetMs = 0;
let rowhouse: Rowhouse | undefined;
const environment: Environment = { ...systemEnvironment, now: () => systemEnvironment.now() + clockOffsetMs };
const tell = (message: FromServer) => process.send?.(message);

process.on('message', (message: ToServer) => {
  if ('clockOffsetMs' in message) clockOffsetMs = message.clockOffsetMs;
  else if ('longestTurn' in message) tell({ longestTurnMs: longestTurn() });
  else if ('stop' in message) void rowhouse?.close().then(() => process.exit(0));
  else void open(message.open);
});
process.on('disconnect', () => process.exit(0));
flushCompileCache();
tell({ standsBy: true });

async function open(options: Extract<ToServer, { open: unknown }>['open']): Promise<void> {
  try {
    const { apart = false, memoryBytes = Number.POSITIVE_INFINITY } = options;
    const settings = { ...loadSettings({ memoryBytes }), port: 0, ...options.stored, ...options.settings };
    rowhouse = await startRowhouse(settings, { demo: false, environment, log: pino({ level: 'silent' }) });
    const spaces = await makeSpaces(rowhouse, options.spaces, apart);
    tell({ opened: { port: Number(new URL(rowhouse.url).port), spaces } });
  } catch (error) {
    tell({ refused: error instanceof Error ? error.message : String(error) });
  }
}

async function makeSpaces(rowhouse: Rowhouse, count: number, apart: boolean): Promise<Space[]> {
  const made: Space[] = [];
  let user: number | undefined;
  for (let number = 1; number <= count; number++) {
    const companyId = apart ? number : 1;
    if (apart || user === undefined) user = await makeCompany(rowhouse, companyId);
    made.push(await makeSpace(rowhouse, companyId, user, `${number}.0.0`));
  }
  return made;
}

const appId = 'proof';

/** @returns the id of its user */
async function makeCompany({ directory }: Rowhouse, companyId: number): Promise<number> {
  await directory.companies.create({ id: companyId, name: `Proof ${companyId}` });
  const group = await directory.groups.create({ companyId, name: 'All' });
  const user = await directory.users.create({
    companyId,
    account: 'proof',
    email: 'proof@example.com',
    memberships: [{ groupId: group.id, roleId: role.developer }],
  });
  await directory.applications.create({ companyId, appId, name: 'Proof', groupIds: [group.id] });
  return user.id;
}

async function makeSpace(rowhouse: Rowhouse, companyId: number, userId: number, version: string): Promise<Space> {
  const { directory, storage, settings } = rowhouse;
  const { spaceId } = await directory.versions.create({ companyId, appId, version });
  const token = newToken(environment);
  const created = environment.now();
  const row = insertToken(storage.directory, token, {
    kind: 'user',
    companyId,
    appId,
    version,
    deviceUdid: 'proof',
    userId,
    isPush: false,
    created,
    validTime: settings.userTokenLifeMaxMs,
    expires: created + settings.userTokenLifeMaxMs,
  });
  await storage.directory.write([row]);
  return { spaceId, token, prefix: `/api/${companyId}/${appId}/${version.replaceAll('.', '_')}` };
}

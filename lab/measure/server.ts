/**
 * The service under test, as a process of its own: started as in production (no demo), with one company, as many
 * application versions (each with a data space) as asked for, one user, and a token for each version. Tells its parent
 * where it is, then serves until it is told to stop.
 */
import { readdirSync } from 'node:fs';
import { insertToken, newToken } from '../../src/auth/tokens.ts';
import { role } from '../../src/caller.ts';
import { defaults } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { databaseConnections } from './pool.ts';

export interface Started {
  readonly port: number;
  readonly spaces: readonly Space[];
}

export interface Space {
  /** Number of the data space's file. */
  readonly spaceId: number;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
  /** Of a user who sees every record. */
  readonly token: string;
  /** Of a user who sees the records of the second group only. */
  readonly tokenOfFew: string;
  /** Name of the file, once it is known. */
  readonly file?: string;
}

const [storageAddress, spaceCount] = process.argv.slice(2) as [string, string];
const secretKey = '5e'.repeat(32);
/** Data spaces that are made at a time. */
const madeAtOnce = 4;
const settings = {
  ...defaults,
  port: 0,
  storage: storageAddress,
  secretKey,
  logLevel: 'error',
  databaseConnectionsMax: databaseConnections,
} as const;
const rowhouse = await startRowhouse(settings, { demo: false });
const spaces = await setUp(rowhouse, Number(spaceCount));
const port = Number(new URL(rowhouse.url).port);
process.send?.({ port, spaces } satisfies Started);
// Whoever started it may be gone without a word.
process.on('disconnect', () => process.exit(1));
process.on('message', (message) => {
  if (message === 'memory') process.send?.(process.memoryUsage().rss);
  if (message === 'files') process.send?.(readdirSync('/proc/self/fd').length);
  if (message === 'stop') rowhouse.close().then(() => process.exit(0));
});

async function setUp({ directory, storage }: Rowhouse, count: number): Promise<Space[]> {
  if (count === 0) return [];
  const companyId = 1;
  const appId = 'bench';
  await directory.companies.create({ id: companyId, name: 'Bench' });
  const all = await directory.groups.create({ companyId, name: 'All' });
  const few = await directory.groups.create({ companyId, name: 'Few' });
  const member = (groupId: number) => ({ groupId, roleId: role.developer });
  const seesAll = {
    companyId,
    account: 'all',
    email: 'all@example.com',
    memberships: [member(all.id), member(few.id)],
  };
  const seesFew = { companyId, account: 'few', email: 'few@example.com', memberships: [member(few.id)] };
  const users = [await directory.users.create(seesAll), await directory.users.create(seesFew)];
  await directory.applications.create({ companyId, appId, name: 'Bench', groupIds: [all.id, few.id] });
  const made: Space[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index + 1).values();
  const makeOne = async (number: number) => {
    const version = `${number}.0.0`;
    const { spaceId } = await directory.versions.create({ companyId, appId, version });
    const tokens = users.map(() => newToken(systemEnvironment));
    const now = Date.now();
    const rows = users.map((user, index) =>
      insertToken(storage.directory, tokens[index] as string, {
        kind: 'user',
        companyId,
        appId,
        version,
        deviceUdid: 'bench',
        userId: user.id,
        isPush: false,
        created: now,
        validTime: settings.userTokenLifeMs,
        expires: now + settings.userTokenLifeMaxMs,
      }),
    );
    await storage.directory.write(rows);
    const [token, tokenOfFew] = tokens as [string, string];
    const prefix = `/api/${companyId}/${appId}/${version.replaceAll('.', '_')}`;
    made[number - 1] = { spaceId, token, tokenOfFew, prefix };
  };
  const worker = async () => {
    for (const number of numbers) await makeOne(number);
  };
  await Promise.all(Array.from({ length: madeAtOnce }, worker));
  return made;
}

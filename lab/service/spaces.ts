/** Companies, applications and data spaces for a service under test, created directly in its directory. */
import { openPasswords } from '../../src/auth/local/passwords.ts';
import { openSeal } from '../../src/auth/seal.ts';
import { insertToken } from '../../src/auth/token-rows.ts';
import { newToken } from '../../src/auth/tokens.ts';
import { role } from '../../src/caller.ts';
import type { Environment } from '../../src/environment.ts';
import type { Rowhouse } from '../../src/main.ts';

export interface Space {
  /** Number of the data space. */
  readonly spaceId: number;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
  /** Token of a user who sees every record. */
  readonly token: string;
}

export interface MadeSpace extends Space {
  readonly companyId: number;
  readonly version: string;
  /** Token of a user who sees only the records of the second group. */
  readonly tokenOfFew: string;
  /** The ids for both, in the order of `accounts`. */
  readonly userIds: readonly number[];
}

/** The provider through which the user who sees every record may sign in. */
export interface Provider {
  readonly providerName: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

export interface Wanted {
  readonly spaces: number;
  /** How many companies share the data spaces evenly. */
  readonly companies: number;
  readonly provider?: Provider;
  /** The password with which the users may sign in. */
  readonly password?: string;
}

export const appId = 'lab';
export const appKey = 'key-of-the-laboratory';
/** The account of the user who sees every record; the development identity provider has it too. */
export const account = 'alice';
export const accounts: readonly string[] = [account, 'few'];

/** How many data spaces are created at a time. */
const madeAtOnce = 4;

/** One application in each company; each of its versions has a data space. */
export async function makeSpaces(rowhouse: Rowhouse, environment: Environment, wanted: Wanted): Promise<MadeSpace[]> {
  const made: MadeSpace[] = [];
  const each = wanted.spaces / wanted.companies;
  for (let companyId = 1; made.length < wanted.spaces; companyId++) {
    const users = await makeCompany(rowhouse, environment, companyId, wanted);
    const numbers = Array.from({ length: each }, (_, index) => index + 1).values();
    const spaces: MadeSpace[] = [];
    const worker = async () => {
      for (const number of numbers) {
        spaces[number - 1] = await makeSpace(rowhouse, environment, companyId, `${number}.0.0`, users);
      }
    };
    await Promise.all(Array.from({ length: madeAtOnce }, worker));
    made.push(...spaces);
  }
  return made;
}

/** @returns the ids of the users who see all and few records */
async function makeCompany(
  { directory, settings }: Rowhouse,
  environment: Environment,
  companyId: number,
  { provider, password }: Wanted,
): Promise<number[]> {
  await directory.companies.create({ id: companyId, name: `Company ${companyId}` });
  const all = await directory.groups.create({ companyId, name: 'All' });
  const few = await directory.groups.create({ companyId, name: 'Few' });
  const hashed =
    password === undefined ? {} : { passwordHash: await openPasswords(settings, environment).hash(password) };
  const user = async (name: string, groupIds: readonly number[]) => {
    const memberships = groupIds.map((groupId) => ({ groupId, roleId: role.developer }));
    const email = `${name}@example.com`;
    return (await directory.users.create({ companyId, account: name, email, memberships, ...hashed })).id;
  };
  const users = [await user(account, [all.id, few.id]), await user('few', [few.id])];
  const application = { companyId, appId, name: 'Lab', appKey, groupIds: [all.id, few.id] };
  await directory.applications.create({ ...application, localAccounts: password !== undefined });
  if (provider !== undefined) {
    const { clientSecret, issuer, ...client } = provider;
    const secretSealed = openSeal(settings, environment).seal(clientSecret);
    await directory.clients.create({ companyId, appId, ...client, newProvider: { issuer }, secretSealed });
  }
  return users;
}

async function makeSpace(
  { directory, storage, settings }: Rowhouse,
  environment: Environment,
  companyId: number,
  version: string,
  users: readonly number[],
): Promise<MadeSpace> {
  const { spaceId } = await directory.versions.create({ companyId, appId, version });
  const tokens = users.map(() => newToken(environment));
  const created = environment.now();
  const rows = users.map((userId, index) =>
    insertToken(storage.directory, tokens[index] as string, {
      ...{ kind: 'user', companyId, appId, version, deviceUdid: 'lab', userId, isPush: false, created },
      validTime: settings.userTokenLifeMaxMs,
      expires: created + settings.userTokenLifeMaxMs,
    }),
  );
  await storage.directory.write(rows);
  const [token, tokenOfFew] = tokens as [string, string];
  const prefix = `/api/${companyId}/${appId}/${version.replaceAll('.', '_')}`;
  return { spaceId, companyId, version, prefix, token, tokenOfFew, userIds: users };
}

/**
 * The demo's fixed data: two companies that look the same from outside, so that a newcomer has something to query and
 * sees that neither company can see the other's data.
 */
import type { Seal } from '../auth/seal.ts';
import { type Caller, role } from '../caller.ts';
import type { Settings } from '../config.ts';
import { add } from '../data/add.ts';
import { batchOf, writeBatch } from '../data/batch.ts';
import { dataContext } from '../data/context.ts';
import { defineTables } from '../data/define.ts';
import { appKeyHash } from '../directory/applications.ts';
import type { Directory } from '../directory/directory.ts';
import type { User } from '../directory/users.ts';
import type { Version } from '../directory/versions.ts';
import type { Environment } from '../environment.ts';
import { malformed, ServiceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { demoAccounts } from './provider.ts';

/** What both companies have. */
export const demoApp = {
  appId: 'sampleApp',
  version: '1.0.0',
  appKey: 'demo-app-key',
  providerName: 'idp',
  clientId: 'sample-client',
  /** The client of an app that is developed on this machine, and the usual address of its development server. */
  localClientId: 'local-app',
  localRedirectUri: 'http://localhost:5173/',
} as const;

interface DemoCompany {
  readonly id: number;
  readonly name: string;
  readonly groups: readonly string[];
  /** Reads every table. */
  readonly customRole?: { readonly name: string; readonly description: string };
  /** The roles that each login holds in a group; the first one may define tables. */
  readonly people: readonly { readonly login: string; readonly group: string; readonly roles: readonly number[] }[];
  readonly notes: readonly DemoNote[];
}

interface DemoNote {
  readonly objectId: string;
  readonly title: string;
  readonly body: string;
  readonly priority: string;
  readonly done: string;
}

/**
 * Created in this order, which gives the users the ids 1 to 4, the groups 1 to 3 and the custom role 100 in an empty
 * directory.
 */
export const demoCompanies: readonly DemoCompany[] = [
  {
    id: 1,
    name: 'Demo company',
    groups: ['Sales', 'Support'],
    customRole: { name: 'Auditor', description: 'Looks and does not touch.' },
    people: [
      { login: 'alice', group: 'Sales', roles: [role.admin, role.developer] },
      { login: 'bob', group: 'Sales', roles: [role.user] },
      { login: 'carol', group: 'Support', roles: [role.user] },
    ],
    notes: [
      note(1, 'Welcome', 'Everyone in the demo company sees this note.', 1, true),
      note(2, 'Call back', 'A customer asked for the new price list.', 2, false),
      note(3, 'Tidy the sample data', 'Whenever there is time for it.', 3, false),
    ],
  },
  {
    id: 2,
    name: 'Second demo company',
    groups: ['Sales'],
    people: [{ login: 'dave', group: 'Sales', roles: [role.user, role.developer] }],
    notes: [
      note(1, 'Welcome to the second company', 'Nobody of the first company ever sees this note.', 1, true),
      note(2, 'Order paper', 'The printer is nearly empty.', 2, false),
      note(3, 'Plan the move', 'The new office is ready in spring.', 3, false),
    ],
  },
];

/** A table with a few records in both companies, so that a first query has something to show. */
export const demoTable = 'DemoNote';

const noteTable = {
  name: demoTable,
  primary_key: 'objectId',
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 200 },
    { colName: 'body', type: 'text' },
    { colName: 'priority', type: 'integer' },
    { colName: 'done', type: 'bool' },
  ],
};

/** How often creating the missing parts is tried again after a failure. */
const attemptsMax = 10;

export interface DemoSeed {
  readonly directory: Directory;
  readonly storage: Storage;
  readonly seal: Pick<Seal, 'seal' | 'open'>;
  readonly settings: Settings;
  readonly environment: Environment;
  /** Issuer of the demo's identity provider, new at each start. */
  readonly issuer: string;
  readonly clientSecret: string;
  /** Where the provider redirects users to, new at each start. */
  readonly redirectUri: string;
}

/**
 * Creates the missing parts of the demo and leaves everything else as it is, including what users added. Renews the
 * addresses and secrets of clients, which may differ from start to start.
 * @throws ServiceError `malformed` when the data folder holds somebody else's companies under the demo's ids
 */
export async function seedDemo(seed: DemoSeed): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await seedOnce(seed);
    } catch (error) {
      // Another instance may have created the same meanwhile; the next attempt finds it.
      if (!(error instanceof ServiceError) || attempt === attemptsMax) throw error;
    }
  }
}

async function seedOnce(seed: DemoSeed): Promise<void> {
  for (const company of demoCompanies) await refuseForeignCompany(seed.directory, company);
  for (const company of demoCompanies) {
    await seedCompany(seed.directory, company);
    await seedClients(seed, company.id);
    await seedNotes(seed, company);
  }
}

/** The demo's key and passwords are public: they must never open a real company. */
async function refuseForeignCompany(directory: Directory, { id, name }: DemoCompany): Promise<void> {
  const company = await directory.companies.find(id);
  if (company === null || company.name === name) return;
  const application = await directory.applications.find(id, demoApp.appId);
  if (application?.appKeyHash === appKeyHash(demoApp.appKey)) return;
  throw malformed('demo', `company ${id} of this data folder is not the demo's; name another folder with --storage.`);
}

async function seedCompany(directory: Directory, company: DemoCompany): Promise<void> {
  const { id: companyId } = company;
  const { companies, groups, roles, users, applications, versions } = directory;
  if ((await companies.find(companyId)) === null) await companies.create({ id: companyId, name: company.name });

  const groupIds = new Map<string, number>();
  for (const name of company.groups) {
    const group = (await groups.byName(companyId, name)) ?? (await groups.create({ companyId, name }));
    groupIds.set(name, group.id);
  }
  for (const { login, group, roles: held } of company.people) {
    if ((await users.byAccount(companyId, login)) !== null) continue;
    const account = demoAccounts.find((one) => one.login === login);
    await users.create({
      companyId,
      account: login,
      email: `${login}@example.com`,
      firstName: account?.firstName ?? '',
      lastName: account?.lastName ?? '',
      memberships: held.map((roleId) => ({ groupId: groupIds.get(group) ?? 0, roleId })),
    });
  }
  const { appId, appKey, version } = demoApp;
  if ((await applications.find(companyId, appId)) === null) {
    await applications.create({ companyId, appId, name: 'Sample app', appKey, groupIds: [...groupIds.values()] });
  }
  const { customRole } = company;
  if (customRole !== undefined && (await roles.byName(companyId, customRole.name)) === null) {
    const permissions = [{ appId, table: '*', read: true, add: false, update: false, delete: false }];
    await roles.create({ companyId, ...customRole, permissions });
  }
  if ((await versions.find(companyId, appId, version)) === null) {
    await versions.create({ companyId, appId, version, development: true });
  }
}

async function seedClients(seed: DemoSeed, companyId: number): Promise<void> {
  const { appId, providerName, clientId, localClientId, localRedirectUri } = demoApp;
  const { clients, providers } = seed.directory;
  const { issuer, redirectUri } = seed;
  if ((await providers.find(companyId, appId, providerName)) === null) {
    await providers.create({ companyId, appId, name: providerName, issuer });
  } else await providers.update(companyId, appId, providerName, { issuer });
  const secretSealed = seed.seal.seal(seed.clientSecret);
  const add = (clientId: string, redirectUri: string) =>
    clients.create({ companyId, appId, providerName, clientId, redirectUri, secretSealed });
  const update = (clientId: string, values: { readonly redirectUri?: string }) =>
    clients.update(companyId, appId, providerName, clientId, { ...values, secretSealed });
  const isKnown = async (clientId: string) => (await clients.find(companyId, appId, providerName, clientId)) !== null;
  await ((await isKnown(clientId)) ? update(clientId, { redirectUri }) : add(clientId, redirectUri));
  // The developer chooses the address of the app.
  await ((await isKnown(localClientId)) ? update(localClientId, {}) : add(localClientId, localRedirectUri));
}

/** The table and its notes are created together, and only once: a deleted note stays deleted. */
async function seedNotes(seed: DemoSeed, company: DemoCompany): Promise<void> {
  const { directory, storage, settings, environment } = seed;
  const version = await directory.versions.find(company.id, demoApp.appId, demoApp.version);
  const [first] = company.people;
  const author = first === undefined ? null : await directory.users.byAccount(company.id, first.login);
  if (version === null || author === null) return;
  const { tables } = await storage.spaces.definition(version.spaceId);
  if (tables.has(noteTable.name)) return;

  const context = dataContext(storage, settings, environment, seed.seal);
  const caller = callerOf(version, author);
  await defineTables(context, version.spaceId, { tables: [noteTable], reset: false, resettable: false });
  const items = company.notes.map((item) => ({ ...item, scopeType: '3' }));
  await writeBatch(context, caller, batchOf(add, { objectName: noteTable.name, items, strict: true }));
}

/** The author of the notes, who has no token. */
function callerOf({ companyId, appId, version, spaceId }: Version, user: User): Caller {
  return {
    kind: 'user',
    companyId,
    appId,
    appVersion: version,
    spaceId,
    tokenHash: '',
    strictHandling: false,
    deviceUdid: 'demo',
    userId: user.id,
    account: user.account,
    memberships: [],
    groupIds: [],
    tableRights: null,
  };
}

function note(number: number, title: string, body: string, priority: number, done: boolean): DemoNote {
  return { objectId: `DemoNote_${number}`, title, body, priority: String(priority), done: String(done) };
}

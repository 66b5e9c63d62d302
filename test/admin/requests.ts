/**
 * One well-formed request for every operation of the administration interface, on objects that do not exist in the
 * given revision: permitted senders get that error, and nothing changes. Also who may send it
 * (docs/reference/permissions.md), written independently of the table of permissions.
 */
import type { AdminWorld, Asked, Role } from './world.ts';

export interface Sample {
  readonly name: string;
  readonly ask: (world: AdminWorld) => Asked;
  /** Roles that are permitted, besides administrators of the installation. */
  readonly who: readonly Role[];
}

const superAdmin = ['superAdmin'] as const;
const appAdmins = ['superAdmin', 'appAdmin'] as const;
const tableMakers = ['superAdmin', 'appAdmin', 'developer'] as const;
const everybody = ['superAdmin', 'appAdmin', 'admin', 'manager', 'developer', 'user', 'custom'] as const;
const userManagers = ['superAdmin', 'admin'] as const;
const userReaders = ['superAdmin', 'admin', 'manager'] as const;
const nobody: readonly Role[] = [];

const old = { revision: 999_999 };
const one = { companyId: 1 };
const shop = { ...one, appId: 'shop' };
const provider = { ...shop, provider: 'nowhere' };
const client = { ...provider, clientId: 'nobody' };
const version = { ...shop, version: '1.0' };
const administrator = { administratorId: 1 };

const at = (params: Asked['params'], more: Omit<Asked, 'params'> = {}) => ({ ...(params && { params }), ...more });
const fixed = (asked: Asked) => () => asked;
const north = ({ north: groupId }: AdminWorld) => ({ ...one, groupId });
const plainUser = (world: AdminWorld) => ({ ...one, userId: world.userId('user') });
const customRole = ({ customRole: roleId }: AdminWorld) => ({ ...one, roleId });

export const samples: readonly Sample[] = [
  { name: 'getStatistics', ask: fixed({}), who: nobody },
  { name: 'listSettings', ask: fixed({}), who: nobody },
  { name: 'listNodes', ask: fixed({}), who: nobody },
  { name: 'listDataSpaces', ask: fixed({}), who: nobody },
  { name: 'listMoves', ask: fixed({}), who: nobody },
  { name: 'moveDataSpace', ask: fixed({ body: { spaceId: 999_999, to: 'nowhere:1' } }), who: nobody },
  { name: 'rebalanceNodes', ask: fixed({}), who: nobody },
  { name: 'getMe', ask: fixed({}), who: everybody },
  { name: 'listAdministrators', ask: fixed({}), who: nobody },
  { name: 'createAdministrator', ask: fixed({ body: { account: 'root' } }), who: nobody },
  { name: 'getAdministrator', ask: fixed(at(administrator)), who: nobody },
  { name: 'updateAdministrator', ask: fixed(at(administrator, { body: old })), who: nobody },
  { name: 'relinkAdministrator', ask: fixed(at({ administratorId: 1 }, { body: old })), who: [] },
  { name: 'setAdministratorPassword', ask: fixed(at(administrator, { body: { ...old, password: 'x' } })), who: nobody },
  { name: 'listCompanies', ask: fixed({}), who: superAdmin },
  { name: 'createCompany', ask: fixed({ body: { name: 'One', id: 1 } }), who: nobody },
  { name: 'getCompany', ask: fixed(at(one)), who: superAdmin },
  { name: 'getFirstSteps', ask: fixed(at(one)), who: superAdmin },
  { name: 'updateCompany', ask: fixed(at(one, { body: { ...old, name: 'Uno' } })), who: superAdmin },
  { name: 'listApplications', ask: fixed(at(one)), who: tableMakers },
  { name: 'createApplication', ask: fixed(at(one, { body: { appId: 'shop' } })), who: superAdmin },
  { name: 'getApplication', ask: fixed(at(shop)), who: tableMakers },
  { name: 'updateApplication', ask: fixed(at(shop, { body: { ...old, name: 'Shop' } })), who: appAdmins },
  { name: 'replaceAppKey', ask: fixed(at(shop, { body: old })), who: appAdmins },
  { name: 'listVersions', ask: fixed(at(shop)), who: tableMakers },
  { name: 'createVersion', ask: fixed(at(shop, { body: { version: '1_0' } })), who: appAdmins },
  { name: 'getVersion', ask: fixed(at(version)), who: tableMakers },
  { name: 'updateVersion', ask: fixed(at(version, { body: { ...old, disabled: true } })), who: appAdmins },
  { name: 'listTables', ask: fixed(at(version)), who: tableMakers },
  { name: 'defineVersionTables', ask: fixed(at(version, { body: { tables: ['none'] } })), who: tableMakers },
  {
    name: 'changeVersionTables',
    ask: fixed(at(version, { body: { ...old, changes: [{ op: 'dropTable', table: 'Nothing' }] } })),
    who: tableMakers,
  },
  { name: 'versionTableJob', ask: fixed(at({ ...version, jobId: 'none' })), who: tableMakers },
  { name: 'cancelVersionTableJob', ask: fixed(at({ ...version, jobId: 'none' })), who: tableMakers },
  { name: 'versionTablesInBin', ask: fixed(at(version)), who: tableMakers },
  { name: 'tableJoins', ask: fixed(at(version)), who: tableMakers },
  { name: 'tableSizes', ask: fixed(at(version)), who: tableMakers },
  {
    name: 'selectRecords',
    ask: fixed(at({ ...version, objectName: 'None' }, { body: { from: { phyName: 'None', alias: 'n' } } })),
    who: superAdmin,
  },
  {
    name: 'queryRecords',
    ask: fixed(at(version, { body: { objectNames: 'None', returnedObjectNames: 'None' } })),
    who: superAdmin,
  },
  {
    name: 'explainRecords',
    ask: fixed(at({ ...version, objectName: 'None' }, { body: { from: { phyName: 'None', alias: 'n' } } })),
    who: superAdmin,
  },
  { name: 'listBrowsableUsers', ask: fixed(at(one)), who: userManagers },
  {
    name: 'listBrowsableVersions',
    ask: (world) => at({ ...one, ...plainUser(world) }),
    who: userManagers,
  },
  {
    name: 'listBrowsableTables',
    ask: (world) => at({ ...version, ...plainUser(world) }),
    who: userManagers,
  },
  {
    name: 'selectAsUser',
    ask: (world) => {
      const query = { from: { phyName: 'None', alias: 'n' } };
      return at({ ...version, ...plainUser(world), objectName: 'None' }, { body: { why: 'to test', query } });
    },
    who: userManagers,
  },
  {
    name: 'writeRecords',
    ask: fixed(
      at(version, { body: { operations: [{ op: 'delete', objectName: 'None', data: [{ objectId: '1' }] }] } }),
    ),
    who: superAdmin,
  },
  { name: 'getTransaction', ask: fixed(at({ ...version, transactionId: 'none' })), who: superAdmin },
  { name: 'listProviders', ask: fixed(at(shop)), who: appAdmins },
  { name: 'createProvider', ask: fixed(at(shop, { body: { name: 'a', issuer: 'ftp://x' } })), who: superAdmin },
  { name: 'getProvider', ask: fixed(at(provider)), who: appAdmins },
  { name: 'updateProvider', ask: fixed(at(provider, { body: old })), who: superAdmin },
  { name: 'deleteProvider', ask: fixed(at(provider, { query: old })), who: superAdmin },
  { name: 'listClients', ask: fixed(at(provider)), who: appAdmins },
  {
    name: 'createClient',
    ask: fixed(at(provider, { body: { clientId: 'a', redirectUri: 'app.example:/' } })),
    who: superAdmin,
  },
  { name: 'getClient', ask: fixed(at(client)), who: appAdmins },
  { name: 'updateClient', ask: fixed(at(client, { body: old })), who: superAdmin },
  { name: 'deleteClient', ask: fixed(at(client, { query: old })), who: superAdmin },
  { name: 'tryClient', ask: fixed(at(client)), who: superAdmin },
  { name: 'finishClientTrial', ask: fixed(at(client, { body: { trial: 'x', address: 'y' } })), who: superAdmin },
  { name: 'listGroups', ask: fixed(at(one)), who: [...userReaders, 'appAdmin'] },
  { name: 'createGroup', ask: fixed(at(one, { body: { name: 'North' } })), who: superAdmin },
  { name: 'getGroup', ask: (world) => at(north(world)), who: [...userReaders, 'appAdmin'] },
  { name: 'listGroupMembers', ask: (world) => at(north(world)), who: userReaders },
  { name: 'updateGroup', ask: (world) => at(north(world), { body: { ...old, name: 'Nord' } }), who: superAdmin },
  { name: 'deleteGroup', ask: (world) => at(north(world), { query: old }), who: superAdmin },
  { name: 'listUsers', ask: fixed(at(one)), who: userReaders },
  {
    name: 'createUser',
    ask: ({ north: groupId }) => at(one, { body: { account: 'user', memberships: [{ groupId, roleId: 5 }] } }),
    who: userManagers,
  },
  { name: 'getUser', ask: (world) => at(plainUser(world)), who: [...userReaders, 'user'] },
  {
    name: 'updateUser',
    ask: (world) => at(plainUser(world), { body: { ...old, disabled: true } }),
    who: userManagers,
  },
  { name: 'listUserIdentities', ask: (world) => at(plainUser(world)), who: superAdmin },
  {
    name: 'relinkUser',
    ask: (world) => at(plainUser(world), { body: { ...old, issuer: 'https://login.example.com' } }),
    who: superAdmin,
  },
  { name: 'deleteUser', ask: (world) => at(plainUser(world), { query: old }), who: userManagers },
  { name: 'listCompanyRoles', ask: fixed(at(one)), who: everybody },
  { name: 'createRole', ask: fixed(at(one, { body: { name: 'Auditor', permissions: [] } })), who: superAdmin },
  { name: 'getRole', ask: (world) => at(customRole(world)), who: everybody },
  { name: 'updateRole', ask: (world) => at(customRole(world), { body: { ...old, name: 'Judge' } }), who: superAdmin },
  { name: 'deleteRole', ask: (world) => at(customRole(world), { query: old }), who: superAdmin },
  { name: 'listRolePermissions', ask: (world) => at(customRole(world)), who: appAdmins },
  { name: 'listDevices', ask: fixed(at(shop)), who: appAdmins },
  { name: 'forgetDevice', ask: fixed(at({ ...shop, deviceId: 999_999 })), who: appAdmins },
  {
    name: 'listUserSessions',
    ask: (world) => at(one, { query: { userId: world.userId('user') } }),
    who: [...userManagers, 'user'],
  },
  // An unknown session and one that may not be ended are refused alike: both with 130.
  { name: 'endUserSession', ask: fixed(at({ ...one, sessionId: '0'.repeat(24) })), who: everybody },
  {
    name: 'endUserSessions',
    ask: fixed(at(one, { body: { appId: 'shop', deviceUDID: 'of nobody' } })),
    who: appAdmins,
  },
  { name: 'listLogs', ask: fixed(at(shop)), who: appAdmins },
  { name: 'exportLogs', ask: fixed(at(shop)), who: appAdmins },
  { name: 'listAudit', ask: fixed({}), who: superAdmin },
  { name: 'exportAudit', ask: fixed({}), who: superAdmin },
];

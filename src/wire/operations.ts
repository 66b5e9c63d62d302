/** Every operation of the interface, in its order. */
import * as auth from './auth.ts';
import * as data from './data.ts';
import * as groups from './groups.ts';
import * as logs from './logs.ts';
import type { Operation } from './operation.ts';
import * as roles from './roles.ts';
import * as sessions from './sessions.ts';
import * as tables from './tables.ts';
import * as users from './users.ts';

export const operations: readonly Operation[] = [
  data.structuredQuery,
  data.addData,
  data.updateData,
  data.deleteData,
  data.getRecord,
  data.expressionQuery,
  data.countRecords,
  auth.anonymousToken,
  auth.registerDevice,
  auth.authenticate,
  auth.endProviderSession,
  auth.login,
  auth.localLogin,
  auth.refresh,
  auth.logout,
  sessions.logoutEverywhere,
  sessions.listSessions,
  sessions.endSession,
  logs.getLogLevel,
  logs.sendLog,
  groups.listGroups,
  groups.getGroup,
  groups.createGroup,
  groups.updateGroup,
  groups.deleteGroup,
  users.listUsers,
  users.getUser,
  users.createUser,
  users.updateUser,
  users.deleteUser,
  roles.listRoles,
  tables.defineTables,
  tables.describeTables,
  tables.describeInterface,
];

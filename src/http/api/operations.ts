/** Every operation of both surfaces, by resource, in the order of the reference and of OpenAPI. */
import type { Operation, Surface } from '../../operations/define.ts';
import { administrationSignInOperations } from './administration-sign-in.operations.ts';
import { administratorOperations } from './administrators.operations.ts';
import { applicationOperations } from './applications.operations.ts';
import { auditOperations } from './audit.operations.ts';
import { companyOperations } from './companies.operations.ts';
import { dataOperations } from './data.operations.ts';
import { clientGroupOperations, groupOperations } from './groups.operations.ts';
import { clientLogOperations, logOperations } from './logs.operations.ts';
import { providerOperations } from './providers.operations.ts';
import { recordOperations } from './records.operations.ts';
import { clientRoleOperations, roleOperations } from './roles.operations.ts';
import { serviceOperations } from './service.operations.ts';
import { deviceOperations, ownSessionOperations, sessionOperations } from './sessions.operations.ts';
import { signInOperations } from './sign-in.operations.ts';
import { statisticsOperations } from './statistics.operations.ts';
import { clientTableOperations, tableOperations } from './tables.operations.ts';
import { clientUserOperations, userOperations } from './users.operations.ts';
import { versionOperations } from './versions.operations.ts';

export const resources = {
  data: dataOperations,
  signIn: signInOperations,
  ownSessions: ownSessionOperations,
  clientLogs: clientLogOperations,
  clientGroups: clientGroupOperations,
  clientUsers: clientUserOperations,
  clientRoles: clientRoleOperations,
  clientTables: clientTableOperations,
  administrationSignIn: administrationSignInOperations,
  administrators: administratorOperations,
  companies: companyOperations,
  applications: applicationOperations,
  versions: versionOperations,
  tables: tableOperations,
  records: recordOperations,
  providers: providerOperations,
  groups: groupOperations,
  users: userOperations,
  roles: roleOperations,
  devices: deviceOperations,
  sessions: sessionOperations,
  logs: logOperations,
  audit: auditOperations,
  statistics: statisticsOperations,
  service: serviceOperations,
} as const;

export const operations: readonly Operation[] = Object.values<Readonly<Record<string, Operation>>>(resources).flatMap(
  (resource) => Object.values(resource),
);

export function operationsOf(surface: Surface): readonly Operation[] {
  return operations.filter((operation) => operation.surface === surface);
}

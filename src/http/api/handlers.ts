/** The handlers of every operation, registered. */
import type { FastifyInstance } from 'fastify';
import { type Handlers, registrar } from '../route.ts';
import type { Services } from '../services.ts';
import { administrationSignInHandlers, providerCallback } from './administration-sign-in.ts';
import { administratorHandlers } from './administrators.ts';
import { applicationHandlers } from './applications.ts';
import { auditHandlers } from './audit.ts';
import { companyHandlers } from './companies.ts';
import { dataHandlers } from './data.ts';
import { clientGroupHandlers, groupHandlers } from './groups.ts';
import { clientLogHandlers, logHandlers } from './logs.ts';
import { resources } from './operations.ts';
import { providerHandlers } from './providers.ts';
import { recordHandlers } from './records.ts';
import { clientRoleHandlers, roleHandlers } from './roles.ts';
import { serviceHandlers } from './service.ts';
import { deviceHandlers, ownSessionHandlers, sessionHandlers } from './sessions.ts';
import { signInHandlers } from './sign-in.ts';
import { statisticsHandlers } from './statistics.ts';
import { clientTableHandlers, tableHandlers } from './tables.ts';
import { clientUserHandlers, userHandlers } from './users.ts';
import { versionHandlers } from './versions.ts';

type Resources = typeof resources;

const handlers: { readonly [Name in keyof Resources]: (services: Services) => Handlers<Resources[Name]> } = {
  data: dataHandlers,
  signIn: signInHandlers,
  ownSessions: ownSessionHandlers,
  clientLogs: clientLogHandlers,
  clientGroups: clientGroupHandlers,
  clientUsers: clientUserHandlers,
  clientRoles: clientRoleHandlers,
  clientTables: clientTableHandlers,
  administrationSignIn: administrationSignInHandlers,
  administrators: administratorHandlers,
  companies: companyHandlers,
  applications: applicationHandlers,
  versions: versionHandlers,
  tables: tableHandlers,
  records: recordHandlers,
  providers: providerHandlers,
  groups: groupHandlers,
  users: userHandlers,
  roles: roleHandlers,
  devices: deviceHandlers,
  sessions: sessionHandlers,
  logs: logHandlers,
  audit: auditHandlers,
  statistics: statisticsHandlers,
  service: serviceHandlers,
};

export function registerOperations(app: FastifyInstance, services: Services): void {
  const register = registrar(app, services);
  const one = <Name extends keyof Resources>(name: Name) => register(resources[name], handlers[name](services));
  for (const name of Object.keys(resources) as (keyof Resources)[]) one(name);
  providerCallback(app, services);
}

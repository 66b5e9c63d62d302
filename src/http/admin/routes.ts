/** The administration interface: every operation, and their description. */
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { administratorRoutes } from './administrators.ts';
import { applicationRoutes } from './applications.ts';
import { companyRoutes } from './companies.ts';
import { identityRoutes } from './identities.ts';
import { meRoutes } from './me.ts';
import { adminOpenApi } from './openapi.ts';
import { auditRoutes, deviceRoutes, logRoutes, sessionRoutes } from './oversight.ts';
import { adminPages } from './pages.ts';
import { groupRoutes, roleRoutes, userRoutes } from './people.ts';
import { providerRoutes } from './providers.ts';
import { adminPrefix, adminRegistrar } from './route.ts';
import { signInRoutes } from './sign-in.ts';
import { versionRoutes } from './versions.ts';

export function registerAdmin(app: FastifyInstance, services: Services): void {
  const { settings, version } = services;
  const description = JSON.stringify(adminOpenApi(settings, version));
  app.get(`${settings.basePath}${adminPrefix}/openapi.json`, (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(description),
  );
  const register = adminRegistrar(app, services);
  adminPages(app, services);
  signInRoutes(app, register, services);
  meRoutes(register);
  administratorRoutes(register, services);
  companyRoutes(register, services);
  applicationRoutes(register, services);
  versionRoutes(register, services);
  providerRoutes(register, services);
  groupRoutes(register, services);
  userRoutes(register, services);
  identityRoutes(register, services);
  roleRoutes(register, services);
  deviceRoutes(register, services);
  sessionRoutes(register, services);
  logRoutes(register, services);
  auditRoutes(register, services);
}

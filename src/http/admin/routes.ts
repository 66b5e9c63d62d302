/** The administration interface: every operation, and their description. */
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { meRoutes } from './me.ts';
import { adminOpenApi } from './openapi.ts';
import { adminPages } from './pages.ts';
import { adminPrefix, adminRegistrar } from './route.ts';
import { signInRoutes } from './sign-in.ts';

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
}

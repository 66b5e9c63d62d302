/** The description of the administration interface in OpenAPI 3.1, made from `wire/admin`. */
import type { TSchema } from 'typebox';
import type { Settings } from '../../config.ts';
import { codesOfAdmin, statusesOfAdmin } from '../../wire/admin/answers.ts';
import { type AdminOperation, adminTags } from '../../wire/admin/operation.ts';
import { adminOperations } from '../../wire/admin/operations.ts';
import { failure } from '../../wire/shapes.ts';
import { errorResponses, parametersOf } from '../openapi.ts';
import { adminPrefix, cookieName } from './route.ts';

export function adminOpenApi(settings: Pick<Settings, 'publicUrl' | 'basePath'>, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of adminOperations) {
    const path = `${adminPrefix}${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rowhouse administration',
      version,
      description: 'Companies and everything in them, sessions, and the audit trail. Every error carries `Failure`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${settings.publicUrl}${settings.basePath}` || '/' }],
    tags: Object.entries(adminTags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Failure: failure },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        csrf: { type: 'apiKey', in: 'header', name: 'x-csrf-token' },
      },
    },
  };
}

function describe(operation: AdminOperation): object {
  const { name, method, tag, summary, permission, params, query, body } = operation;
  const security = method === 'GET' ? [{ session: [] }] : [{ session: [], csrf: [] }];
  return {
    operationId: name,
    tags: [tag],
    summary,
    parameters: [...parametersOf('path', params), ...parametersOf('query', query)],
    ...(body === null ? {} : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(permission === 'open' ? {} : { security }),
    responses: {
      200: { description: 'Success', content: contentOf(operation) },
      ...errorResponses(codesOfAdmin(operation), (code) => statusesOfAdmin(operation, code)),
    },
  };
}

function contentOf({ exports, answer }: AdminOperation): Record<string, { readonly schema: TSchema | object }> {
  if (exports === undefined) return { 'application/json': { schema: answer } };
  return Object.fromEntries(
    exports.map((type) => [type, { schema: type.includes('json') ? answer : { type: 'string' } }]),
  );
}

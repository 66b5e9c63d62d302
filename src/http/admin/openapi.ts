/** The description of the administration interface in OpenAPI 3.1, made from `wire/admin`. */
import { codesOfAdmin, statusesOfAdmin } from '../../wire/admin/answers.ts';
import { type AdminOperation, adminTags } from '../../wire/admin/operation.ts';
import { adminOperations } from '../../wire/admin/operations.ts';
import { answerExample, bodyExample } from '../../wire/examples.ts';
import { failure } from '../../wire/shapes.ts';
import { asEnforced, type DescribedSettings, errorResponses, jsonContent, parametersOf } from '../described.ts';
import { adminPrefix, cookieName } from './route.ts';

export function adminOpenApi(settings: DescribedSettings, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of adminOperations) {
    const path = `${adminPrefix}${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, settings) };
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

function describe(operation: AdminOperation, settings: DescribedSettings): object {
  const { name, method, tag, summary, permission, params, query, body } = operation;
  const security = method === 'GET' ? [{ session: [] }] : [{ session: [], csrf: [] }];
  return {
    operationId: name,
    tags: [tag],
    summary,
    parameters: [...parametersOf('path', params, settings), ...parametersOf('query', query, settings)],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: jsonContent(asEnforced(body, settings), bodyExample(operation)) } }),
    security: permission === 'open' ? [] : security,
    responses: {
      200: { description: 'Success', content: contentOf(operation, settings) },
      ...errorResponses(codesOfAdmin(operation), (code) => statusesOfAdmin(operation, code)),
    },
  };
}

function contentOf(operation: AdminOperation, settings: DescribedSettings): object {
  const { exports } = operation;
  const answer = asEnforced(operation.answer, settings);
  const example = answerExample(operation);
  if (exports === undefined) return jsonContent(answer, example);
  return Object.fromEntries(
    exports.map((type) => [type, type.includes('json') ? { schema: answer, example } : { schema: { type: 'string' } }]),
  );
}

/** The description of the interface in OpenAPI 3.1, made from `wire`. */
import type { TObject } from 'typebox';
import type { Settings } from '../config.ts';
import { type Code, codes } from '../errors.ts';
import { codesOf, statusesOf } from '../wire/answers.ts';
import type { Operation } from '../wire/operation.ts';
import { operations } from '../wire/operations.ts';
import { failure } from '../wire/shapes.ts';
import { tokenHeader } from './tokens.ts';

const prefixParameters = [
  parameter('companyId', 'path', { type: 'integer' }, 'Company.'),
  parameter('appId', 'path', { type: 'string' }, 'Application id.'),
  parameter('appVersion', 'path', { type: 'string' }, 'Application version, `1_0_0` or `1.0.0`.'),
];

export function openApi(settings: Pick<Settings, 'publicUrl' | 'basePath'>, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = `/api/{companyId}/{appId}/{appVersion}${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rowhouse',
      version,
      description: 'Application data, sign-in, client logs and roles. Every error carries the envelope `Failure`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${settings.publicUrl}${settings.basePath}` || '/' }],
    paths,
    components: {
      schemas: { Failure: failure },
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: tokenHeader } },
    },
  };
}

function describe(operation: Operation): object {
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) =>
    parameter(name as string, 'path', { type: 'string' }, ''),
  );
  const tokenParameter = operation.tokenInQuery
    ? [
        {
          ...parameter('token', 'query', { type: 'string' }, 'The token, where it is not in the header.'),
          required: false,
        },
      ]
    : [];
  return {
    operationId: operation.name,
    tags: [operation.tag],
    summary: operation.summary,
    parameters: [...prefixParameters, ...inPath, ...parametersOf('query', operation.query), ...tokenParameter],
    ...(operation.body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: operation.body } } } }),
    ...(operation.token === 'none' ? {} : { security: [{ token: [] }] }),
    responses: responses(operation),
  };
}

function responses(operation: Operation): Record<string, object> {
  return {
    200: { description: 'Success', content: { 'application/json': { schema: operation.answer } } },
    ...errorResponses(codesOf(operation), (code) => statusesOf(operation, code)),
  };
}

/** By HTTP status, with every code that comes with it. */
export function errorResponses(
  codesAnswered: readonly Code[],
  statusesOfCode: (code: Code) => readonly number[],
): Record<string, object> {
  const byStatus = new Map<number, Code[]>();
  for (const code of codesAnswered) {
    if (code === 0) continue;
    for (const status of statusesOfCode(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers: Record<string, object> = {};
  for (const [status, listed] of [...byStatus].sort(([left], [right]) => left - right)) {
    answers[status] = {
      description: listed.map((code) => `${code}: ${codes[code].meaning}`).join(' · '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    };
  }
  return answers;
}

/** One for each member of the shape, required where the shape says so. */
export function parametersOf(place: 'path' | 'query', shape: TObject): object[] {
  const { required = [] } = shape as { readonly required?: readonly string[] };
  const properties = shape.properties as Record<string, { readonly description?: string }>;
  return Object.entries(properties).map(([name, schema]) => ({
    ...parameter(name, place, schema, schema.description ?? ''),
    required: required.includes(name),
  }));
}

function parameter(name: string, place: 'path' | 'query', schema: object, description: string): object {
  return { name, in: place, required: true, schema, description };
}

/** The OpenAPI 3.1 document of a surface, derived from its operations. */
import { isDeepStrictEqual } from 'node:util';
import type { TObject, TSchema } from 'typebox';
import type { Settings } from '../config.ts';
import { type Code, codes } from '../errors.ts';
import { codesOf, statusesOf } from './answers.ts';
import { type Operation, type Surface, tags } from './define.ts';
import { answerExample, bodyExample, exampleOf } from './examples.ts';
import { boundedBy, failure } from './shapes.ts';

/** Below the context root. */
export const prefixes: Readonly<Record<Surface, string>> = {
  client: '/api/:companyId/:appId/:appVersion',
  administration: '/admin/api',
};

/** Whether the address, or path, is one of the administration interface. */
export function isOfAdministration(url: string, basePath: string): boolean {
  const prefix = `${basePath}${prefixes.administration}`;
  return url.startsWith(prefix) && /^(?:[/?]|$)/.test(url.slice(prefix.length));
}

export const tokenHeader = 'service-token';
export const cookieName = 'rowhouse_admin';
export const csrfHeader = 'x-csrf-token';

export interface OpenApi {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: Record<string, object>; readonly securitySchemes: object };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: { content: object; readonly required: boolean };
  readonly responses: Record<string, { content?: object }>;
}

interface Introduction {
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: object;
}

const introductions: Readonly<Record<Surface, Introduction>> = {
  client: {
    title: 'Rowhouse',
    description:
      'Application data, sign-in, client logs and roles. Every error carries the envelope `Failure`. A string may stand where a ' +
      'schema says integer or boolean, and the other way round; optional members may be null; unknown ones are ignored, or ' +
      'refused with `Prefer: handling=strict`.',
    securitySchemes: { token: { type: 'apiKey', in: 'header', name: tokenHeader } },
  },
  administration: {
    title: 'Rowhouse administration',
    description: 'Companies and everything in them, sessions, and the audit trail. Every error carries `Failure`.',
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: cookieName },
      csrf: { type: 'apiKey', in: 'header', name: csrfHeader },
    },
  },
};

/**
 * For clients, it applies to all application versions and names no tables.
 * @param version of the service
 * @param below the address of one application version, whose paths are described without their prefix
 */
export function openApi(
  surface: Surface,
  operations: readonly Operation[],
  settings: Settings,
  version: string,
  below?: string,
): OpenApi {
  const { title, description, securitySchemes } = introductions[surface];
  const prefix = below === undefined ? prefixes[surface] : '';
  const inPrefix = namesIn(prefix).map((name) => pathParameter(name, prefix));
  const paths: OpenApi['paths'] = {};
  for (const operation of operations) {
    if (operation.surface !== surface) continue;
    const path = (prefix + operation.path).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, inPrefix, settings) };
  }
  const document = {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: below ?? (`${settings.publicUrl}${settings.basePath}` || '/') }],
    tags: Object.entries(tags[surface]).map(([name, heading]) => ({ name, description: heading })),
    paths,
    components: { schemas: { Failure: failure }, securitySchemes },
  };
  return document;
}

function describe(operation: Operation, inPrefix: readonly object[], settings: Settings): DescribedOperation {
  const { surface, name, tag, summary, path, params, query, body } = operation;
  const inPath =
    surface === 'client'
      ? namesIn(path).map((param) => pathParameter(param, path))
      : parametersOf('path', params, settings);
  return {
    operationId: name,
    tags: [tag],
    summary,
    parameters: [
      ...inPrefix,
      ...inPath,
      ...parametersOf('query', query, settings),
      ...(operation.tokenInQuery ? [tokenParameter] : []),
      ...(surface === 'client' ? [preference] : []),
    ],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: jsonContent(asEnforced(body, settings), bodyExample(operation)) } }),
    security: securityOf(operation),
    responses: responsesOf(operation, settings),
  } as DescribedOperation;
}

/** The operation as a whole requires no token; it reads the tokens that it needs from the described parameters. */
function securityOf({ caller, method }: Operation): object[] {
  if (caller === 'none') return [];
  if (caller !== 'session') return [{ token: [] }];
  return method === 'GET' ? [{ session: [] }] : [{ session: [], csrf: [] }];
}

const text = { type: 'string', minLength: 1 };
const integer = { type: 'integer', format: 'int64', minimum: 1 };

/** Parameters in the paths of clients, by name. */
const pathParameters: Readonly<Record<string, readonly [schema: object, description: string, example: unknown]>> = {
  companyId: [integer, 'Company.', 1],
  appId: [text, 'Application id.', 'sampleApp'],
  appVersion: [text, 'Application version, `1_0_0` or `1.0.0`.', '1_0_0'],
  objectName: [text, 'Table name.', 'Book'],
  objectId: [{ ...text, maxLength: 200 }, 'Record id.', 'Book_1'],
  provider: [text, 'Name of the identity provider.', 'idp'],
  id: [integer, 'Id of the group or user.', 1],
};

function namesIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
}

function pathParameter(name: string, path: string): object {
  const [schema, description, example] = path.startsWith('/auth/sessions')
    ? [text, 'Id of the session.', '0123456789abcdef']
    : (pathParameters[name] ?? [text, '', 'text']);
  return { ...parameter(name, 'path', schema, description), example };
}

const tokenParameter = {
  ...parameter('token', 'query', { type: 'string' }, 'The token, if it is not in the header.'),
  required: false,
};

const preference = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`handling=strict` refuses unknown members and parameters (RFC 7240), `handling=lenient` ignores them. Which one was ' +
    'followed, `Preference-Applied` says.',
  schema: { type: 'string' },
};

function responsesOf(operation: Operation, settings: Settings): Record<string, object> {
  const content = contentOf(operation, settings);
  const location = { description: "The provider's authentication address.", schema: { type: 'string' } };
  const success = {
    description: 'Success',
    ...(operation.redirects ? { headers: { Location: location } } : {}),
    content,
  };
  const redirect = { ...success, description: 'Success, where the request does not say `Accept: application/json`' };
  return {
    200: success,
    ...goingOn(operation, settings),
    ...(operation.redirects ? { 302: redirect } : {}),
    ...errorResponses(operation),
  };
}

function goingOn({ mayGoOn }: Operation, settings: Settings): Record<string, object> {
  if (mayGoOn === undefined) return {};
  const description = 'It takes longer, and continues as a job';
  return { 202: { description, content: jsonContent(asEnforced(mayGoOn, settings), exampleOf(mayGoOn)) } };
}

function contentOf(operation: Operation, settings: Settings): object {
  const { exports } = operation;
  const answer = asEnforced(operation.answer, settings);
  const example = answerExample(operation);
  if (exports === undefined) return jsonContent(answer, example);
  return Object.fromEntries(
    exports.map((type) => [type, type.includes('json') ? { schema: answer, example } : { schema: { type: 'string' } }]),
  );
}

/**
 * The shape as it is enforced: limits from settings become numbers, and an integer without limits gets those of an
 * exact JSON number. One that needs more than 32 bits has the format `int64`, without which generated clients refuse
 * larger numbers. Where a single value is accepted in place of an array, only the array is described, because generators for Go
 * and Java write code for the union that does not compile.
 */
function asEnforced(schema: TSchema, settings: Settings): object {
  return enforced(schema, settings) as object;
}

function enforced(value: unknown, settings: Settings): unknown {
  if (Array.isArray(value)) return value.map((item) => enforced(item, settings));
  if (typeof value !== 'object' || value === null) return value;
  const { [boundedBy]: bounds, ...rest } = value as { readonly [boundedBy]?: Readonly<Record<string, unknown>> };
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(rest)) result[name] = enforced(member, settings);
  for (const [keyword, bound] of Object.entries(bounds ?? {})) {
    result[keyword] = typeof bound === 'string' ? settings[bound as keyof Settings] : bound;
  }
  if (result.type === 'integer') return integerOf(result);
  const [one, many] = (result.anyOf ?? []) as { readonly type?: string; readonly items?: object }[];
  if (many?.type !== 'array' || !isDeepStrictEqual(many.items, one)) return result;
  const { anyOf, ...others } = result;
  return { ...others, ...many };
}

const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const int32Max = 2 ** 31 - 1;

function integerOf(shape: Readonly<Record<string, unknown>>): object {
  const whole = typeof shape.description === 'string' ? { ...exact, ...shape } : shape;
  const { maximum = Infinity } = whole as { readonly maximum?: number };
  return maximum > int32Max ? { ...whole, format: 'int64' } : whole;
}

/** The content of a body or an answer. */
function jsonContent(schema: object, example: unknown): object {
  return { 'application/json': { schema, example } };
}

/** One for each member of the shape, required where the shape requires it. */
function parametersOf(location: 'path' | 'query', shape: TObject, settings: Settings): object[] {
  const { required = [] } = shape as { readonly required?: readonly string[] };
  const properties = shape.properties as Readonly<Record<string, TSchema & { readonly description?: string }>>;
  return Object.entries(properties).map(([name, schema]) => {
    const described = parameter(name, location, asEnforced(schema, settings), schema.description ?? '');
    const isRequired = required.includes(name);
    return { ...described, required: isRequired, ...(isRequired ? { example: exampleOf(schema, name) } : {}) };
  });
}

function parameter(name: string, location: 'path' | 'query', schema: object, description: string): object {
  return { name, in: location, required: true, ...(description === '' ? {} : { description }), schema };
}

/**
 * Possible answers to any request before it reaches an operation: for an unreadable path, or a head that is too large
 * or too slow.
 */
const beforeOperation: readonly (readonly [status: number, code: Code])[] = [
  [404, 199],
  [408, 131],
  [431, 131],
];

/** By HTTP status, with all codes that use it. */
function errorResponses(operation: Operation): Record<string, object> {
  const byStatus = new Map<number, Set<Code>>();
  const add = (status: number, code: Code) => byStatus.getOrInsertComputed(status, () => new Set()).add(code);
  for (const code of codesOf(operation)) {
    if (code !== 0) for (const status of statusesOf(operation, code)) add(status, code);
  }
  for (const [status, code] of beforeOperation) add(status, code);
  const answers: Record<string, object> = {};
  for (const [status, listed] of [...byStatus].sort(([left], [right]) => left - right)) {
    const first = [...listed][0] as Code;
    answers[status] = {
      description: [...listed].map((code) => `${code}: ${codes[code].meaning}`).join(' · '),
      content: jsonContent(
        { $ref: '#/components/schemas/Failure' },
        { errCode: first, status: 'error', description: `A sentence on what is wrong: ${codes[first].meaning}.` },
      ),
      ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter } } : {}),
    };
  }
  return answers;
}

const retryAfter = { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } };

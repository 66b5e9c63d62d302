/** The description of the interface in OpenAPI 3.1, made from `wire`. */
import { codesOf, statusesOf } from '../wire/answers.ts';
import { answerExample, bodyExample } from '../wire/examples.ts';
import { type Operation, operationTags } from '../wire/operation.ts';
import { operations } from '../wire/operations.ts';
import { failure } from '../wire/shapes.ts';
import {
  asEnforced,
  type DescribedSettings,
  errorResponses,
  jsonContent,
  parameter,
  parametersOf,
} from './described.ts';
import { tokenHeader } from './tokens.ts';

const text = { type: 'string', minLength: 1 };
const integer = { type: 'integer', minimum: 1 };

const prefixParameters = [
  { ...parameter('companyId', 'path', integer, 'Company.'), example: 1 },
  { ...parameter('appId', 'path', text, 'Application id.'), example: 'sampleApp' },
  { ...parameter('appVersion', 'path', text, 'Application version, `1_0_0` or `1.0.0`.'), example: '1_0_0' },
];

const prefix = '/api/{companyId}/{appId}/{appVersion}';

/** Of every application version alike: tables are named nowhere. */
export function openApi(settings: DescribedSettings, version: string): OpenApi {
  return document(settings, version, `${settings.publicUrl}${settings.basePath}` || '/', (operation) => ({
    path: prefix + operation,
    parameters: prefixParameters,
  }));
}

/** The paths and shapes of one application version, under the address of its prefix. */
export function openApiBelow(address: string, settings: DescribedSettings, version: string): OpenApi {
  return document(settings, version, address, (path) => ({ path, parameters: [] }));
}

export interface OpenApi {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: Record<string, object>; readonly securitySchemes: object };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: { content: object; readonly required: boolean };
  readonly responses: Record<string, { content?: object }>;
}

function document(
  settings: DescribedSettings,
  version: string,
  server: string,
  place: (path: string) => { readonly path: string; readonly parameters: readonly object[] },
): OpenApi {
  const paths: OpenApi['paths'] = {};
  for (const operation of operations) {
    const { path, parameters } = place(operation.path.replace(/:(\w+)/g, '{$1}'));
    const described = describe(operation, parameters, settings);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
  }
  const found = {
    openapi: '3.1.0',
    info: {
      title: 'Rowhouse',
      version,
      description:
        'Application data, sign-in, client logs and roles. Every error carries the envelope `Failure`. A string may stand where a ' +
        'schema says integer or boolean, and the other way round; optional members may be null; unknown ones are passed over, or ' +
        'refused with `Prefer: handling=strict`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    tags: Object.entries(operationTags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Failure: failure },
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: tokenHeader } },
    },
  };
  return found;
}

/** Of parameters in the path, by name. */
const pathParameters: Readonly<Record<string, readonly [schema: object, description: string, example: unknown]>> = {
  objectName: [text, 'Table name.', 'Book'],
  objectId: [{ ...text, maxLength: 200 }, 'Record id.', 'Book_1'],
  provider: [text, 'Name of the identity provider.', 'idp'],
  id: [integer, 'Id of the group or user.', 1],
};

function pathParameter(name: string, operation: Operation): object {
  const isSession = operation.path.startsWith('/auth/sessions');
  const [schema, description, example] = isSession
    ? [text, 'Id of the session.', '0123456789abcdef']
    : (pathParameters[name] ?? [text, '', 'text']);
  return { ...parameter(name, 'path', schema, description), example };
}

const tokenParameter = {
  ...parameter('token', 'query', { type: 'string' }, 'The token, where it is not in the header.'),
  required: false,
};

const preference = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`handling=strict` refuses unknown members and parameters (RFC 7240), `handling=lenient` passes them over. Which one was ' +
    'followed, `Preference-Applied` says.',
  schema: { type: 'string' },
};

function describe(operation: Operation, inPrefix: readonly object[], settings: DescribedSettings): DescribedOperation {
  const { name, tag, summary, body, token } = operation;
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, param]) => pathParameter(param as string, operation));
  return {
    operationId: name,
    tags: [tag],
    summary,
    parameters: [
      ...inPrefix,
      ...inPath,
      ...parametersOf('query', operation.query, settings),
      ...(operation.tokenInQuery ? [tokenParameter] : []),
      preference,
    ],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: jsonContent(asEnforced(body, settings), bodyExample(operation)) } }),
    // Without a token for the operation as a whole, it reads those that it needs from where it says.
    security: token === 'none' ? [] : [{ token: [] }],
    responses: responses(operation, settings),
  } as DescribedOperation;
}

function responses(operation: Operation, settings: DescribedSettings): Record<string, object> {
  const content = jsonContent(asEnforced(operation.answer, settings), answerExample(operation));
  return {
    200: { description: 'Success', content },
    ...(operation.redirects
      ? {
          302: {
            description: 'Success, where the request does not say `Accept: application/json`',
            headers: {
              Location: { description: "The provider's authentication address.", schema: { type: 'string' } },
            },
            content,
          },
        }
      : {}),
    ...errorResponses(codesOf(operation), (code) => statusesOf(operation, code)),
  };
}

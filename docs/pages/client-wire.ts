/** `packages/client/src/wire.ts`: the operations that the client calls, as TypeScript, from their descriptors. */
import { operationsOf } from '../../src/http/api/operations.ts';
import type { Operation } from '../../src/operations/define.ts';

/** The operations that the client calls. */
const called = [
  ...['getRecord', 'select', 'count', 'batch', 'definitionInfo', 'describeTables', 'getLogLevel', 'sendLog'],
  ...['anonymousToken', 'registerDevice', 'authenticate', 'login', 'localLogin', 'refresh', 'logout'],
  ...['logoutEverywhere', 'endProviderSession'],
];

/** The part of JSON Schema that our shapes use. */
interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** In the order of the reference. @throws Error where an operation of the list is gone */
export function clientWire(): string {
  const operations = operationsOf('client').filter(({ name }) => called.includes(name));
  const missing = called.filter((name) => !operations.some((operation) => operation.name === name));
  if (missing.length > 0) throw new Error(`There is no operation ${missing.join(', ')}.`);
  return [
    '/** What goes over the wire. Made from src/http/api/ of the service by "npm run docs"; do not edit by hand. */',
    '',
    '/** Method and path of each operation, below the prefix. */',
    'export const operations = {',
    ...operations.map(({ name, method, path }) => `  ${name}: '${method} ${path}',`),
    '} as const;',
    '',
    '/** What each operation takes and answers. */',
    'export interface Operations {',
    ...operations.flatMap(membersOf),
    '}',
    '',
  ].join('\n');
}

function membersOf(operation: Operation): string[] {
  const { name, summary, query, body, answer } = operation;
  const shape = (schema: unknown) => typeText(schema as Shape, '    ');
  return [
    `  /** ${summary}. */`,
    `  ${name}: {`,
    `    query: ${shape(query)};`,
    `    body: ${body === null ? 'undefined' : shape(body)};`,
    `    answer: ${shape(answer)};`,
    '  };',
  ];
}

function typeText(shape: Shape, indent: string): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map((one) => typeText(one, indent)).join(' | ');
  if (shape.enum !== undefined) return shape.enum.map((word) => `'${word}'`).join(' | ');
  switch (shape.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return shape.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeText(shape.items ?? {}, indent);
      return / \| /.test(item) && !/[{<]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      const [values] = Object.values(shape.patternProperties ?? {});
      if (values !== undefined) return `Record<string, ${typeText(values, indent)}>`;
      return objectText(shape, indent);
    }
    default:
      return 'unknown';
  }
}

function objectText({ properties = {}, required = [] }: Shape, indent: string): string {
  const entries = Object.entries(properties);
  if (entries.length === 0) return 'Record<never, never>';
  const inner = `${indent}  `;
  const lines = entries.flatMap(([name, member]) => {
    const type = typeText(member, inner);
    const told = member.description === undefined ? [] : [`${inner}/** ${member.description} */`];
    return [...told, `${inner}${name}${required.includes(name) ? ': ' : '?: '}${type};`];
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** The reference of all operations, made from `http/api/`. */
import { operationsOf } from '../../src/http/api/operations.ts';
import { anchor } from '../../src/http/docs/anchor.ts';
import { codesOf, statusesOf } from '../../src/operations/answers.ts';
import { type Operation, tags } from '../../src/operations/define.ts';
import type { Example, Examples } from '../examples/record.ts';
import { code, generatedNote, jsonText, page, table } from './markdown.ts';
import { answerTable, descriptionOf, type Field, fieldRow, fieldsOf } from './shapes.ts';

const operations = operationsOf('client');

const tokens: Readonly<Record<string, string>> = {
  user: 'a user token',
  any: 'an anonymous or a user token',
  none: 'none needed beforehand',
};

const pathParameters: Readonly<Record<string, string>> = {
  objectName: 'Table name.',
  objectId: 'Record id, percent-encoded if it has characters other than letters, digits, `-`, `.`, `_` and `~`.',
  provider: 'Name of the identity provider; `idp` is the usual one.',
};

/** What `id` is of, by path. */
const idMeanings: Readonly<Record<string, string>> = {
  '/groups/:id': 'Id of the group.',
  '/users/:id': 'Id of the user.',
  '/auth/sessions/:id': '`id` of the session, from `listSessions`.',
};

/** What the shapes can't say, by operation. */
const notes: Readonly<Record<string, string>> = {
  query: 'For existing clients: [the older query](older-query.md).',
  addData: 'How batches work: [writing](writing.md). Which values fit which column: [values](values.md).',
  updateData: 'How batches work: [writing](writing.md).',
  deleteData: 'How batches work: [writing](writing.md).',
  expressionQuery: 'The language of `source`: [expressions](expression-language.md).',
  count: 'Takes the body of `expressionQuery` and ignores its `range`.',
  authenticate:
    'Answers 302 with the address in `Location`, or 200 with the same header if the request has `Accept: application/json`.',
  login: 'The header `service-token` carries the same token as `authToken`.',
  registerDevice: 'Answers 161 for a device that is already registered; the client continues with the login.',
  refresh: 'The body may be empty.',
  describeInterface:
    'The tables are included for callers who may see their definitions: Developer, App Admin or Super Admin. `/openapi.json` includes none.',
  logout: 'The body may be empty.',
  defineTables: 'Needs the role Developer or App Admin in a group of the application, or Super Admin.',
  listGroups:
    'Which ones: [who may do what](permissions.md). Without `limit` it answers all of them, and is refused if there are too many.',
  createGroup: 'Who may: [who may do what](permissions.md).',
  updateGroup: 'Who may: [who may do what](permissions.md).',
  deleteGroup:
    'Refused if the company would lose its last Super Admin, or if the group is the only one of an application.',
  listUsers:
    'Which ones: [who may do what](permissions.md). Without `limit` it answers all of them, and is refused if there are too many.',
  createUser: 'Who may, and which roles they may give: [who may do what](permissions.md).',
  updateUser:
    'Who may change what: [who may do what](permissions.md). A new password ends every session of the user. Users may change their own names; all other members that they send about themselves must be unchanged.',
  deleteUser: 'The last Super Admin of a company cannot be removed.',
  describeTables: 'Needs the same roles as `defineTables`. Its answer can be posted again, and then changes nothing.',
};

const envelopeMembers = ['errCode', 'status', 'description'];

/** @param examples of every operation */
export function operationsPage(examples: Examples): string {
  const told = new Map<string, string>();
  return page(
    '# Operations',
    generatedNote('src/http/api/'),
    [
      '`{prefix}` stands for `/api/{companyId}/{appId}/{appVersion}`. Rules for every operation (the token, how bodies are read,',
      'strict handling, the envelope): [requests and answers](requests.md). What the codes mean: [codes](codes.md#all-codes); the HTTP status',
      'is in brackets.',
    ].join('\n'),
    [
      'Each operation ends with a request and its answer, from one run in which Alice, a Super Admin of the demo company, signs in,',
      'defines a table and works with it. Names in braces stand for values that differ in every run, such as tokens; `…` marks',
      'omissions.',
    ].join('\n'),
    table(
      ['operation', 'method', 'path', 'what it does'],
      operations.map((operation) => [
        `[${operation.name}](#${anchor(operation.name)})`,
        operation.method,
        code(fullPath(operation)),
        operation.summary,
      ]),
    ),
    ...Object.entries(tags.client).flatMap(([tag, heading]) => [
      `## ${heading}`,
      ...operations
        .filter((operation) => operation.tag === tag)
        .flatMap((operation) => sectionOf(operation, examples.get(operation.name), told)),
    ]),
  );
}

function fullPath({ path }: Operation): string {
  return `{prefix}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

function sectionOf(operation: Operation, example: Example | undefined, told: Map<string, string>): string[] {
  if (example === undefined) throw new Error(`docs/examples/steps.ts has no request of ${operation.name}.`);
  const { name, method, summary, caller, tokenInQuery, query, body } = operation;
  const inQuery = tokenInQuery ? ' The query parameter `token` may carry it instead, or both if they are equal.' : '';
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter as string);
  return [
    `### ${name}`,
    `\`${method} ${fullPath(operation)}\``,
    [`${summary}.`, notes[name] ?? ''].join(' ').trim(),
    `Token: ${tokens[caller]}.${inQuery}`,
    ...inputs(
      'Path',
      inPath.map((path) => ({
        path,
        type: 'string',
        required: true,
        meaning: (path === 'id' ? idMeanings[operation.path] : pathParameters[path]) ?? '',
      })),
    ),
    ...inputs('Query', fieldsOf(query)),
    ...inputs('Body', body === null ? [] : fieldsOf(body)),
    ...answerOf(operation, told),
    `Codes: ${codesOf(operation)
      .map((answered) => `${answered} (${statusesOf(operation, answered).join(', ')})`)
      .join(', ')}.`,
    `\`\`\`http\n${example.request}\n\`\`\``,
    ...(example.header === null ? [] : [`\`\`\`http\n${example.header}\n\`\`\``]),
    `\`\`\`json\n${jsonText(example.body)}\n\`\`\``,
  ];
}

function inputs(place: string, fields: readonly Field[]): string[] {
  return fields.length === 0 ? [] : [table([place, 'type', 'required', 'meaning'], fields.map(fieldRow))];
}

function answerOf({ name, answer }: Operation, told: Map<string, string>): string[] {
  const fields = fieldsOf(answer);
  if (fields.length === 0) return [`Answer, without the envelope: an object. ${descriptionOf(answer)}`];
  const own = fields.filter(({ path }) => !envelopeMembers.includes(path));
  if (own.length === 0) return ['Answer: the envelope, and nothing more.'];
  return ['Answer: the envelope and', answerTable(name, own, told)];
}

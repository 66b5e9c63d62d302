/** The reference of all operations, made from `wire/`. */
import { codes } from '../../src/errors.ts';
import { codesOf, statusesOf } from '../../src/wire/answers.ts';
import { type Operation, operationTags } from '../../src/wire/operation.ts';
import { operations } from '../../src/wire/operations.ts';
import { anchor, code, generatedNote, page, table } from './markdown.ts';
import { descriptionOf, type Field, fieldRow, fieldsOf } from './shapes.ts';

const tokens: Readonly<Record<Operation['token'], string>> = {
  user: 'a user token',
  any: 'an anonymous or a user token',
  none: 'none is asked for beforehand',
};

const pathParameters: Readonly<Record<string, string>> = {
  objectName: 'Table name.',
  objectId: 'Record id, percent-encoded where it has other characters than letters, digits, `-`, `.`, `_` and `~`.',
  provider: 'Name of the identity provider; `idp` is the usual one.',
};

/** What `id` is of, by path. */
const idMeanings: Readonly<Record<string, string>> = {
  '/groups/:id': 'Id of the group.',
  '/users/:id': 'Id of the user.',
  '/auth/sessions/:id': '`id` of the session, as `listSessions` answers it.',
};

/** What the shapes can't say, by operation. */
const notes: Readonly<Record<string, string>> = {
  query: 'The older form, for clients that exist: see [the older query](older-query.md).',
  addData: 'How batches work: [writing](writing.md). Which values fit which column: [values](values.md).',
  updateData: 'How batches work: [writing](writing.md).',
  deleteData: 'How batches work: [writing](writing.md).',
  expressionQuery: 'The language of `source`: [expressions](expression-language.md).',
  count: 'The body of `expressionQuery`; a `range` is passed over.',
  authenticate:
    'Answers 302 with the address in `Location`, or 200 with the same header when the request says `Accept: application/json`.',
  login: 'The header `service-token` carries the same token as `authToken`.',
  registerDevice: 'A device that is registered already answers 161; the client goes on with the login.',
  refresh: 'The body may be empty.',
  describeInterface:
    'Tables are named for whoever may see their definitions: Developer, App Admin or Super Admin. `/openapi.json` names none.',
  logout: 'The body may be empty.',
  defineTables: 'Needs the role Developer or App Admin in a group of the application, or Super Admin.',
  listGroups:
    'Which ones: [who may do what](permissions.md). Without `limit` all of them, which are refused where they are too many.',
  createGroup: 'Who may: [who may do what](permissions.md).',
  updateGroup: 'Who may: [who may do what](permissions.md).',
  deleteGroup:
    'Refused where the company would lose its last Super Admin, and where the group is the only one of an application.',
  listUsers:
    'Which ones: [who may do what](permissions.md). Without `limit` all of them, which are refused where they are too many.',
  createUser: 'Who may, and which roles they may give: [who may do what](permissions.md).',
  updateUser:
    'Who may change what: [who may do what](permissions.md). A new password ends every session of the user. Users change their own names; what else they send along of themselves must be as it is.',
  deleteUser: 'The last Super Admin of a company stays.',
  describeTables: 'Needs the same roles as `defineTables`. What it answers can be posted again, and changes nothing.',
};

const envelopeMembers = ['errCode', 'status', 'description'];

export function operationsPage(): string {
  return page(
    '# Operations',
    generatedNote('src/wire/'),
    [
      '`{prefix}` stands for `/api/{companyId}/{appId}/{appVersion}`, after the context root where there is one.',
      'The application version is written `1_0_0` or `1.0.0`.',
      'The token goes in the header `service-token`, or in one that the setting `tokenHeaders` names.',
    ].join('\n'),
    [
      'Bodies are JSON in UTF-8, sent with `Content-Type: application/json`; a missing or empty type means the same.',
      'A string may stand where a table says integer or boolean, and the other way round; keywords are read in any case.',
      'An optional member that is `null` counts as absent. Members that no table names are passed over, except in records and in',
      'table definitions, where they are refused.',
    ].join('\n'),
    [
      'A path that is known with other methods answers 405 with `Allow`, any other unknown path 404, both with code 199.',
      'A query parameter with a `+`, such as the offset of a time, has it percent-encoded as `%2B`.',
    ].join('\n'),
    '## Strict handling',
    [
      'A misspelt member is passed over like any other that no table names, and what it should have said does not happen.',
      'A request with `Prefer: handling=strict` ([RFC 7240](https://www.rfc-editor.org/rfc/rfc7240.html#section-4.4)) has it refused,',
      'with the one that was probably meant; an unknown query parameter too, and an empty `transactionId`, `recordId` or `objectId`',
      'of an add, which would count as absent. The answer says `Preference-Applied: handling=strict`. Where the application version',
      'is strict by default (`rowhouse version update --strict-handling`), `Prefer: handling=lenient` passes such things over again.',
      'The default counts once a token is settled: operations without one, such as Login, are strict only when asked.',
    ].join('\n'),
    '## The envelope',
    [
      'Every error, and every success except where an operation says otherwise, carries these three members.',
      '`description` is for people; programs look at `errCode`.',
    ].join('\n'),
    table(
      ['member', 'type', 'meaning'],
      fieldsOf(operations[1]!.answer)
        .filter(({ path }) => envelopeMembers.includes(path))
        .map(({ path, type, meaning }) => [code(path), type, meaning]),
    ),
    table(
      ['operation', 'method', 'path', 'what it does'],
      operations.map((operation) => [
        `[${operation.name}](#${anchor(operation.name)})`,
        operation.method,
        code(fullPath(operation)),
        operation.summary,
      ]),
    ),
    ...Object.entries(operationTags).flatMap(([tag, heading]) => [
      `## ${heading}`,
      ...operations.filter((operation) => operation.tag === tag).flatMap(sectionOf),
    ]),
  );
}

function fullPath({ path }: Operation): string {
  return `{prefix}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

function sectionOf(operation: Operation): string[] {
  const { name, method, summary, token, tokenInQuery, query, body } = operation;
  const inQuery = tokenInQuery ? ' It may come as the query parameter `token` instead, or in both places alike.' : '';
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter as string);
  return [
    `### ${name}`,
    `\`${method} ${fullPath(operation)}\``,
    [`${summary}.`, notes[name] ?? ''].join(' ').trim(),
    `Token: ${tokens[token]}.${inQuery}`,
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
    ...answerOf(operation),
    table(
      ['code', 'HTTP', 'meaning'],
      codesOf(operation).map((answered) => [
        `[${answered}](codes.md)`,
        statusesOf(operation, answered).join(', '),
        codes[answered].meaning,
      ]),
    ),
  ];
}

function inputs(place: string, fields: readonly Field[]): string[] {
  return fields.length === 0 ? [] : [table([place, 'type', 'required', 'meaning'], fields.map(fieldRow))];
}

function answerOf({ answer }: Operation): string[] {
  const fields = fieldsOf(answer);
  if (fields.length === 0) return [`Answer, without the envelope: an object. ${descriptionOf(answer)}`];
  const own = fields.filter(({ path }) => !envelopeMembers.includes(path));
  if (own.length === 0) return ['Answer: the envelope, and nothing more.'];
  const rows = own.map(({ path, type, meaning }) => [code(path), type, meaning]);
  return ['Answer: the envelope and', table(['member', 'type', 'meaning'], rows)];
}

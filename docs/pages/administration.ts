/** The reference of the administration interface, made from `http/api/` and the table of permissions: one page per resource. */
import { type PermittedOperation, permissions } from '../../src/administration/permissions.ts';
import { type Code, codes } from '../../src/errors.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { anchor } from '../../src/http/docs/anchor.ts';
import { codesOf, statusesOf } from '../../src/operations/answers.ts';
import { type Operation, tags } from '../../src/operations/define.ts';
import { code, generatedNote, type Page, page, table } from './markdown.ts';
import { answerTable, type Field, fieldRow, fieldsOf } from './shapes.ts';

const adminOperations = operationsOf('administration');

const note = generatedNote('src/http/api/');
const envelopeMembers = ['errCode', 'status', 'description'];

const resources = Object.entries(tags.administration)
  .map(([tag, heading]) => ({ tag, heading, operations: adminOperations.filter((one) => one.tag === tag) }))
  .filter(({ operations }) => operations.length > 0);

/** The members of every list, which are told once. */
const listMembers = (() => {
  const lists = adminOperations.filter(({ query }) => 'offset' in query.properties && 'sort' in query.properties);
  return fieldsOf((lists[0] as Operation).query).filter((field) => lists.every(({ query }) => has(query, field)));
})();

/** What every operation that needs a session answers, which is told once. */
const commonCodes = (() => {
  const [first, ...others] = adminOperations.filter(({ caller }) => caller === 'session').map(answeredBy);
  return first?.filter((answered) => others.every((other) => other.includes(answered))) ?? [];
})();

export const administrationPages: readonly Page[] = [
  { path: 'reference/administration.md', make: overviewPage },
  ...resources.map(({ tag, heading, operations }) => ({
    path: `reference/administration/${tag}.md`,
    make: () => resourcePage(heading, operations),
  })),
];

function overviewPage(): string {
  return page(
    '# Administration interface',
    note,
    [
      'Every path begins with `/admin/api`, after the context root if there is one. `/admin/api/openapi.json` describes the',
      'same operations for programs. How to begin: [administer an installation](../how-to/administer.md).',
    ].join('\n'),
    '## Requests',
    [
      'A sign-in gives the cookie `rowhouse_admin` and a CSRF token. Every method but GET needs that token in the header',
      '`x-csrf-token`, and is refused (122) when it comes from a page of another origin. Both are checked before the body.',
      'Bodies are JSON in UTF-8, sent with `Content-Type: application/json` or no type. An unknown member or query parameter is',
      'refused, at any depth. A change leaves absent members as they are; where a table says "or null", null removes the value.',
    ].join('\n'),
    '## Answers',
    [
      'Answers carry the [envelope](requests.md#the-envelope). Objects carry `revision`. A change names the revision that it is based',
      'on, and answers 130 with HTTP 409 if someone else was faster. Objects of another company do not exist (130).',
    ].join('\n'),
    '## Lists',
    'Every list takes these query parameters and its own filters. `count` in the answer is the number of all matching entries.',
    table(['query', 'type', 'required', 'meaning'], listMembers.map(fieldRow)),
    '## Common codes',
    [
      `Every operation with a session answers ${commonCodes.join(', ')}. Each operation lists its other codes.`,
      'Meanings: [codes](codes.md#all-codes).',
    ].join('\n'),
    '## Operations',
    ...resources.flatMap(({ tag, heading, operations }) => [
      `### [${heading}](administration/${tag}.md)`,
      table(
        ['operation', 'method', 'path', 'what it does'],
        operations.map((operation) => [
          `[${operation.name}](administration/${tag}.md#${anchor(operation.name)})`,
          operation.method,
          code(fullPath(operation)),
          operation.summary,
        ]),
      ),
    ]),
  );
}

function resourcePage(heading: string, operations: readonly Operation[]): string {
  const told = new Map<string, string>();
  return page(
    `# ${heading}`,
    note,
    'Part of the [administration interface](../administration.md), which has the rules for every operation.',
    ...operations.flatMap((operation) => sectionOf(operation, told)),
  );
}

function fullPath({ path }: Operation): string {
  return `/admin/api${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** @param told operations of the page by the object that they answer: one that comes again is told once */
function sectionOf(operation: Operation, told: Map<string, string>): string[] {
  const { name, method, summary, params, query, body, caller } = operation;
  const queryFields = fieldsOf(query);
  const isList = listMembers.length > 0 && listMembers.every((field) => has(query, field));
  const own = isList
    ? queryFields.filter((field) => !listMembers.some(({ path }) => path === field.path))
    : queryFields;
  const common = caller === 'none' ? [] : commonCodes;
  return [
    `## ${name}`,
    `\`${method} ${fullPath(operation)}\``,
    `${summary}. ${whoMay(operation)}`,
    ...inputs('Path', fieldsOf(params)),
    ...(isList ? ['Takes the parameters of [every list](../administration.md#lists).'] : []),
    ...inputs('Query', own),
    ...inputs('Body', body === null ? [] : fieldsOf(body)),
    ...answerOf(operation, told),
    `Codes${common.length === 0 ? '' : ' besides the [common ones](../administration.md#common-codes)'}: ${answeredBy(
      operation,
    )
      .filter((answered) => !common.includes(answered))
      .join(', ')}.`,
  ];
}

function whoMay({ caller, permission }: Operation): string {
  if (caller === 'none') return 'Needs no session.';
  if (permission === null) return 'Anyone who is signed in may.';
  const { meaning } = permissions[permission as PermittedOperation];
  return `Needs the permission ${code(permission)}: to ${meaning} ([who has it](../permissions.md#operations)).`;
}

function inputs(place: string, fields: readonly Field[]): string[] {
  return fields.length === 0 ? [] : [table([place, 'type', 'required', 'meaning'], fields.map(fieldRow))];
}

function answerOf({ name, answer, exports }: Operation, told: Map<string, string>): string[] {
  const fields = fieldsOf(answer).filter(({ path }) => !envelopeMembers.includes(path));
  if (fields.length === 0) return ['Answer: the envelope, and nothing more.'];
  const introduction =
    exports === undefined ? 'Answer: the envelope and' : `Answer: ${exports.map(code).join(' or ')}, each line with`;
  return [introduction, answerTable(name, fields, told)];
}

/** Each code with its statuses, `130 (404, 409)`. */
function answeredBy(operation: Operation): string[] {
  const statuses = (answered: Code) => statusesOf(operation, answered).join(', ') || codes[answered].status;
  return codesOf(operation).map((answered) => `${answered} (${statuses(answered)})`);
}

/** Whether the query has the member in the same words. */
function has(query: Operation['query'], { path, meaning }: Field): boolean {
  return fieldsOf(query).some((other) => other.path === path && other.meaning === meaning);
}

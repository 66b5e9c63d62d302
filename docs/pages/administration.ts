/** The reference of the administration interface, made from `wire/admin/` and the table of permissions. */
import { type PermittedOperation, permissions } from '../../src/administration/permissions.ts';
import { codes } from '../../src/errors.ts';
import { codesOfAdmin, statusesOfAdmin } from '../../src/wire/admin/answers.ts';
import { type AdminOperation, adminTags } from '../../src/wire/admin/operation.ts';
import { adminOperations } from '../../src/wire/admin/operations.ts';
import { anchor, code, generatedNote, page, table } from './markdown.ts';
import { type Field, fieldRow, fieldsOf } from './shapes.ts';

const envelopeMembers = ['errCode', 'status', 'description'];

export function administrationPage(): string {
  return page(
    '# Administration interface',
    generatedNote('src/wire/admin/'),
    [
      'Every path begins with `/admin/api`, after the context root where there is one; `/admin/api/openapi.json` says the same',
      'as this page to programs. How to begin: [administer an installation](../how-to/administer.md).',
    ].join('\n'),
    [
      'Who signs in gets the cookie `rowhouse_admin` and a CSRF token. Everything but GET needs that token in the header',
      '`x-csrf-token`, and is refused (122) when it comes from a page of another origin. Both are judged before the body.',
      'Bodies are JSON in UTF-8, sent with `Content-Type: application/json` or no type. A member or query parameter that an operation',
      'does not know is refused, at any depth. A change leaves what it does not name; where a table says "or null", null takes the value away.',
    ].join('\n'),
    [
      'Answers carry the [envelope](requests.md#the-envelope). Lists have `offset`, `limit`, `sort`, the filters of each list,',
      'and `count`: all entries that match. Objects carry `revision`; a change names the one that it is based on, and answers',
      '130 with HTTP 409 when someone else was faster. What is in another company does not exist (130).',
    ].join('\n'),
    table(
      ['operation', 'method', 'path', 'what it does'],
      adminOperations.map((operation) => [
        `[${operation.name}](#${anchor(operation.name)})`,
        operation.method,
        code(fullPath(operation)),
        operation.summary,
      ]),
    ),
    ...Object.entries(adminTags).flatMap(([tag, heading]) => {
      const tagged = adminOperations.filter((operation) => operation.tag === tag);
      return tagged.length === 0 ? [] : [`## ${heading}`, ...tagged.flatMap(sectionOf)];
    }),
  );
}

function fullPath({ path }: AdminOperation): string {
  return `/admin/api${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

function sectionOf(operation: AdminOperation): string[] {
  const { name, method, summary, params, query, body } = operation;
  return [
    `### ${name}`,
    `\`${method} ${fullPath(operation)}\``,
    `${summary}. ${whoMay(operation)}`,
    ...inputs('Path', fieldsOf(params)),
    ...inputs('Query', fieldsOf(query)),
    ...inputs('Body', body === null ? [] : fieldsOf(body)),
    ...answerOf(operation),
    `Codes: ${codesOfAdmin(operation)
      .map((answered) => `${answered} (${statusesOfAdmin(operation, answered).join(', ') || codes[answered].status})`)
      .join(', ')}.`,
  ];
}

function whoMay({ permission }: AdminOperation): string {
  if (permission === 'open') return 'Needs no session.';
  if (permission === 'session') return 'For everybody who is signed in.';
  const { meaning } = permissions[permission as PermittedOperation];
  return `For whom ${code(permission)} permits it: to ${meaning} ([permissions](permissions.md)).`;
}

function inputs(place: string, fields: readonly Field[]): string[] {
  return fields.length === 0 ? [] : [table([place, 'type', 'required', 'meaning'], fields.map(fieldRow))];
}

function answerOf({ answer, exports }: AdminOperation): string[] {
  const fields = fieldsOf(answer).filter(({ path }) => !envelopeMembers.includes(path));
  if (fields.length === 0) return ['Answer: the envelope, and nothing more.'];
  const rows = fields.map(({ path, type, meaning }) => [code(path), type, meaning]);
  const told =
    exports === undefined ? 'Answer: the envelope and' : `Answer: ${exports.map(code).join(' or ')}, each line with`;
  return [told, table(['member', 'type', 'meaning'], rows)];
}

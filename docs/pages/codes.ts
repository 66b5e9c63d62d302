/** The reference of all codes, made from the catalogue in `errors.ts` and the operations in `wire/`. */
import { type Code, codes } from '../../src/errors.ts';
import { operationsWith, statusesOf } from '../../src/wire/answers.ts';
import { operations } from '../../src/wire/operations.ts';
import { anchor, generatedNote, page, table } from './markdown.ts';

const all = Object.keys(codes).map((code) => Number(code) as Code);

export function codesPage(): string {
  return page(
    '# Codes',
    generatedNote('src/errors.ts and src/wire/'),
    [
      'Every answer with an envelope has one of these codes in `errCode`. The HTTP status follows it, unless the setting',
      '`errorStatus` is `ok`: then every envelope goes out with 200, as clients expect that read nothing else.',
    ].join('\n'),
    table(
      ['code', 'meaning', 'HTTP', 'operations'],
      all.map((code) => [String(code), codes[code].meaning, statusText(code), operationsText(code)]),
    ),
    [
      'Where one code has several statuses:',
      '',
      '- 130 is 404 when there is no such record that the caller may see, and 409 when it was changed since it was read.',
      '- 212 is 413 when the result is larger than `resultRowsMax` or `resultBytesMax`, and 503 when the query ran past',
      '  `queryTimeMs` or the service is busy.',
      '- 131, and 201 of the operations of sign-in, is 429, with the header `Retry-After`, when an address, an account or a',
      '  company has had as much as it may have for the moment.',
      '- 131 is 403 when the company may not store more.',
      '- Any code is 503, with the header `Retry-After`, when the service is busy: the same request can be sent again.',
      '- Any code is 500 when the fault is on our side. The description then names a request id, under which the',
      "  service's own log has the cause.",
    ].join('\n'),
  );
}

function statusText(code: Code): string {
  const statuses = new Set([codes[code].status, ...operations.flatMap((one) => statusesOf(one, code))]);
  return [...statuses].sort((a, b) => a - b).join(', ');
}

function operationsText(code: Code): string {
  if (code === 0) return 'every operation';
  if (code === 199) return 'none: the path or the method is not that of an operation';
  const named = operationsWith(code).map((name) => `[${name}](operations.md#${anchor(name)})`);
  if (!isOfToken(code)) return named.join(', ');
  const others = operationsWith(code).flatMap((name, index) =>
    withoutToken.has(name) ? [named[index] as string] : [],
  );
  return ['every operation that asks for a token', ...others].join(', ');
}

/** Operations that look at tokens themselves, or at none. */
const withoutToken = new Set(operations.filter(({ token }) => token === 'none').map(({ name }) => name));

/** What any operation answers whose caller is not settled. */
function isOfToken(code: Code): boolean {
  return operations.every(({ name, token }) => token === 'none' || operationsWith(code).includes(name));
}

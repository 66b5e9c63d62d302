/** The reference of all codes, made from the catalogue in `errors.ts` and the operations in `http/api/`. */
import { type Code, codes, type Fault } from '../../src/errors.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { anchor } from '../../src/http/docs/anchor.ts';
import { codesOf, statusesOf } from '../../src/operations/answers.ts';
import { faults, type Operation } from '../../src/operations/define.ts';
import { code, generatedNote, page, table } from './markdown.ts';

const operations = operationsOf('client');

const all = Object.keys(codes).map((code) => Number(code) as Code);

export function codesPage(): string {
  return page(
    '# Codes',
    generatedNote('src/errors.ts and src/http/api/'),
    [
      'Every answer with an envelope has one of these codes in `errCode`. The HTTP status follows it, unless the setting',
      '`errorStatus` is `ok`: then every envelope of the client interface has status 200, for clients that accept nothing else.',
    ].join('\n'),
    '## All codes',
    table(
      ['code', 'meaning', 'HTTP', 'operations'],
      all.map((code) => [String(code), codes[code].meaning, statusText(code), operationsText(code)]),
    ),
    '## Several statuses for one code',
    [
      '- 130 is 404 if the caller may not see such a record, and 409 if it has changed since it was read.',
      '- 212 is 413 if the result is larger than `resultRowsMax` or `resultBytesMax`, and 503 if the query ran past',
      '  `queryTimeMs` or the service is busy.',
      '- 131, and 201 of sign-in operations, is 429 with the header `Retry-After` if an address, an account or a company has',
      '  reached a temporary limit.',
      '- 131 is 403 if the company has reached its storage quota.',
      '- Any code is 503 with the header `Retry-After` if the service is busy: send the same request again.',
      '- Any code is 500 if the fault is in the service. The description then has a request id, under which the',
      "  service's own log has the cause.",
    ].join('\n'),
    '## Where no listed code fits',
    [
      'The interface lists the codes of each operation. A fault without a listed code answers one of these; operations',
      'without a row of their own use the first row.',
    ].join('\n'),
    faultTable(),
  );
}

/** The code of each fault, one row for the operations that answer alike. */
function faultTable(): string {
  const kinds = new Map([faults.general, ...operations.map((one) => one.faults)].map((of) => [JSON.stringify(of), of]));
  const named = (of: Operation['faults']) =>
    operations.filter((one) => JSON.stringify(one.faults) === JSON.stringify(of));
  return table(
    ['operations', ...Object.values(faultMeanings)],
    [...kinds.values()].map((of) => [
      of === faults.general
        ? 'all others'
        : named(of)
            .map(({ name }) => code(name))
            .join(', '),
      ...(Object.keys(faultMeanings) as Fault[]).map((fault) => String(of[fault])),
    ]),
  );
}

const faultMeanings: Readonly<Record<Fault, string>> = {
  malformed: 'malformed input',
  missing: 'missing input',
  noTable: 'unknown table',
  forbidden: 'not permitted',
  busy: 'busy, or no database',
  tooMany: 'too many requests',
  internal: 'internal fault',
};

function statusText(code: Code): string {
  const statuses = new Set([codes[code].status, ...operations.flatMap((one) => statusesOf(one, code))]);
  return [...statuses].sort((a, b) => a - b).join(', ');
}

function operationsText(code: Code): string {
  if (code === 0) return 'every operation';
  if (code === 199) return 'none: no operation has this path and method';
  const named = operationsWith(code).map((name) => `[${name}](operations.md#${anchor(name)})`);
  if (!isOfToken(code)) return named.join(', ');
  const others = operationsWith(code).flatMap((name, index) =>
    withoutToken.has(name) ? [named[index] as string] : [],
  );
  return ['every operation that needs a token', ...others].join(', ');
}

/** Names of the operations that answer the code, in the order of the interface. */
function operationsWith(code: Code): string[] {
  return operations.filter((operation) => codesOf(operation).includes(code)).map(({ name }) => name);
}

/** Operations that look at tokens themselves, or at none. */
const withoutToken = new Set(operations.filter(({ caller }) => caller === 'none').map(({ name }) => name));

/** What any operation answers whose caller is not settled. */
function isOfToken(code: Code): boolean {
  return operations.every(({ name, caller }) => caller === 'none' || operationsWith(code).includes(name));
}

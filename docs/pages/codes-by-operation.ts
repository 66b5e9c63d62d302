/** Which test provokes which code of which operation, or why none can, made from the table of the black-box tests. */
import type { Code } from '../../src/errors.ts';
import { codes } from '../../src/errors.ts';
import { type CodeRow, codeRows } from '../../test/blackbox/codes.ts';
import { generatedNote, page, table } from './markdown.ts';

export function codesByOperationPage(): string {
  const operations = [...new Set(codeRows.map(({ operation }) => operation))];
  return page(
    '# Codes by operation',
    generatedNote('test/blackbox/codes.ts'),
    [
      'Every code listed for an operation, with the test in `test/blackbox/` that provokes it, or the reason why a client cannot.',
      'What the codes mean: [codes](codes.md). What an operation takes and answers: [operations](operations.md).',
    ].join('\n'),
    ...operations.flatMap((operation) => [
      `## ${operation}`,
      table(
        ['code', 'meaning', 'test'],
        codeRows
          .filter((row) => row.operation === operation)
          .sort((a, b) => a.code - b.code)
          .map((row) => [String(row.code), codes[row.code as Code].meaning, provocation(row)]),
      ),
    ]),
  );
}

function provocation(row: CodeRow): string {
  if ('test' in row) return `codes.test.ts: ${row.test.name}`;
  return 'provokedBy' in row ? row.provokedBy : `None. ${row.reason}`;
}

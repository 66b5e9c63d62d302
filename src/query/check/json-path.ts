/** The path of JSON_TEXT and JSON_NUMBER (docs/reference/expression-language.md#values-in-json). */
import { quoted } from '../../errors.ts';
import type { Expression } from '../ast.ts';
import type { ColumnUse } from '../checked.ts';
import { notValid } from '../fault.ts';
import { type CheckContext, resolve } from './context.ts';
import { type Call, describe, nameOf } from './infer.ts';

/** `.name`, `."any name"` or `[0]`. A name in quotes has no quote, backslash or control character. */
const step = /\.(?:([A-Za-z_][A-Za-z0-9_]*)|"([^"\\\p{Cc}]+)")|\[(\d{1,9})\]/uy;

/**
 * The json column, and the path with every name in quotes, as both engines read it: `$."a"."b"[0]`.
 * @throws ServiceError 132
 */
export function jsonPath(call: Call, context: CheckContext): readonly [ColumnUse, string] {
  const [column, path] = call.arguments as [Expression, Expression];
  // Refuses a column that is not one of the groups'.
  context.grouped?.(column);
  const use = column.kind === 'column' ? resolve(column, context) : null;
  if (use?.column.type.kind !== 'json') {
    const got = use === null && column.kind !== 'call' ? 'another value' : describe(column, context);
    throw notValid(column.position, `${nameOf(call)}: expected a json column, got ${got}.`);
  }
  const expected = `${nameOf(call)}: expected a path in quotes, such as '$.a.b' or '$.list[0]."other name"'`;
  if (path.kind !== 'text') throw notValid(path.position, `${expected}, got ${describe(path, context)}.`);
  const written = canonical(path.value);
  if (written === null) throw notValid(path.position, `${expected}, got ${quoted(path.value)}.`);
  return [use, written];
}

function canonical(path: string): string | null {
  if (!path.startsWith('$') || path.length === 1) return null;
  let written = '$';
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null) return null;
    const [, plain, inQuotes, index] = found;
    written += index === undefined ? `."${plain ?? inQuotes}"` : `[${Number(index)}]`;
  }
  return written;
}

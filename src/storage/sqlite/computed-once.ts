/** Values that SQL uses several times and SQLite computes once: a LIMIT keeps SQLite from inlining them at each use. */

/** An expression of columns, by their names. */
export function withColumns(columns: Readonly<Record<string, string>>, expression: string): string {
  const list = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  return `(SELECT ${expression} FROM (SELECT ${list.join(', ')} LIMIT 1))`;
}

/** @param write writes an expression of the operands by their new names */
export function computedOnce(operandSqls: readonly string[], write: (names: readonly string[]) => string): string {
  const columns = Object.fromEntries(operandSqls.map((sql, index) => [`x${index}`, sql]));
  return withColumns(columns, write(Object.keys(columns)));
}

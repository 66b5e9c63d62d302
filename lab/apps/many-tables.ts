/** Many tables, and a program that uses all of them, to measure the compiler's cost of their types. */
import type { TableDescription } from '../../packages/client/src/definition.ts';

const types = ['varchar', 'integer', 'long', 'double', 'decimal', 'bool', 'datetime', 'json', 'text'];

export function manyTables(count: number, columns: number): TableDescription[] {
  return Array.from({ length: count }, (_, number) => ({
    name: `Table${number}`,
    columns: Array.from({ length: columns }, (_, column) => ({
      colName: `column${column}`,
      type: types[column % types.length] as string,
      ...(column % 3 === 0 && { required: true }),
    })),
  }));
}

/** Reads, queries and writes each table once. */
export function usesOf(tables: readonly TableDescription[], clientFrom: string): string {
  const uses = tables.map(
    ({ name }) => `
export async function use${name}() {
  const [row] = await db.${name}.select({
    select: (t) => ({ id: t.objectId, n: t.column1, m: t.column2.as(BigInt) }),
    where: (t) => t.column1.gte(1),
    orderBy: (t) => t.column1.desc(),
  });
  const whole = await db.${name}.get(String(row?.id));
  return whole === null ? row?.m : await db.${name}.update(whole, { column1: 2 });
}`,
  );
  const place = "{ url: 'http://localhost', companyId: 1, appId: 'app', appVersion: '1.0.0', session: 'token' }";
  return [
    `import { createClient } from '${clientFrom}';`,
    "import type { Tables } from './rowhouse.ts';",
    `const { db } = createClient<Tables>(${place});`,
    ...uses,
  ].join('\n');
}

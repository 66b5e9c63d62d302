/** A query of the grid for use in an app: as a request, or as code for the typed client (`@rowhouse/client`). Pure. */
import { alias, queryOf, type Wanted } from '../../queries.ts';

/**
 * The query with `curl` and a user's token: it returns what that user may see.
 * @param prefix of the client interface of the version
 */
export function asCurl(prefix: string, wanted: Wanted, limit: number): string {
  const query = JSON.stringify({ ...queryOf(wanted), range: { limit }, after: '' }, null, 2);
  return [
    `curl '${prefix}/data/select/${wanted.table}' \\`,
    '  -H "service-token: $TOKEN" \\',
    "  -H 'content-type: application/json' \\",
    `  -d '${query.replaceAll("'", "'\\''")}'`,
  ].join('\n');
}

export function asClientCode({ table, where, sort }: Wanted, limit: number): string {
  const hasCondition = where.trim() !== '';
  return [
    ...(hasCondition ? ["import { condition } from '@rowhouse/client';", ''] : []),
    `const rows = await db.${table}.select({`,
    ...(hasCondition ? [`  where: (t) => condition\`${template(where)}\`,`] : []),
    ...(sort === ''
      ? []
      : [`  orderBy: (t) => t.${sort.replace(/^-/, '')}.${sort.startsWith('-') ? 'desc' : 'asc'}(),`]),
    `  limit: ${limit},`,
    '});',
  ].join('\n');
}

const texts = /('(?:[^']|'')*')/;
const columns = new RegExp(`#${alias}\\.(\\w+)`, 'g');

/** The condition as a template literal: columns become those of `t`, quoted texts stay unchanged. */
function template(where: string): string {
  const parts = where.replace(/[\\`]|\$\{/g, '\\$&').split(texts);
  // Every second part is a quoted text.
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(columns, `\${t.$1}`))).join('');
}

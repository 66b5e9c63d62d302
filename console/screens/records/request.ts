/** What a query of the grid is in an app: a request, or code for the typed client (`@rowhouse/client`). Pure. */
import { alias, queryOf, type Wanted } from '../../queries.ts';

/**
 * The same query with `curl`, for a user's token: it answers what that user may see.
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

/** The condition between backquotes: its columns as those of `t`, texts in quotes as they are. */
function template(where: string): string {
  const parts = where.replace(/[\\`]|\$\{/g, '\\$&').split(texts);
  // Each second part is a text.
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(columns, `\${t.$1}`))).join('');
}

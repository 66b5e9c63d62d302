/** What a query of the grid is as a request of a client. */

import { queryOf, type Wanted } from '../../records.ts';
import type { Place } from '../../route.ts';

/** The same query with `curl`, for a user's token: it answers what that user may see. */
export function asCurl({ companyId, appId, version }: Place, wanted: Wanted): string {
  const root = location.href.slice(0, location.href.indexOf('/admin/'));
  const body = JSON.stringify({ ...queryOf(wanted), range: { limit: 50 }, after: '' }, null, 2).replaceAll(
    "'",
    "'\\''",
  );
  return [
    `curl '${root}/api/${companyId}/${appId}/${version}/data/select/${wanted.table}' \\`,
    '  -H "service-token: $TOKEN" \\',
    "  -H 'content-type: application/json' \\",
    `  -d '${body}'`,
  ].join('\n');
}

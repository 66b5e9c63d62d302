/**
 * The reader's location: `#/company/1/app/crm/1.0.0/records/Task?filter=…`. The address has the object shown and its
 * filters, never the data found, so that it can be shared and bookmarked.
 */
import { computed, signal } from '@preact/signals';

/** The choice in the tenant switcher; null for none. */
export interface Tenant {
  readonly companyId: number | null;
  readonly appId: string | null;
  readonly version: string | null;
}

export interface Place extends Tenant {
  /** The screen's name; '' is the home screen of the chosen tenant. */
  readonly screen: string;
  /** The item shown on the screen, such as a table or a user. */
  readonly item: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export const nowhere: Tenant = { companyId: null, appId: null, version: null };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const place = computed(() => readPlace(hash.value));

/** `#/[company/<id>/[app/<id>/[<version>/]]]<screen>[/<item>]?<query>` */
export function readPlace(text: string): Place {
  const [path = '', search = ''] = text.replace(/^#\/?/, '').split('?', 2);
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const companyId = parts[0] === 'company' && /^[1-9]\d*$/.test(parts[1] ?? '') ? Number(parts[1]) : null;
  if (companyId !== null) parts.splice(0, 2);
  const appId = companyId !== null && parts[0] === 'app' ? (parts[1] ?? null) : null;
  if (appId !== null) parts.splice(0, 2);
  const version = appId !== null && /^\d/.test(parts[0] ?? '') ? (parts.shift() as string) : null;
  const [screen = '', item = null] = parts;
  return { companyId, appId, version, screen, item, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a place; omitted parts of the tenant stay unchanged. */
export function linkTo({
  screen = '',
  item = null,
  query = {},
  ...tenant
}: Partial<Place> & { readonly screen?: string }): string {
  const { companyId, appId, version } = { ...tenantOf(place.peek()), ...tenant };
  const parts: (string | number)[] = [];
  if (companyId !== null) parts.push('company', companyId);
  if (companyId !== null && appId !== null) parts.push('app', appId);
  if (companyId !== null && appId !== null && version !== null) parts.push(version);
  if (screen !== '') parts.push(screen);
  if (screen !== '' && item !== null) parts.push(item);
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return `#/${parts.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`;
}

export function go(to: Parameters<typeof linkTo>[0], { replace = false } = {}): void {
  const link = linkTo(to);
  if (link === location.hash) return;
  if (replace) {
    history.replaceState(null, '', link);
    hash.value = link;
  } else location.hash = link;
}

/** Changes the query of the present place, without adding to the browser's history. */
export function changeQuery(changes: Readonly<Record<string, string>>): void {
  const { query, ...rest } = place.peek();
  go({ ...rest, query: { ...query, ...changes } }, { replace: true });
}

export function tenantOf({ companyId, appId, version }: Tenant): Tenant {
  return { companyId, appId, version };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

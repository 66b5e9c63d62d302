/**
 * Where the reader is: `#/company/1/app/crm/1.0.0/records/Task?filter=…`. The address holds what is looked at and how it is
 * filtered, never what was found, so that it can be handed on and kept as a bookmark.
 */
import { computed, signal } from '@preact/signals';

/** What is chosen in the tenant switcher; null where nothing is. */
export interface Tenant {
  readonly companyId: number | null;
  readonly appId: string | null;
  readonly version: string | null;
}

export interface Place extends Tenant {
  /** Names the screen; '' is the home of what is chosen. */
  readonly screen: string;
  /** What the screen shows of its kind, such as a table or a user. */
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

/** The address of a place; what is left out of the tenant stays as it is. */
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

/** Changes the query of the present place, without a step in the history of the browser. */
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

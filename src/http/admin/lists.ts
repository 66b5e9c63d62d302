/** What the routes of the administration interface have in common: pages and periods that are asked for, and times as they are shown. */
import type { Settings } from '../../config.ts';
import type { PageRequest } from '../../directory/paging.ts';
import { malformed, shown } from '../../errors.ts';
import { formatInstant, parseInstant, zoneOf } from '../../schema/time.ts';

interface ListQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: string;
  readonly search?: string;
}

/** The page that a query asks for: whatever is no part of a page is a filter. */
export function pageOf({ offset, limit, sort, search, ...filters }: ListQuery): PageRequest {
  const filter = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  return {
    filter,
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(sort === undefined ? {} : { sort }),
    ...(search === undefined ? {} : { search }),
  };
}

export interface Times {
  /** Milliseconds, as it is written in answers. */
  shown(time: number): string;
  /** In milliseconds. @throws ServiceError `malformed` */
  period(query: { readonly from: string | undefined; readonly until: string | undefined }): {
    readonly from?: number;
    readonly until?: number;
  };
}

/** A `+` that was not percent-encoded arrives as a space, since a query is read as a form. */
const offsetWithoutPlus = / (\d{2}:?\d{2})$/;

export function timesIn({ zone: name }: Pick<Settings, 'zone'>): Times {
  const zone = zoneOf(name);
  const timeOf = (field: 'from' | 'until', text: string | undefined) => {
    if (text === undefined) return {};
    const time = parseInstant(text.replace(offsetWithoutPlus, '+$1'), zone);
    if (time !== null) return { [field]: time };
    throw malformed(field, `${shown(text)} came; a time such as 2026-01-31T10:00:00+00:00 was expected.`);
  };
  return {
    shown: (time) => formatInstant(time, zone),
    period: ({ from, until }) => ({ ...timeOf('from', from), ...timeOf('until', until) }),
  };
}

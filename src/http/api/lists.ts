/** Shared by handlers: reads requested pages and periods and ids in paths, and writes entities and times in answers. */
import Type from 'typebox';
import type { Settings } from '../../config.ts';
import type { Page, PageLimits, PageRequest } from '../../directory/paging.ts';
import { type Entity, given } from '../../entities/entity.ts';
import { malformed, quoted } from '../../errors.ts';
import { timeName } from '../../operations/entities.ts';
import { read } from '../../operations/read.ts';
import { formatInstant, parseInstant, zoneOf } from '../../schema/time.ts';
import { success } from '../envelope.ts';

const pathId = Type.Object({ id: Type.Integer({ minimum: 1 }) });

/** @throws ServiceError `malformed` */
export function idOf(params: Readonly<Record<string, string>>): number {
  return read(pathId, params).id;
}

/**
 * The requested page; without a limit the whole list, which is refused if it is too long, never truncated.
 * @throws ServiceError `malformed`
 */
export async function pageOrAll<Row>(
  { offset, limit }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  settings: Pick<Settings, 'listLimitMax' | 'resultRowsMax'>,
  list: (request: PageRequest, limits: PageLimits) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const start = offset === undefined ? {} : { offset };
  if (limit !== undefined) return list({ ...start, limit }, settings);
  const all = settings.resultRowsMax;
  const found = await list({ ...start, limit: all }, { listLimitMax: all });
  if (found.results.length < all || found.count <= (offset ?? 0) + all) return found;
  throw malformed('limit', `there are ${found.count} entries; ask for them in pages (setting resultRowsMax).`);
}

interface ListQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: string;
  readonly search?: string;
}

/** The requested page; every other parameter is a filter. */
export function pageOf({ offset, limit, sort, search, ...filters }: ListQuery): PageRequest {
  const filter = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  return { filter, ...given({ offset, limit, sort, search }) };
}

/** Converts entities to answers: exactly the columns with a description, with times as text. */
export function answersOf({ columns }: Entity, settings: Pick<Settings, 'zone'>) {
  const times = timesIn(settings);
  const answered = Object.entries(columns).filter(([, { meaning }]) => meaning !== undefined);
  const toResponse = (row: object): Readonly<Record<string, unknown>> => {
    const values = row as Readonly<Record<string, unknown>>;
    const members = answered.map(([field, { type }]) =>
      type === 'time' ? [timeName(field), times.responses(Number(values[field]))] : [field, values[field]],
    );
    return Object.fromEntries(members);
  };
  return {
    toResponse,
    one: async (row: Promise<object>): Promise<string> => success({ results: toResponse(await row) }),
    page: async (found: Promise<Page<object>>): Promise<string> => {
      const { results, count } = await found;
      return success({ results: results.map(toResponse), count });
    },
    /** Of what was removed. */
    none: async (done: Promise<void>): Promise<string> => {
      await done;
      return success();
    },
  };
}

export interface Times {
  /** Text of a time in milliseconds. */
  responses(time: number): string;
  /** In milliseconds. @throws ServiceError `malformed` */
  period(query: { readonly from: string | undefined; readonly until: string | undefined }): {
    readonly from?: number;
    readonly until?: number;
  };
}

/** A `+` that was not percent-encoded arrives as a space, because a query is parsed as a form. */
const offsetWithoutPlus = / (\d{2}:?\d{2})$/;

export function timesIn({ zone: name }: Pick<Settings, 'zone'>): Times {
  const zone = zoneOf(name);
  const timeOf = (field: 'from' | 'until', text: string | undefined) => {
    if (text === undefined) return {};
    const time = parseInstant(text.replace(offsetWithoutPlus, '+$1'), zone);
    if (time !== null) return { [field]: time };
    throw malformed(field, `expected a time such as 2026-01-31T10:00:00+00:00, got ${quoted(text)}.`);
  };
  return {
    responses: (time) => formatInstant(time, zone),
    period: ({ from, until }) => ({ ...timeOf('from', from), ...timeOf('until', until) }),
  };
}

/** What the routes of lists for clients have in common: who acts, ids in the path, and lists that are answered whole. */
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type ActingUser, actingUser } from '../../actor.ts';
import type { Caller } from '../../caller.ts';
import type { Settings } from '../../config.ts';
import type { Page, PageLimits, PageRequest } from '../../directory/paging.ts';
import { malformed } from '../../errors.ts';
import { read } from '../../wire/read.ts';

const pathId = Type.Object({ id: Type.Integer({ minimum: 1 }) });

/** @throws ServiceError `malformed` */
export function idOf(params: Readonly<Record<string, string>>): number {
  return read(pathId, params).id;
}

export function actorOf({
  caller,
  request,
}: {
  readonly caller: Caller;
  readonly request: FastifyRequest;
}): ActingUser {
  return actingUser(caller, { address: request.ip });
}

/**
 * The page that was asked for; without a limit the whole list, which is refused where it is too long, never cut.
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

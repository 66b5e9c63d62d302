/**
 * On which columns the clients of each version join tables: each process counts their queries, and adds the counts once a
 * minute to rows stored with the client logs, one for each version, join and day.
 */
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { dayMs, hourMs } from '../setting.ts';
import type { Storage, WriteStatement } from '../storage/contract.ts';

/** How long counts are kept, and how far back they are read. */
const daysKept = 31;

/** A version, by its data space, whose number is never reused. */
interface VersionKey {
  readonly spaceId: number;
  readonly appVersion: string;
}

interface JoinQueries {
  /** As in `query/joined-columns.ts`. */
  readonly joined: string;
  readonly queries: number;
}

/** `data/` and `administration/` use a part of it: `JoinCounts` in `data/context.ts`. */
export interface JoinStatistics {
  count(version: VersionKey, joins: readonly string[]): void;
  /** @throws ServiceError `busy`, `internal` */
  read(version: VersionKey): Promise<readonly JoinQueries[]>;
  /** Stores the counts; a failure is logged, and the next call tries again. */
  write(): Promise<void>;
  /** Resolves when the counts are stored. */
  close(): Promise<void>;
}

export interface JoinStatisticsDeps {
  readonly storage: Pick<Storage, 'logs'>;
  readonly settings: Pick<Settings, 'statisticsEveryMs' | 'joinsMax'>;
  readonly environment: Pick<Environment, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The counts of a version that are not stored yet. */
interface Counted extends VersionKey {
  readonly queries: Map<string, number>;
}

export function openJoinStatistics({ storage, settings, environment, log }: JoinStatisticsDeps): JoinStatistics {
  const { logs } = storage;
  const { build } = logs;
  let current = new Map<string, Counted>();
  let writing = Promise.resolve();
  let forgotten = Number.NEGATIVE_INFINITY;

  function add({ spaceId, appVersion }: VersionKey, joins: readonly string[], queries: number): void {
    const key = `${spaceId} ${appVersion}`;
    const counted = current.get(key) ?? { spaceId, appVersion, queries: new Map() };
    current.set(key, counted);
    for (const join of joins) {
      const before = counted.queries.get(join);
      if (before === undefined && counted.queries.size >= settings.joinsMax) continue;
      counted.queries.set(join, (before ?? 0) + queries);
    }
  }

  /** Adds the counts to those of the day, and deletes all but the day's most frequent joins. */
  function statementsOf({ spaceId, appVersion, queries }: Counted, day: number): readonly WriteStatement[] {
    // In a fixed order, so that several processes do not deadlock.
    const rows = [...queries].sort(([a], [b]) => (a < b ? -1 : 1));
    const values = rows.map(([joined, count]) => {
      return { space_id: spaceId, version: appVersion, day, joined, queries: count };
    });
    const insert = build
      .insertInto('version_join')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['space_id', 'version', 'day', 'joined']).doUpdateSet(({ ref, eb }) => ({
          queries: eb(ref('version_join.queries'), '+', ref('excluded.queries')),
        })),
      );
    const ofDay = build
      .selectFrom('version_join as other')
      .select('other.joined')
      .where('other.space_id', '=', spaceId)
      .where('other.version', '=', appVersion)
      .where('other.day', '=', day);
    const most = ofDay.orderBy('other.queries', 'desc').orderBy('other.joined').limit(settings.joinsMax);
    const forget = build
      .deleteFrom('version_join')
      .where('space_id', '=', spaceId)
      .where('version', '=', appVersion)
      .where('day', '=', day)
      .where('joined', 'not in', most);
    return [insert, forget];
  }

  async function writeDown(): Promise<void> {
    const now = environment.now();
    const day = dayOf(now);
    const isTimeToForget = now - forgotten >= hourMs;
    const oldest = day - (daysKept - 1) * dayMs;
    const old = build.deleteFrom('version_join').where('day', '<', oldest);
    const counted = [...current].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    if (counted.length === 0 && !isTimeToForget) return;
    current = new Map();
    try {
      await logs.write([...(isTimeToForget ? [old] : []), ...counted.flatMap((each) => statementsOf(each, day))]);
      if (isTimeToForget) forgotten = now;
    } catch (error) {
      for (const each of counted) for (const [joined, queries] of each.queries) add(each, [joined], queries);
      log.warn({ err: error }, 'The joins of queries could not be stored; the service will try again.');
    }
  }

  function write(): Promise<void> {
    writing = writing.then(writeDown);
    return writing;
  }

  const timer = setInterval(() => void write(), settings.statisticsEveryMs).unref();
  return {
    count: (version, joins) => add(version, joins, 1),
    async read({ spaceId, appVersion }) {
      await write();
      const rows = await logs.read(
        build
          .selectFrom('version_join')
          .select(['joined', 'queries'])
          .where('space_id', '=', spaceId)
          .where('version', '=', appVersion)
          .where('day', '>=', dayOf(environment.now()) - (daysKept - 1) * dayMs),
      );
      return summed(rows).slice(0, settings.joinsMax);
    },
    write,
    close() {
      clearInterval(timer);
      return write();
    },
  };
}

function dayOf(time: number): number {
  return Math.floor(time / dayMs) * dayMs;
}

/** The most frequent join first. */
function summed(rows: readonly JoinQueries[]): JoinQueries[] {
  const sums = new Map<string, number>();
  for (const { joined, queries } of rows) sums.set(joined, (sums.get(joined) ?? 0) + queries);
  const all = [...sums].map(([joined, queries]) => ({ joined, queries }));
  return all.sort((a, b) => b.queries - a.queries || (a.joined < b.joined ? -1 : 1));
}

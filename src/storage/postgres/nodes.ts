/** The nodes of a Citus cluster: what is on each, and moving data spaces between them with Citus's own functions. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../config.ts';
import { malformed, quoted, ServiceError } from '../../errors.ts';
import { dayMs } from '../../setting.ts';
import type { Cluster, ClusterNode, ClusterProgress, PlacedSpace, ShowProgress } from '../cluster.ts';
import { type Connections, openConnections } from './connections.ts';
import { isAway, serviceError } from './failure.ts';
import { type NodeState, type NodeWatch, nameOf } from './node-watch.ts';
import { placementSql } from './placement.ts';
import { spaceSchema } from './schemas.ts';

/** Interval between checks of a move's progress. */
const progressEveryMs = 300;

export interface ClusterNodes extends Cluster {
  close(): Promise<void>;
}

export function openNodes(url: string, settings: Settings, watch: Pick<NodeWatch, 'ask'>): ClusterNodes {
  const applicationName = `rowhouse nodes ${randomUUID()}`;
  // One for the work, which may take hours, and one to check its progress.
  const connections = openConnections({
    url,
    max: 2,
    statementTimeMs: dayMs,
    waitingMax: settings.readsQueuedMax,
    parameters: { application_name: applicationName },
    settings,
  });
  const moves = new Set<Promise<unknown>>();

  async function placed(): Promise<readonly PlacedSpace[]> {
    const { rows } = await connections.query({ text: sizesSql });
    return rows.map(([id, host, port, bytes]) => ({
      spaceId: Number(id),
      node: nameOf({ host: String(host), port: Number(port) }),
      bytes: bytes === null ? null : Number(bytes),
    }));
  }

  return {
    nodes: () =>
      explaining('asking the nodes', async () => {
        const [states, spaces] = await Promise.all([watch.ask(), placed()]);
        return states.map((state) => nodeOf(state, spaces));
      }),
    spaces: () => explaining('looking where the data spaces are', placed),
    moveSpace: (spaceId, to, progress) =>
      explaining(`moving data space ${spaceId}`, async () => {
        const [states, spaces] = await Promise.all([watch.ask(), placed()]);
        const present = spaces.find((one) => one.spaceId === spaceId);
        if (present === undefined) throw malformed('space', `there is no data space ${spaceId}.`);
        const from = present.node;
        const target = states.find((one) => nameOf(one) === to);
        if (target === undefined) {
          throw malformed('to', `expected one of ${states.map(nameOf).join(', ')}, got ${quoted(to)}.`);
        }
        if (!target.takesSpaces) {
          const property = `citus_set_node_property('${target.host}', ${target.port}, 'shouldhaveshards', true)`;
          throw malformed('to', `the node ${to} is set to take no data spaces; ${property} changes that.`);
        }
        if (from === to) throw malformed('to', `data space ${spaceId} is already on ${to}.`);
        refuseFaults([target, ...states.filter((one) => nameOf(one) === from)]);
        const sql = 'SELECT citus_schema_move($1::regnamespace, $2::text, $3::int)';
        const values = [spaceSchema(spaceId), target.host, String(target.port)];
        progress({ doing: `data space ${spaceId}`, done: 0, of: present.bytes ?? 0, unit: 'bytes' });
        const moving = connections.query({ text: sql, values });
        moves.add(moving);
        try {
          await showWhile(moving, () => showMove(connections, spaceId, progress));
        } finally {
          moves.delete(moving);
        }
        return { spaceId, from, to };
      }),
    rebalance: (progress) =>
      explaining('rebalancing', async () => {
        refuseFaults(await watch.ask());
        const { rows } = await connections.query({ text: runningSql });
        const followed = rows.length > 0;
        const job = rows[0]?.[0] ?? (await connections.query({ text: 'SELECT citus_rebalance_start()' })).rows[0]?.[0];
        const moved = job === null || job === undefined ? 0 : await follow(connections, job, progress);
        return { moved, followed };
      }),
    async close() {
      const text = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`;
      // Citus undoes a move that is cancelled. Where the server is gone, so is the move. One that just begins is met the next time.
      while (moves.size > 0) {
        await connections.query({ text, values: [applicationName] }).catch(() => {});
        await Promise.race([Promise.allSettled(moves), sleep(progressEveryMs)]);
      }
      await connections.close();
    },
  };
}

/** The bytes are those of the shards; they are missing for a node that does not respond. */
const sizesSql = `WITH placed AS MATERIALIZED (${placementSql}),
    measured AS MATERIALIZED (
      SELECT part.relnamespace AS schema_oid, sum(size.size) AS bytes FROM citus_shard_sizes() AS size
      JOIN pg_dist_shard AS shard ON shard.shardid = size.shard_id
      JOIN pg_class AS part ON part.oid = shard.logicalrelid GROUP BY 1
    )
  SELECT placed.space_id, coalesce(node.nodename, current_setting('citus.local_hostname')),
    coalesce(node.nodeport, current_setting('port')::int),
    CASE WHEN distributed.schemaid IS NOT NULL THEN measured.bytes ELSE (
      SELECT coalesce(sum(pg_total_relation_size(part.oid)), 0) FROM pg_class AS part
      WHERE part.relnamespace = placed.schema_oid AND part.relkind = 'r'
    ) END::bigint
  FROM placed
  LEFT JOIN pg_dist_schema AS distributed ON distributed.schemaid = placed.schema_oid
  LEFT JOIN measured ON measured.schema_oid = placed.schema_oid
  LEFT JOIN pg_dist_node AS node ON node.groupid = placed.groupid AND node.noderole = 'primary'
  ORDER BY placed.space_id`;

const runningSql = `SELECT job_id FROM pg_dist_background_job
  WHERE job_type = 'rebalance' AND state IN ('scheduled', 'running', 'failing') ORDER BY job_id DESC LIMIT 1`;

function nodeOf(state: NodeState, spaces: readonly PlacedSpace[]): ClusterNode {
  const { group, host, port, takesSpaces, fault } = state;
  const own = spaces.filter(({ node }) => node === nameOf(state));
  const reachable = fault?.kind !== 'away';
  return {
    ...{ host, port, takesSpaces, reachable },
    role: group === 0 ? 'coordinator' : 'worker',
    problem: fault?.told ?? null,
    spaces: own.length,
    bytes: reachable ? own.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) : null,
  };
}

/** @throws ServiceError `malformed`, naming each node that is away or unsafe */
function refuseFaults(states: readonly NodeState[]): void {
  const faults = states.flatMap(({ fault }) => fault?.told ?? []);
  if (faults.length > 0) throw new ServiceError('malformed', `Nothing was moved. ${faults.join(' ')}`);
}

async function explaining<R>(doing: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError || isAway(error)) throw serviceError(error, doing);
    throw new ServiceError('internal', `The cluster refused ${doing}.`, { cause: error });
  }
}

/** A failed check of progress does not end the work. @throws what the work threw */
async function showWhile(work: Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // Its failure is thrown below.
  ended.catch(() => {});
  while (!isDone) {
    await Promise.race([ended.catch(() => {}), sleep(progressEveryMs)]);
    if (!isDone) await look().catch(() => {});
  }
  await ended;
}

async function showMove(connections: Connections, spaceId: number, progress: ShowProgress): Promise<void> {
  const { rows } = await connections.query({
    text: `SELECT min(status), sum(target_shard_size), sum(source_shard_size) FROM get_rebalance_progress() AS at
      JOIN pg_class AS part ON part.oid = at.table_name WHERE part.relnamespace = $1::regnamespace`,
    values: [spaceSchema(spaceId)],
  });
  const [phase, done, of] = rows[0] ?? [];
  if (phase === null || phase === undefined) return;
  progress({ doing: `data space ${spaceId}, ${phase}`, done: Number(done), of: Number(of), unit: 'bytes' });
}

/** @returns how many moves were done @throws ServiceError `internal` when it failed or was stopped */
async function follow(connections: Connections, job: string, progress: ShowProgress): Promise<number> {
  for (;;) {
    const { rows } = await connections.query({
      text: `SELECT job.state, count(*), count(*) FILTER (WHERE task.status = 'done'),
          string_agg(DISTINCT nullif(trim(task.message), ''), ' ') FILTER (WHERE task.status = 'error')
        FROM pg_dist_background_job AS job LEFT JOIN pg_dist_background_task AS task USING (job_id)
        WHERE job.job_id = $1::bigint GROUP BY job.state`,
      values: [job],
    });
    const [state, of, done, failure] = rows[0] ?? [];
    const at: ClusterProgress = { doing: 'rebalancing', done: Number(done), of: Number(of), unit: 'data spaces' };
    progress(at);
    if (state === 'finished') return at.done;
    if (state === 'failed' || state === 'cancelled') {
      throw new ServiceError('internal', `The rebalancing was ended after ${at.done} of ${at.of} moves: ${state}.`, {
        cause: new Error(failure ?? 'It was stopped by citus_rebalance_stop().'),
      });
    }
    await sleep(progressEveryMs);
  }
}

/**
 * Checks on the nodes of a cluster, at once and then regularly, what a session checks on its own server
 * (`guarantees.ts`), because a node may be added, changed or lost at any time. Data spaces on a node without the
 * guarantees are not written to.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { busyError } from '../busy.ts';
import type { NodeFault } from '../cluster.ts';
import type { DataSpaces } from '../contract.ts';
import { type Connection, type Connections, openConnections } from './connections.ts';
import { isAway, isTimeout } from './failure.ts';
import { brokenGuarantee, guaranteeSql } from './guarantees.ts';
import { placementSql } from './placement.ts';

export interface NodeState {
  readonly group: number;
  readonly host: string;
  readonly port: number;
  /** Whether data spaces may be created on it or moved to it. */
  readonly takesSpaces: boolean;
  readonly fault: NodeFault | null;
}

/** The node's name in commands and log lines. */
export function nameOf({ host, port }: Pick<NodeState, 'host' | 'port'>): string {
  return `${host}:${port}`;
}

export interface NodeWatch {
  /** Checks now; at most one check runs at a time. @throws Error when the coordinator can't be reached */
  ask(): Promise<readonly NodeState[]>;
  /** The faults known after checking for at most this long. */
  faults(timeMs: number): Promise<readonly NodeFault[]>;
  /** The same spaces, but refusing as `busy` any write to an unsafe node. */
  guard(spaces: DataSpaces): DataSpaces;
  close(): Promise<void>;
}

/** How long a node may take to accept a connection. */
export const connectTimeMs = 1_000;
/** How long all of them may take; distinguishes a hanging node from a distant one. */
const askTimeMs = 3_000;

/** Such a server may lose commits when its machine fails. */
const fragile = ['fsync', 'full_page_writes'];

const command = `SELECT json_build_array(${guaranteeSql}, pg_is_in_recovery(), ${fragile
  .map((name) => `current_setting('${name}')`)
  .join(', ')})`;

/**
 * $1: the groups to ask, null for all. A node that does not respond has no success, but does not make the statement
 * fail.
 */
const askSql = `SELECT node.groupid, node.nodename, node.nodeport, node.shouldhaveshards, node.isactive, asked.success, asked.result
  FROM pg_dist_node AS node LEFT JOIN (
    SELECT answer.* FROM (
      SELECT array_agg(nodename) AS hosts, array_agg(nodeport) AS ports FROM pg_dist_node
      WHERE groupid <> 0 AND isactive AND noderole = 'primary' AND (groupid = ANY($1::int[]) OR $1 IS NULL)
      HAVING count(*) > 0
    ) AS worker CROSS JOIN LATERAL master_run_on_worker(
      hosts, ports, array_fill('${command.replaceAll("'", "''")}'::text, ARRAY[cardinality(hosts)]), true
    ) AS answer
  ) AS asked ON asked.node_name = node.nodename AND asked.node_port = node.nodeport
  WHERE node.noderole = 'primary' AND (node.groupid = ANY($1::int[]) OR $1 IS NULL)
  ORDER BY node.groupid <> 0, node.nodename, node.nodeport`;

export interface NodeWatchOptions {
  readonly url: string;
  readonly settings: Settings;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export function openNodeWatch({ url, settings, log }: NodeWatchOptions): NodeWatch {
  const connections = openConnections({
    url,
    max: 1,
    statementTimeMs: askTimeMs,
    waitingMax: settings.readsQueuedMax,
    parameters: { 'citus.node_connection_timeout': String(connectTimeMs) },
    settings,
  });
  let known: readonly NodeFault[] = [];
  let unsafeSpaces: ReadonlySet<number> = new Set();
  let underWay: Promise<readonly NodeState[]> | null = null;
  const warned = new Set<string>();

  async function askAll(): Promise<readonly NodeState[]> {
    const answers = await askEach(connections);
    const states = answers.map(stateOf);
    const faults = states.flatMap(({ fault }) => fault ?? []);
    unsafeSpaces = await spacesOn(
      connections,
      states.filter(({ fault }) => fault?.kind === 'unsafe'),
    );
    tell(faults);
    for (const answer of answers) warnOfFragility(answer);
    known = faults;
    return states;
  }

  /** Logs one line for each change, not for each check. */
  function tell(faults: readonly NodeFault[]): void {
    for (const { node, kind, told } of faults) {
      if (known.some((one) => one.told === told)) continue;
      if (kind === 'away') log.warn({ node }, told);
      else log.error({ node }, told);
    }
    for (const { node } of known) {
      if (!faults.some((one) => one.node === node)) log.info({ node }, `The node ${node} is in order again.`);
    }
  }

  function warnOfFragility(answer: Answer): void {
    const { facts } = answer;
    const node = nameOf(answer);
    for (const [index, name] of fragile.entries()) {
      if (facts === null || facts[4 + index] === 'on' || warned.has(`${node} ${name}`)) continue;
      warned.add(`${node} ${name}`);
      log.warn(
        { node },
        `The node ${node} has ${name} = off: when its machine fails, records that were saved may be lost.`,
      );
    }
  }

  function ask(): Promise<readonly NodeState[]> {
    underWay ??= askAll().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  /** The coordinator itself is watched elsewhere. */
  const first = ask().catch(() => []);
  const timer = setInterval(() => void ask().catch(() => {}), settings.nodesEveryMs).unref();

  return {
    ask,
    async faults(timeMs) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const wait = timeMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, timeMs);
      await Promise.race([ask().catch(() => {}), late]);
      clearTimeout(wait);
      return known;
    },
    guard(spaces) {
      const refuseUnsafe = (spaceId: number) => {
        if (unsafeSpaces.has(spaceId)) throw unsafe();
      };
      const refuseNew = async () => {
        await first;
        if (known.some(({ kind }) => kind === 'unsafe')) throw unsafe();
      };
      return {
        ...spaces,
        async create(spaceId) {
          await refuseNew();
          return spaces.create(spaceId);
        },
        async copy(source, target) {
          await refuseNew();
          return spaces.copy(source, target);
        },
        async define(spaceId, change) {
          await first;
          refuseUnsafe(spaceId);
          return spaces.define(spaceId, change);
        },
        async write(spaceId, batch) {
          refuseUnsafe(spaceId);
          return spaces.write(spaceId, batch);
        },
      };
    },
    async close() {
      clearInterval(timer);
      await first;
      await connections.close();
    },
  };
}

function unsafe(): Error {
  return busyError(
    'A node of the database cannot give the guarantees of a write, so nothing was written. The log and /readyz name the node and the remedy.',
  );
}

interface Answer {
  readonly group: number;
  readonly host: string;
  readonly port: number;
  readonly takesSpaces: boolean;
  readonly isActive: boolean;
  /** Null when it did not respond. */
  readonly facts: readonly unknown[] | null;
  /** The error that it returned instead. */
  readonly failure: string;
}

/** Checks all at once, or one at a time if one node delays the answers of the others too long. */
async function askEach(connection: Connections): Promise<readonly Answer[]> {
  try {
    return await answersOf(connection, null);
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  const { rows } = await connection.query({
    text: `SELECT groupid, nodename, nodeport, shouldhaveshards, isactive, false, 'It did not answer in time.'
      FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid <> 0, nodename, nodeport`,
  });
  const answers: Answer[] = [];
  for (const row of rows) {
    const silent = answerOf(row);
    const heard = await answersOf(connection, silent.group).catch((error: unknown) => {
      if (isTimeout(error) || isAway(error)) return [silent];
      throw error;
    });
    answers.push(...heard);
  }
  return answers;
}

async function answersOf(connection: Connection, group: number | null): Promise<Answer[]> {
  const { rows } = await connection.query({ text: askSql, values: [group === null ? null : `{${group}}`] });
  return rows.map(answerOf);
}

function answerOf([group, host, port, takesSpaces, isActive, success, result]: readonly unknown[]): Answer {
  return {
    group: Number(group),
    host: String(host),
    port: Number(port),
    takesSpaces: takesSpaces === 't',
    isActive: isActive === 't',
    facts: success === 't' ? (JSON.parse(String(result)) as unknown[]) : null,
    failure: String(result ?? ''),
  };
}

function stateOf(answer: Answer): NodeState {
  const { group, host, port, takesSpaces } = answer;
  return { group, host, port, takesSpaces, fault: group === 0 ? null : faultOf(answer) };
}

function faultOf(answer: Answer): NodeFault | null {
  const { isActive, facts, failure } = answer;
  const node = nameOf(answer);
  const away = (told: string): NodeFault => ({
    node,
    kind: 'away',
    told: `The node ${node} is away: ${told} Its data spaces are not served until it is back.`,
  });
  if (!isActive) return away('it is disabled (citus_activate_node enables it).');
  if (facts === null) return away(`${failure.replace(/\.?$/, '.')}`);
  if (facts[3] === true) return away('it is a standby.');
  const broken = brokenGuarantee(facts);
  if (broken === null) return null;
  const { problem, remedy } = broken;
  return { node, kind: 'unsafe', told: `Nothing is written to the node ${node}: ${problem} ${remedy}` };
}

async function spacesOn(connection: Connection, nodes: readonly NodeState[]): Promise<ReadonlySet<number>> {
  if (nodes.length === 0) return new Set();
  const { rows } = await connection.query({
    text: `SELECT space_id FROM (${placementSql}) AS placed WHERE groupid = ANY($1::int[])`,
    values: [`{${nodes.map(({ group }) => group).join(',')}}`],
  });
  return new Set(rows.map(([id]) => Number(id)));
}

/**
 * Which data spaces of a cluster can be read directly on their workers: those whose worker this process can connect to.
 * Determined in parallel to reads, which go through the coordinator until then.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { sameIdentity, storedIdentity } from '../identity.ts';
import { Lru } from '../lru.ts';
import { type Connection, type Connections, openConnections } from './connections.ts';
import { isOfStatement } from './failure.ts';
import { NamedStatements } from './named-statements.ts';
import { connectTimeMs, nameOf } from './node-watch.ts';
import { recordPlanner } from './records.ts';
import { queryPlanner } from './select.ts';
import { addresses } from './session.ts';
import { type NodeAddress, type Shards, shardsOf } from './shards.ts';

/** Connections to one worker for one kind of reads, and their prepared statements. */
export interface Line {
  readonly connections: Connections;
  readonly named: NamedStatements;
}

export interface Worker {
  readonly address: NodeAddress;
  readonly records: Line;
  /** Null if there are too few connections. */
  readonly queries: Line | null;
}

export interface Entrance {
  readonly worker: Worker;
  readonly shards: Shards;
}

export interface EntrancesOptions {
  readonly url: string;
  readonly coordinator: Connection;
  readonly settings: Settings;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * How long a read waits for a lock at a worker. If a move or a change of tables takes longer, the read goes through the
 * coordinator, which permits reads during a move.
 */
const lockTimeMs = 20;

/** Of the connections to a worker, this share is for queries, the others for single records. */
const queriesShare = 1 / 3;

interface Known {
  /** Null for a data space that can't be read on its worker. */
  readonly entrance: Entrance | null;
  /** When it was looked up (of `performance.now()`). */
  readonly looked: number;
}

/** The identity of a data space, from its worker's own tables, and whether it is there. */
const identitySql = 'SELECT installation, space_id FROM "~"._identity WHERE (SELECT "~"._here($1::bigint))';

export class Entrances {
  readonly #options: EntrancesOptions;
  readonly #installation: string;
  readonly #known: Lru<number, Known>;
  readonly #wanted = new Set<number>();
  readonly #workers = new Map<string, Worker>();
  /** When a worker last failed. */
  readonly #refused = new Map<Worker, number>();
  #looking: Promise<void> | null = null;
  #isClosing = false;

  constructor(options: EntrancesOptions, installation: string) {
    this.#options = options;
    this.#installation = installation;
    this.#known = new Lru(options.settings.openFilesMax);
  }

  /** Null while it is looked up, and for a data space that can't be read on its worker. */
  of(spaceId: number): Entrance | null {
    const known = this.#known.get(spaceId);
    if (known !== undefined && (known.entrance !== null || this.#isFresh(known.looked))) return known.entrance;
    if (!this.#isClosing) {
      this.#wanted.add(spaceId);
      this.#looking ??= this.#lookUpAll().finally(() => {
        this.#looking = null;
      });
    }
    return null;
  }

  /** Makes the next read look the data space up again. */
  forget(spaceId: number, entrance: Entrance): void {
    if (this.#known.get(spaceId)?.entrance === entrance) this.#known.delete(spaceId);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#looking;
    const lines = [...this.#workers.values()].flatMap(({ records, queries }) => [
      records,
      ...(queries ? [queries] : []),
    ]);
    await Promise.all(lines.map(({ connections }) => connections.close()));
  }

  /** Looks up requested data spaces one at a time, including those requested meanwhile. */
  async #lookUpAll(): Promise<void> {
    for (const spaceId of this.#wanted) {
      this.#wanted.delete(spaceId);
      // Without the coordinator nothing can be looked up; its own faults are reported elsewhere.
      const entrance = this.#isClosing ? null : await this.#lookUp(spaceId).catch(() => null);
      this.#known.set(spaceId, { entrance, looked: performance.now() });
    }
  }

  async #lookUp(spaceId: number): Promise<Entrance | null> {
    const shards = await shardsOf(this.#options.coordinator, spaceId);
    if (shards?.address == null) return null;
    const worker = this.#workerAt(shards.address);
    if (this.#isFresh(this.#refused.get(worker))) return null;
    try {
      const { rows } = await worker.records.connections.query({
        text: shards.text(identitySql),
        values: [shards.first],
      });
      const identity = storedIdentity(rows[0]?.[0], rows[0]?.[1]);
      const expected = { installation: this.#installation, spaceId };
      if (identity === null || !sameIdentity(identity, expected)) throw new Error('it has another installation');
    } catch (error) {
      // A move or a change of tables is under way; the worker itself works.
      if (!isOfStatement(error)) this.#refuse(worker, error);
      return null;
    }
    this.#accept(worker);
    return { worker, shards };
  }

  #workerAt(address: NodeAddress): Worker {
    const present = this.#workers.get(nameOf(address));
    if (present !== undefined) return present;
    const worker = this.#open(address);
    this.#workers.set(nameOf(address), worker);
    return worker;
  }

  #open(address: NodeAddress): Worker {
    const { url, settings } = this.#options;
    const { databaseNodeConnectionsMax: max, databaseConnectTimeMs, databasePreparedMax, queryTimeMs } = settings;
    const forQueries = Math.floor(max * queriesShare);
    const line = (count: number, parameters: Readonly<Record<string, string>>): Line => ({
      connections: openConnections({
        url: urlAt(url, address),
        max: count,
        statementTimeMs: queryTimeMs,
        lockTimeMs,
        waitingMax: settings.readsQueuedMax,
        parameters,
        settings: { ...settings, databaseConnectTimeMs: Math.min(connectTimeMs, databaseConnectTimeMs) },
      }),
      named: new NamedStatements(databasePreparedMax),
    });
    return {
      address,
      records: line(max - forQueries, recordPlanner),
      queries: forQueries === 0 ? null : line(forQueries, queryPlanner),
    };
  }

  /** Logs one line for each change, not for each attempt. */
  #refuse(worker: Worker, error: unknown): void {
    const isTold = this.#refused.has(worker);
    this.#refused.set(worker, performance.now());
    if (isTold) return;
    const node = nameOf(worker.address);
    const told = error instanceof Error ? error.message : String(error);
    this.#options.log.warn(
      { node },
      `The node ${node} can't be asked directly (${told}), so reads of its data spaces go through the coordinator.`,
    );
  }

  #accept(worker: Worker): void {
    if (!this.#refused.delete(worker)) return;
    const node = nameOf(worker.address);
    this.#options.log.info({ node }, `The node ${node} is asked directly again.`);
  }

  #isFresh(looked: number | undefined): boolean {
    return looked !== undefined && performance.now() - looked < this.#options.settings.nodesEveryMs;
  }
}

/** The address of the same database at another server, for the same user. @throws Error that does not repeat the URL */
function urlAt(url: string, { host, port }: NodeAddress): string {
  const [first = ''] = addresses(url);
  const there = new URL(first);
  // Parameters of the query would take precedence.
  for (const name of ['host', 'port']) there.searchParams.delete(name);
  there.hostname = host.includes(':') ? `[${host}]` : host;
  there.port = String(port);
  return there.href;
}

/**
 * Typical disturbances of a PostgreSQL server, under load: restarts, killed backends, cancelled statements, no free
 * connections, locks and deadlocks of others. The service answers or refuses as busy, and recovers by itself.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { withClient } from '../machine/client.ts';
import { type Postgres, startPostgres } from '../machine/postgres.ts';
import { type Random, seeded } from '../machine/random.ts';
import { secretKey } from '../machine/scratch.ts';
import { startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { prepare, proofSettings } from './folder.ts';
import type { Figure, Proof, Task } from './report.ts';
import { tableName } from './service.ts';
import { UnderLoad } from './under-load.ts';

/** Short time limits, so that waits for locks end within the proof. */
const settings = { ...proofSettings, queryTimeMs: 1_000, writeTimeMs: 2_000 };
const connectionsMax = 30;
const lastsMs = 1_500;
const pauseMs = 20;

/** Limit from the end of a disturbance until a write and a read are answered. */
const backMsMax = 10_000;

interface Scene {
  server: Postgres;
  restart(end: (server: Postgres) => Promise<void>): Promise<void>;
  /** Quoted, with its schema. */
  readonly table: string;
  readonly random: Random;
}

interface Upset {
  readonly name: string;
  /** @returns the number of events, in words, for the report */
  happens(scene: Scene): Promise<string>;
}

const upsets: readonly Upset[] = [
  {
    name: 'restart',
    async happens(scene) {
      await scene.restart((server) => server.stop());
      return 'once';
    },
  },
  {
    name: 'all processes killed, and started again',
    async happens(scene) {
      await scene.restart((server) => server.kill());
      return 'once';
    },
  },
  { name: 'backends killed', happens: (scene) => signal(scene, 'pg_terminate_backend') },
  { name: 'statements cancelled', happens: (scene) => signal(scene, 'pg_cancel_backend') },
  { name: 'connections taken by others', happens: takeConnections },
  { name: 'table locked by others', happens: lockTable },
  { name: 'deadlocks with another', happens: deadlock },
];

export function proveUpsets(task: Task & { readonly cycles: number }): Promise<Proof> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-upsets-'));
  chmodSync(folder, 0o755);
  return upsetAll(join(folder, 'data'), task).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** @param folder for the database, which is kept when its server restarts */
async function upsetAll(folder: string, { cycles, seed, progress }: Task & { cycles: number }): Promise<Proof> {
  const start = (port: number) =>
    startPostgres({
      durable: true,
      folder,
      port,
      settings: { max_connections: String(connectionsMax), deadlock_timeout: '100ms', max_wal_senders: '0' },
    });
  let server = await start(0);
  const { port } = server;
  try {
    const stored = { storage: server.url, secretKey };
    const [space] = (await prepare(stored, 1)) as [Space];
    const service = await startServer(stored, { settings });
    const random = seeded(seed);
    const load = new UnderLoad(service.port, space, random);
    const { violations } = load.campaign;
    const scene: Scene = {
      get server() {
        return server;
      },
      async restart(end) {
        await end(server);
        await sleep(random.below(lastsMs));
        server = await start(port);
      },
      table: `"${spaceSchema(space.spaceId)}"."${tableName}"`,
      random,
    };
    const figures: Figure[] = [];
    try {
      for (let cycle = 1; cycle <= cycles; cycle++) {
        for (const upset of upsets) {
          let happened = '';
          let backMs = 0;
          await load.during(async () => {
            await sleep(random.below(200));
            happened = await upset.happens(scene);
            const { writeMs, readMs } = await load.back();
            backMs = Math.max(writeMs, readMs);
          });
          await load.verify();
          const value = `${happened}; back after ${Math.round(backMs)} ms`;
          figures.push({ name: upset.name, value });
          progress(`${upset.name}: ${value}, ${violations.length} violations`);
          if (backMs <= backMsMax) continue;
          const message = `${upset.name}: the service was back ${Math.round(backMs)} ms after it.`;
          violations.push({ rule: 'every request is settled', message });
        }
      }
    } finally {
      await service.stop();
    }
    await load.campaign.compare(server.url);
    return { violations, figures: [...figures, ...load.figures()] };
  } finally {
    await server.stop();
  }
}

function signal({ server }: Scene, how: 'pg_terminate_backend' | 'pg_cancel_backend'): Promise<string> {
  return withClient(server.url, async (client) => {
    let signals = 0;
    for (const until = performance.now() + lastsMs; performance.now() < until; ) {
      const { rowCount } = await client.query(`SELECT ${how}(pid) FROM pg_stat_activity
        WHERE application_name = 'rowhouse' AND (state <> 'idle' OR '${how}' = 'pg_terminate_backend')`);
      signals += rowCount ?? 0;
      await sleep(pauseMs);
    }
    return `${signals} of them`;
  });
}

/** Whenever a connection of the service ends, another client takes its slot at once. */
async function takeConnections({ server }: Scene): Promise<string> {
  const taken: pg.Client[] = [];
  const take = async () => {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
      return true;
    } catch {
      return false;
    }
  };
  try {
    for (const until = performance.now() + lastsMs; performance.now() < until; await sleep(pauseMs)) {
      while (await take());
      await taken[0]?.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'rowhouse'`);
    }
    return `${taken.length} of ${connectionsMax}`;
  } finally {
    await Promise.all(taken.map((client) => client.end()));
  }
}

/** Longer than the time limits of queries and writes. */
function lockTable({ server, table }: Scene): Promise<string> {
  return withClient(server.url, async (client) => {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await sleep(settings.writeTimeMs + 500);
    await client.query('COMMIT');
    return `for ${settings.writeTimeMs + 500} ms`;
  });
}

/**
 * Another client locks records one by one, beginning with those that the service locks last, with a longer deadlock
 * timeout than the service: so PostgreSQL ends the service's transaction.
 */
async function deadlock({ server, table }: Scene): Promise<string> {
  return withClient(server.url, async (client) => {
    const deadlocks = async () => {
      const counted = 'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()';
      return Number((await client.query<{ n: string }>(counted)).rows[0]?.n);
    };
    const before = await deadlocks();
    await client.query("SET deadlock_timeout = '1s'");
    for (const until = performance.now() + lastsMs; performance.now() < until; ) {
      const newest = `SELECT "objectId" AS id FROM ${table} ORDER BY _seq DESC LIMIT 12`;
      const { rows } = await client.query<{ id: string }>(`SELECT id FROM (${newest}) AS newest ORDER BY id DESC`);
      await client.query('BEGIN');
      try {
        for (const { id } of rows) {
          await client.query(`SELECT FROM ${table} WHERE "objectId" = $1 FOR UPDATE`, [id]);
          await sleep(5);
        }
      } catch {
        // This transaction was ended instead.
      }
      await client.query('ROLLBACK');
    }
    // The backends report their counts a moment later.
    await sleep(500);
    return `${(await deadlocks()) - before} of them`;
  });
}

/**
 * Caches and changes the definitions of data spaces. Another instance may change one at any time: this is noticed when
 * a request fails with the old one, or else when the cached one is next checked.
 */
import type { Settings } from '../../config.ts';
import type { DefinitionChange, SpaceDefinition } from '../../schema/model.ts';
import { definitionColumns, definitionOf, definitionSql } from '../catalogue.ts';
import {
  type HighestIds,
  highestIdsOf,
  type Identity,
  sameIdentity,
  seenColumns,
  storedIdentity,
  wrongIdentity,
} from '../identity.ts';
import { Lru } from '../lru.ts';
import type { SeenIds } from './audiences.ts';
import { applyChange, lockAttemptsMax, mayLeaveColumns, removeUnknownColumns } from './changes.ts';
import { PostgresSpace } from './compiled-space.ts';
import type { Connection, Connections, Sql } from './connections.ts';
import { postgresLayout } from './dialect.ts';
import { isRetryable, isUndefined, serviceError, sqlState } from './failure.ts';
import { identityOf } from './installation.ts';
import { layoutOf, lockStore, migrate, spaceLayout } from './migrations.ts';
import { inStore } from './schemas.ts';

export interface DefinitionsOptions {
  readonly keys: Connections;
  /** Not used for records; a statement may take long. */
  readonly maintenance: Connections;
  readonly installation: string;
  readonly seen: Pick<SeenIds, 'know'>;
  readonly settings: Pick<Settings, 'definitionCacheMs' | 'openFilesMax' | 'shapesMax'>;
}

interface Kept {
  readonly space: PostgresSpace;
  /** When it was last compared with the stored one, by `performance.now()`. */
  looked: number;
}

export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #kept: Lru<number, Kept>;
  readonly #looking = new Map<number, Promise<PostgresSpace>>();

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    this.#kept = new Lru(options.settings.openFilesMax);
  }

  /** @throws ServiceError */
  async definition(spaceId: number): Promise<PostgresSpace> {
    const kept = this.#kept.get(spaceId);
    const { definitionCacheMs } = this.#options.settings;
    if (kept !== undefined && performance.now() - kept.looked < definitionCacheMs) return kept.space;
    return this.#looking.get(spaceId) ?? this.#look(spaceId);
  }

  /** The cached definition, however old: for statements that check its version in the database themselves. */
  known(spaceId: number): PostgresSpace | Promise<PostgresSpace> {
    return this.#kept.get(spaceId)?.space ?? this.definition(spaceId);
  }

  /** Reads the stored definition, never from before the call. @throws ServiceError */
  async refresh(spaceId: number): Promise<PostgresSpace> {
    await this.#looking.get(spaceId)?.catch(() => {});
    return this.#looking.get(spaceId) ?? this.#look(spaceId);
  }

  /** @throws ServiceError; `busy` when the tables were in use all the time */
  async define(spaceId: number, change: DefinitionChange): Promise<PostgresSpace | null> {
    const { keys, maintenance } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const definition = await maintenance.transaction('read committed', async (connection) => {
          await lockStore(connection, spaceId);
          return applyChange({ spaceId, connection, aside: keys }, change);
        });
        if (definition !== null) return this.#keep(spaceId, definition, performance.now());
        await this.refresh(spaceId);
        return null;
      } catch (error) {
        const mayWorkLater = isRetryable(error) || sqlState(error) === '55P03';
        if (mayWorkLater && attempt < lockAttemptsMax) continue;
        if (mayLeaveColumns(change)) await this.#removeUnknownColumns(spaceId);
        throw serviceError(error, `changing tables of ${spaceId}`);
      }
    }
  }

  /** A column that can't be removed now is removed by the next change that adds columns to the table. */
  async #removeUnknownColumns(spaceId: number): Promise<void> {
    const remove = this.#options.maintenance.transaction('read committed', async (connection) => {
      await lockStore(connection, spaceId);
      await removeUnknownColumns(connection, spaceId);
    });
    await remove.catch(() => {});
  }

  #look(spaceId: number): Promise<PostgresSpace> {
    const looking = this.#stored(spaceId).finally(() => this.#looking.delete(spaceId));
    this.#looking.set(spaceId, looking);
    return looking;
  }

  async #stored(spaceId: number): Promise<PostgresSpace> {
    const { keys, maintenance, installation, seen } = this.#options;
    const started = performance.now();
    try {
      const kept = this.#kept.get(spaceId);
      if (kept !== undefined) {
        const { rows } = await keys.query(definitionVersionSql(spaceId));
        const expected = { installation, spaceId };
        if (Number(rows[0]?.[0]) === kept.space.version && rows[0]?.[1] === identityText(expected)) {
          kept.looked = started;
          return kept.space;
        }
      }
      let stored = await this.#ours(spaceId);
      if (stored.layout !== spaceLayout) {
        await migrate(maintenance, spaceId);
        stored = await this.#ours(spaceId);
      }
      seen.know(spaceId, stored.seen);
      return this.#keep(spaceId, stored.definition, started);
    } catch (error) {
      const cause = isUndefined(error) ? new Error(`Data space ${spaceId} is not there.`, { cause: error }) : error;
      throw serviceError(cause, `reading the definition of ${spaceId}`);
    }
  }

  /** @throws Error when the schema does not belong to this data space and installation */
  async #ours(spaceId: number): Promise<StoredDefinition> {
    const { keys, maintenance, installation } = this.#options;
    const expected = { installation, spaceId };
    const assertOurs = (identity: Identity | null) => {
      if (identity === null || !sameIdentity(identity, expected)) throw wrongIdentity(identity, expected);
    };
    try {
      const stored = await readStored(keys, spaceId);
      assertOurs(stored.identity);
      return stored;
    } catch (error) {
      if (!isUndefined(error) || ((await layoutOf(keys, spaceId)) ?? spaceLayout) >= spaceLayout) throw error;
      // An older layout may lack what the statement reads.
      const identity = await identityOf(keys, expected);
      if (identity === null || !sameIdentity(identity, expected)) throw wrongIdentity(identity, expected);
      await migrate(maintenance, spaceId);
      return readStored(keys, spaceId);
    }
  }

  /** An unchanged definition remains the same object, with its statements; an older one never replaces a newer one. */
  #keep(spaceId: number, definition: SpaceDefinition, looked: number): PostgresSpace {
    const kept = this.#kept.get(spaceId);
    if (kept !== undefined && kept.space.version >= definition.version) return kept.space;
    const space = new PostgresSpace(spaceId, definition, this.#options.settings.shapesMax);
    this.#kept.set(spaceId, { space, looked });
    return space;
  }
}

export interface StoredDefinition {
  /** How many migration steps the schema has had. */
  readonly layout: number;
  readonly definition: SpaceDefinition;
  readonly identity: Identity | null;
  readonly seen: HighestIds;
}

/** One statement, so that it reads one state. */
const storedSql = `SELECT definition.*, layout, installation, space_id, ${seenColumns}
  FROM (${definitionSql(postgresLayout)}) AS definition, "~"._version, "~"._identity`;

/** The definition, layout and identity stored in the schema of a data space. */
export async function readStored(connection: Connection, spaceId: number): Promise<StoredDefinition> {
  const { rows } = await connection.query({ text: inStore(storedSql, spaceId) });
  const [layout, installation, ownId, ...seen] = rows[0]?.slice(definitionColumns) ?? [];
  return {
    layout: Number(layout),
    definition: definitionOf(rows),
    identity: storedIdentity(installation, ownId),
    seen: highestIdsOf(seen),
  };
}

/** The version of the definition, and the data space's identity in the form of `identityText`. */
function definitionVersionSql(spaceId: number): Sql {
  const identity = `(SELECT installation || ' ' || space_id FROM "~"._identity)`;
  return { text: inStore(`SELECT definition_version, ${identity} FROM "~"._space`, spaceId) };
}

function identityText({ installation, spaceId }: Identity): string {
  return `${installation} ${spaceId}`;
}

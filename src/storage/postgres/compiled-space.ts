/** What this engine caches for a data space at one version of its definition, in addition to every engine's cache. */
import type { SpaceDefinition } from '../../schema/model.ts';
import { CompiledSpace } from '../compiled-space.ts';
import type { Route } from './citus.ts';
import { postgresDialect } from './dialect.ts';
import { TableWrites } from './table-writes.ts';

export class PostgresSpace extends CompiledSpace {
  readonly id: number;
  /**
   * Shared audiences whose members are committed. A reset deletes them, but also changes the definition and so drops
   * this cache.
   */
  readonly notedAudiences = new Set<string>();
  /** The route of merged writes, once it is known. */
  route: Route | null = null;
  readonly #writes = new Map<string, TableWrites>();

  constructor(spaceId: number, definition: SpaceDefinition, shapesMax: number) {
    super(definition, postgresDialect, shapesMax);
    this.id = spaceId;
  }

  /** @throws Error for an unknown table, because the batch was checked against this definition */
  writes(name: string): TableWrites {
    const present = this.#writes.get(name);
    if (present !== undefined) return present;
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`The batch names a table that its definition does not have: ${name}.`);
    const made = new TableWrites(this.id, table);
    this.#writes.set(name, made);
    return made;
  }
}

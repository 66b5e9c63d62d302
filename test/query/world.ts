/** Runs compiled queries on the engine of the run: in a separate data space, with its tables. */
import type { ExpressionForm } from '../../src/query/expression-form.ts';
import type { StructuredForm } from '../../src/query/structured/form.ts';
import type { SpaceDefinition, Table } from '../../src/schema/model.ts';
import { engine } from '../engines/engine.ts';
import type { WireRow } from './definitions.ts';
import { openPostgresWorld } from './postgres-world.ts';
import { openSqliteWorld } from './sqlite-world.ts';

export { definitionOf, everything, now, rules, table, types, type WireRow, zone } from './definitions.ts';

export interface World {
  readonly definition: SpaceDefinition;
  insert(tableName: string, record: Readonly<Record<string, unknown>>, audience?: string): Promise<void>;
  /** The answer of a query: alias → records. */
  query(form: ExpressionForm, members?: readonly string[]): Promise<Record<string, WireRow[]>>;
  count(form: ExpressionForm, members?: readonly string[]): Promise<number>;
  older(form: StructuredForm, members?: readonly string[]): Promise<Record<string, WireRow[]>>;
  record(tableName: string, objectId: string, members?: readonly string[]): Promise<WireRow | null>;
  /** Whether a text is like a pattern on the engine. */
  isLike(text: string, pattern: string, escapedBy: string | null): Promise<boolean>;
}

export async function openWorld(...tables: readonly Table[]): Promise<World> {
  if (engine === 'postgres') return openPostgresWorld(...tables);
  const world = openSqliteWorld(...tables);
  return {
    definition: world.definition,
    insert: async (...record) => world.insert(...record),
    query: async (...form) => world.query(...form),
    count: async (...form) => world.count(...form),
    older: async (...form) => world.older(...form),
    record: async (...key) => world.record(...key),
    isLike: async (...sides) => world.isLike(...sides),
  };
}

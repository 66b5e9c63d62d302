/**
 * What any user may learn about a data space's definition, so that a client notices that it was built for other tables.
 */
import { hash } from 'node:crypto';
import type { Caller } from '../caller.ts';
import { canonicalJson } from '../schema/canonical-json.ts';
import { describeTables } from '../schema/definition.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { inTurns } from '../time-slices.ts';
import type { DataContext } from './context.ts';

export interface DefinitionInfo {
  readonly revision: number;
  /** SHA-256, hex, of the canonical JSON of the tables as `GET {prefix}/schemas` returns them, sorted by name. */
  readonly hash: string;
  readonly historyDays: number;
}

const known = new WeakMap<SpaceDefinition, string>();

export async function definitionInfo(context: DataContext, caller: Caller): Promise<DefinitionInfo> {
  const definition = await context.storage.spaces.definition(caller.spaceId);
  const { historyDays } = context.settings;
  return { revision: definition.version, hash: await hashOf(definition), historyDays };
}

async function hashOf(definition: SpaceDefinition): Promise<string> {
  const present = known.get(definition);
  if (present !== undefined) return present;
  const tables = await inTurns(describeTables(definition));
  const byName = tables.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const made = hash('sha256', canonicalJson(byName));
  known.set(definition, made);
  return made;
}

/**
 * The data spaces: each is a file, written by its writer thread, and read on the main thread or, by long queries, in
 * reader threads.
 */
import { ServiceError } from '../../errors.ts';
import type { SpaceDefinition } from '../../schema/model.ts';
import { CompiledSpace } from '../compiled-space.ts';
import type { DataSpaces, SelectRequest, SelectResult } from '../contract.ts';
import type { HighestIds } from '../identity.ts';
import { Lru } from '../lru.ts';
import { finishedJob, rehearse } from '../rehearsal.ts';
import type { Retention } from '../retention.ts';
import type { CopyData, CopyRequest } from './copy-thread.ts';
import { sqliteDialect, sqliteLayout } from './dialect.ts';
import { explain } from './explain.ts';
import { errorOf } from './failure.ts';
import type { Answer } from './messages.ts';
import type { Records } from './records.ts';
import type { ServerLock } from './server-lock.ts';
import type { ShortQueries } from './short-queries.ts';
import { sizesOf } from './table-sizes.ts';
import { Thread } from './thread.ts';
import type { Writers } from './writers.ts';

export interface SpacesOptions {
  readonly folder: string;
  readonly installation: string;
  /** The highest ids that the directory ever issued. */
  readonly highestIds: () => HighestIds;
  readonly writers: Writers;
  readonly queries: ShortQueries;
  readonly records: Records;
  readonly retention: Retention;
  readonly lock: ServerLock;
  /** Number of data spaces whose definition is cached. */
  readonly definitionsMax: number;
  /** See `CompiledSpace`. */
  readonly shapesMax: number;
}

export function openSpaces(options: SpacesOptions): DataSpaces {
  const { folder, installation, highestIds, writers, queries, records, retention, lock } = options;
  const definitions = new Lru<number, CompiledSpace>(options.definitionsMax);

  async function definitionOf(spaceId: number): Promise<CompiledSpace> {
    return definitions.get(spaceId) ?? renew(spaceId);
  }

  function keep(spaceId: number, definition: SpaceDefinition): CompiledSpace {
    return definitions.set(spaceId, new CompiledSpace(definition, sqliteDialect, options.shapesMax));
  }

  /** Reads the file again; an unchanged definition remains the same object, with its statements. */
  async function renew(spaceId: number): Promise<CompiledSpace> {
    const stored = await records.definition(spaceId);
    const present = definitions.get(spaceId);
    return stored.version === present?.version ? present : keep(spaceId, stored);
  }

  async function renewing(spaceId: number, error: unknown): Promise<unknown> {
    if (error instanceof ServiceError && error.reason === 'noTable') await renew(spaceId);
    return error;
  }

  async function select(spaceId: number, request: SelectRequest): Promise<SelectResult> {
    try {
      return await queries.select(spaceId, request);
    } catch (error) {
      throw await renewing(spaceId, error);
    }
  }

  const reading = { spaces: { definition: definitionOf, select }, dialect: sqliteLayout };

  return {
    async create(spaceId) {
      await writers.write(spaceId, { kind: 'create', highestIds: highestIds() });
    },
    copy: async (source, target) => copySpace({ folder, installation }, { source, target, highestIds: highestIds() }),
    definition: definitionOf,
    // Only this process changes definitions, and its own changes refresh them.
    refresh: definitionOf,
    async define(spaceId, change) {
      if (!lock.isHeld) await lock.take();
      retention.wrote(spaceId);
      const definition = await writers.write(spaceId, { kind: 'define', change });
      if (definition !== null) return keep(spaceId, definition);
      await renew(spaceId);
      return null;
    },
    rehearse: (spaceId, change, parts) => rehearse(reading, spaceId, change, parts),
    finishedJob: (spaceId, id) => finishedJob(reading, spaceId, id),
    async record(spaceId, statement, values) {
      try {
        return await records.record(spaceId, statement, values);
      } catch (error) {
        throw await renewing(spaceId, error);
      }
    },
    select,
    explain: (spaceId, bound) => explain(reading.spaces, spaceId, bound),
    size: (spaceId) => records.size(spaceId),
    sizes: (spaceId, names) => sizesOf(reading.spaces, spaceId, names),
    async write(spaceId, batch) {
      if (!lock.isHeld) await lock.take();
      retention.wrote(spaceId);
      const outcome = await writers.write(spaceId, { kind: 'batch', batch });
      if (outcome.kind === 'stale') await renew(spaceId);
      return outcome;
    },
  };
}

/**
 * Creates the target's file from one consistent state of the source, without its transaction history.
 * @throws ServiceError `internal`, also when the target already exists
 */
async function copySpace(data: CopyData, request: CopyRequest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<null>>();
  const thread = new Thread<CopyRequest, Answer<null>>(new URL('./copy-thread.ts', import.meta.url), data, {
    answered: resolve,
    crashed: reject,
  });
  thread.post(request);
  const answer = await promise;
  await thread.end();
  if ('failure' in answer) throw errorOf(answer.failure);
}

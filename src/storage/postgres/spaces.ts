/** The data spaces: each a schema, with its definition, its single records, its queries and its writes. */
import type { DataSpaces } from '../contract.ts';
import type { Retention } from '../retention.ts';
import type { Connections } from './connections.ts';
import { copySpace } from './copy.ts';
import type { Definitions } from './definitions.ts';
import { serviceError } from './failure.ts';
import { handedOut, makeSpace } from './installation.ts';
import type { Records } from './records.ts';
import { spaceSchema } from './schemas.ts';
import type { Queries } from './select.ts';
import type { Writers } from './writers.ts';

export interface SpacesOptions {
  readonly maintenance: Connections;
  readonly installation: string;
  readonly definitions: Definitions;
  readonly records: Records;
  readonly queries: Queries;
  readonly writers: Pick<Writers, 'write'>;
  readonly retention: Pick<Retention, 'wrote'>;
}

export function openSpaces(options: SpacesOptions): DataSpaces {
  const { maintenance, installation, definitions, records, queries, writers, retention } = options;
  return {
    async create(spaceId) {
      try {
        await makeSpace(maintenance, installation, spaceId, await handedOut(maintenance));
      } catch (error) {
        throw serviceError(error, `making data space ${spaceId}`);
      }
    },
    async copy(source, target) {
      // Brings the source to the newest layout, once it is known to be the right one.
      await definitions.refresh(source);
      await copySpace(maintenance, { source, target, installation });
    },
    definition: (spaceId) => definitions.definition(spaceId),
    refresh: (spaceId) => definitions.refresh(spaceId),
    define: (spaceId, change) => definitions.define(spaceId, change),
    record: (spaceId, statement, values) => records.record(spaceId, statement, values),
    select: (spaceId, request) => queries.select(spaceId, request),
    size: (spaceId) => sizeOf(maintenance, spaceId),
    async write(spaceId, batch) {
      retention.wrote(spaceId);
      const outcome = await writers.write(spaceId, batch);
      if (outcome.kind === 'stale') await definitions.refresh(spaceId);
      return outcome;
    },
  };
}

/** Tables with their indexes and what PostgreSQL keeps aside for long values. */
const sizeSql = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind = 'r'`;

async function sizeOf(connections: Connections, spaceId: number): Promise<number> {
  try {
    const { rows } = await connections.query({ text: sizeSql, values: [spaceSchema(spaceId)] });
    return Number(rows[0]?.[0]);
  } catch (error) {
    throw serviceError(error, `measuring data space ${spaceId}`);
  }
}

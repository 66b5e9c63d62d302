/** Opens a database at rest for examination (`storage/examine.ts`). The server ensures that stored data are intact. */
import type { Settings } from '../../config.ts';
import { storedName } from '../../schema/names.ts';
import type { ExaminedStorage } from '../examine.ts';
import { seqColumn } from '../layout.ts';
import { lastCommit } from './commit-counter.ts';
import { spaceSchemas } from './counters.ts';
import { readStored } from './definitions.ts';
import { postgresDialect } from './dialect.ts';
import { isUndefined } from './failure.ts';
import { counterSql } from './installation.ts';
import { layoutOf, newestLayout, spaceLayout } from './migrations.ts';
import { inStore, schemaOf, sqlIn } from './schemas.ts';
import { openAtRest } from './transfer.ts';

/** Larger tables are not read for their commit numbers, because that takes more than a second. Bytes. */
const readBytesMax = 512 * 1024 * 1024;

/** @throws Error when there are no data, or a service is using them */
export async function openExaminedDatabase(url: string, name: string, settings: Settings): Promise<ExaminedStorage> {
  const connections = await openAtRest(url, name, settings);
  return {
    spaces: async () => (await spaceSchemas(connections)).sort((one, other) => one - other),
    nameOf: schemaOf,
    async layout(store) {
      const present = await layoutOf(connections, store);
      return present === null ? null : { present, newest: newestLayout(store) };
    },
    /** Tables that the definition names. */
    async faults(store) {
      if (typeof store !== 'number' || (await layoutOf(connections, store)) !== spaceLayout) return [];
      const missing: string[] = [];
      for (const { name, ...table } of (await readStored(connections, store)).definition.catalogue.tables) {
        const { rows } = await connections.query({
          text: 'SELECT pg_catalog.to_regclass($1)',
          values: [inStore(postgresDialect.table(storedName({ name, ...table })), store)],
        });
        if (rows[0]?.[0] === null) missing.push(`Its table "${name}" is not there.`);
      }
      return missing;
    },
    async rows(store, sql) {
      return sqlIn(connections, store).run(sql);
    },
    async hasTable(store, table) {
      try {
        await connections.query({ text: `SELECT 1 FROM "${schemaOf(store)}"."${table}" LIMIT 1` });
        return true;
      } catch (error) {
        if (isUndefined(error)) return false;
        throw error;
      }
    },
    async commits(spaceId) {
      const { tables } = (await readStored(connections, spaceId)).definition.catalogue;
      const space = sqlIn(connections, spaceId);
      let highest = 0;
      const numbered = [['_tombstone', 'seq'], ...tables.map((table) => [storedName(table), seqColumn])] as const;
      for (const [name, column] of numbered) {
        const table = postgresDialect.table(name as string);
        const [size] = await space.run('SELECT pg_catalog.pg_relation_size($1::regclass)', [inStore(table, spaceId)]);
        if (Number(size?.[0]) > readBytesMax) continue;
        const [row] = await space.run(`SELECT max(${column}) FROM ${table}`);
        highest = Math.max(highest, Number(row?.[0] ?? 0));
      }
      return { last: Number((await space.run(lastCommit))[0]?.[0]), highest };
    },
    async lastId(table) {
      return Number((await connections.query({ text: `SELECT ${counterSql(table)}` })).rows[0]?.[0]);
    },
    close: () => connections.close(),
  };
}

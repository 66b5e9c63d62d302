/** Tampering with the databases of an installation at rest: swapped, restored, older; on the engine of the run. */
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { withClient } from '../../lab/machine/client.ts';
import { parseLocation } from '../../src/storage/location.ts';
import { directorySchema, logsSchema, spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { pathOf } from '../../src/storage/sqlite/folder.ts';
import type { Store } from '../../src/storage/transfer.ts';
import type { TestScratch } from '../engines/scratch.ts';

export type Tampering = ReturnType<typeof tampering>;

/**
 * The number of steps before the one that introduced identities. Later steps are taken again; if one can't be,
 * `toLayoutBefore` must also revert it.
 */
const layoutBefore = { directory: 5, logs: 2, space: 1 };

/** Columns of a data space that later steps added. */
const columnsLater = [
  ['_history', 'user_id'],
  ['_history', 'operations'],
  ['_table', 'lock_free'],
  ['_table', 'stored'],
  ['_column', 'stored'],
  ['_column', 'given'],
  ['_column', 'refers_to'],
] as const;
const undoLater = [
  ...columnsLater.map(([table, column]) => `ALTER TABLE ${table} DROP COLUMN ${column}; `),
  'DROP TABLE _bin; DROP TABLE _former_name; DROP TABLE _job; ',
].join('');

export function tampering({ settings }: Pick<TestScratch, 'settings'>) {
  const place = parseLocation(settings.storage);

  /** @param sql for both engines, one statement or several */
  async function run(store: Store, sql: string): Promise<Record<string, unknown>[]> {
    if (place.engine === 'sqlite') {
      const db = new DatabaseSync(pathOf(place.folder, store));
      try {
        if (/^select/i.test(sql))
          return db
            .prepare(sql)
            .all()
            .map((row) => ({ ...row }));
        db.exec(sql);
        return [];
      } finally {
        db.close();
      }
    }
    return withClient(place.url, async (client) => {
      await client.query(`SET search_path = "${schemaOf(store)}"`);
      return (await client.query(sql)).rows ?? [];
    });
  }

  return {
    run,
    async installation(): Promise<string> {
      return String((await run('directory', 'SELECT id FROM installation'))[0]?.id);
    },
    async swap(one: number, other: number): Promise<void> {
      if (place.engine === 'sqlite') {
        const [a, b] = [pathOf(place.folder, one), pathOf(place.folder, other)];
        for (const [from, to] of [
          [a, `${a}.aside`],
          [b, a],
          [`${a}.aside`, b],
        ] as const) {
          renameSync(from, to);
        }
        return;
      }
      const rename = (from: string, to: string) => run('directory', `ALTER SCHEMA "${from}" RENAME TO "${to}"`);
      await rename(spaceSchema(one), 'aside');
      await rename(spaceSchema(other), spaceSchema(one));
      await rename('aside', spaceSchema(other));
    },
    /** Makes the directory an older one: rows beyond these ids are gone, and the next ids follow them. */
    async rewind(lasts: Readonly<Record<string, number>>): Promise<void> {
      for (const [table, last] of Object.entries(lasts).reverse()) {
        const name = table === 'user' ? '"user"' : table;
        await run('directory', `DELETE FROM ${name} WHERE id > ${last}`);
        await run(
          'directory',
          place.engine === 'sqlite'
            ? `UPDATE sqlite_sequence SET seq = ${last} WHERE name = '${table}'`
            : `SELECT setval('${directorySchema}.${table}_id_seq', ${last + 1}, false)`,
        );
      }
    },
    /** Reverts the stores to the layout before identities. */
    async toLayoutBefore(stores: readonly Store[]): Promise<void> {
      for (const store of stores) {
        const layout = layoutBefore[typeof store === 'number' ? 'space' : store];
        const trigger =
          store !== 'logs'
            ? ''
            : place.engine === 'sqlite'
              ? 'DROP TRIGGER entry_is_seen; '
              : 'DROP FUNCTION _see_entry() CASCADE; ';
        const tables =
          store === 'directory'
            ? 'ALTER TABLE application DROP COLUMN record_access; DROP TABLE record_intent; DROP TABLE running_job; DROP TABLE installation; DROP TABLE secret_key'
            : `${trigger}${store === 'logs' ? 'DROP TABLE service_step; DROP TABLE version_join; ' : ''}DROP TABLE _identity`;
        const counter = place.engine === 'postgres' ? 'DROP TABLE _counter; ' : '';
        const later = typeof store === 'number' ? `${counter}${undoLater}` : '';
        const note =
          place.engine === 'sqlite' ? `PRAGMA user_version = ${layout}` : `UPDATE _version SET layout = ${layout}`;
        // One by one, because a cluster does not accept several statements at once.
        for (const statement of `${later}${tables}; ${note}`.split('; ')) await run(store, statement);
      }
    },
  };
}

function schemaOf(store: Store): string {
  if (typeof store === 'number') return spaceSchema(store);
  return store === 'logs' ? logsSchema : directorySchema;
}

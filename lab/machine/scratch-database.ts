/** Fresh databases of a PostgreSQL server, for whoever needs one that is empty and its own, and everything that one holds. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withClient } from './client.ts';
import { clusterOf, dropOnNodes, makeOnNodes } from './cluster.ts';

export interface ScratchDatabase {
  readonly url: string;
  /** Every row of every table, as text. */
  contents(): Promise<string>;
  /** Ends the connections that are left, too. */
  remove(): Promise<void>;
}

/**
 * @param server the address of a database from which others may be made; on a cluster (`clusterOf`), each is made on all nodes
 * @param template address of one to copy, which nobody may be connected to
 * @param locale of the C library, or of ICU with `icu:` before it; the server's own where none is given
 */
export async function makeDatabase(
  server: string,
  template?: string,
  locale = process.env.ROWHOUSE_TEST_DATABASE_LOCALE,
): Promise<ScratchDatabase> {
  const name = `scratch_${randomBytes(8).toString('hex')}`;
  const url = new URL(`/${name}`, server).href;
  const source = template === undefined ? undefined : new URL(template).pathname.slice(1);
  const cluster = clusterOf(server);
  if (cluster === null) {
    const from = source === undefined ? inLocale(locale) : `TEMPLATE ${source}`;
    await withClient(server, (client) => client.query(`CREATE DATABASE ${name} ${from} STRATEGY FILE_COPY`));
  } else {
    await makeOnNodes(cluster, name, source);
  }
  return {
    url,
    contents: () => withClient(url, contentsOf),
    async remove() {
      if (cluster !== null) return dropOnNodes(cluster.nodes, name);
      await withClient(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

function inLocale(locale: string | undefined): string {
  if (locale === undefined) return '';
  if (!/^[\w:.@-]+$/.test(locale)) throw new Error(`Expected a locale such as C.UTF-8 or icu:de-DE, got "${locale}".`);
  if (!locale.startsWith('icu:')) return `TEMPLATE template0 LOCALE '${locale}'`;
  return `TEMPLATE template0 LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE '${locale.slice('icu:'.length)}'`;
}

async function contentsOf(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname <> 'information_schema' AND schemaname NOT LIKE 'pg\\_%' ORDER BY 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(`SELECT one::text AS text FROM ${name} AS one`);
    texts.push(name, ...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

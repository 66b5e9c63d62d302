/** Fresh, private databases on a PostgreSQL server, and their complete contents. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withClient } from './client.ts';
import { clusterOf, dropOnNodes, makeOnNodes } from './cluster.ts';

export interface ScratchDatabase {
  readonly url: string;
  /** Every row of every table, as text. */
  contents(): Promise<string>;
  /** Also ends remaining connections. */
  remove(): Promise<void>;
}

/**
 * @param server the address of a database from which others may be created; on a cluster (`clusterOf`), each is created
 * on all nodes
 * @param template address of one to copy, without connections to it
 * @param locale of the C library, or of ICU with the prefix `icu:`; the server's own by default
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

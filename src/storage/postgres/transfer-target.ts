/** Writes a database for a move. Nothing else may use the database until the move has ended. */
import type { Table } from '../../schema/model.ts';
import { completeTable, readDefinition } from '../catalogue.ts';
import { createTable } from '../layout.ts';
import type { Sequences, SpaceState, Store, TransferRow } from '../transfer.ts';
import type { TransferTable } from '../transfer-tables.ts';
import type { Connection, Connections, Sql } from './connections.ts';
import { postgresLayout as layout } from './dialect.ts';
import { handedOut, installationIn, makeSpace, settleLogs } from './installation.ts';
import { migrate } from './migrations.ts';
import { sqlIn } from './schemas.ts';
import { tableIn } from './transfer-reader.ts';

export class DatabaseWriter {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async makeStore(store: Store): Promise<void> {
    if (typeof store === 'number') {
      // The records that are to come have seen any of the ids.
      const ids = await handedOut(this.#connections);
      return makeSpace(this.#connections, await installationIn(this.#connections), store, ids, true);
    }
    await migrate(this.#connections, store);
    if (store === 'logs') return settleLogs(this.#connections, await installationIn(this.#connections));
    // Roles that every directory begins with come with the others.
    const [role, company] = [tableIn(store, 'role'), tableIn(store, 'company')];
    await this.#run(`DELETE FROM ${role} WHERE NOT EXISTS (SELECT FROM ${company})`);
  }

  async makeTable(spaceId: number, table: Table): Promise<boolean> {
    const space = sqlIn(this.#connections, spaceId);
    const definition = await space.execute(readDefinition(layout));
    if (definition.tables.has(table.name)) return false;
    const begun = await this.#run('SELECT pg_catalog.to_regclass($1)', tableIn(spaceId, table.name));
    if (begun.rows[0]?.[0] !== null) return true;
    await space.run(createTable(layout, table));
    return true;
  }

  async lastKey(store: Store, table: TransferTable): Promise<TransferRow | null> {
    const columns = table.key.map(layout.column);
    const order = columns.map((column) => `${column} DESC`);
    const { rows } = await this.#run(
      `SELECT ${columns.join(', ')} FROM ${tableIn(store, table.name)} ORDER BY ${order.join(', ')} LIMIT 1`,
    );
    return rows[0] ?? null;
  }

  async write(store: Store, table: TransferTable, rows: readonly TransferRow[]): Promise<void> {
    await this.#connections.query(insertion(store, table, rows));
  }

  async completeTable(spaceId: number, table: Table): Promise<void> {
    await this.#connections.transaction('read committed', (connection) =>
      sqlIn(connection, spaceId).execute(completeTable(layout, table)),
    );
    await sqlIn(this.#connections, spaceId).run(`ANALYZE ${layout.table(table.name)}`);
  }

  async completeSpace(spaceId: number, { definition, nextTableId }: SpaceState): Promise<void> {
    await sqlIn(this.#connections, spaceId).run('UPDATE "~"._space SET definition_version = $1, next_table_id = $2', [
      String(definition.version),
      String(nextTableId),
    ]);
  }

  async setSequences(store: 'directory' | 'logs', sequences: Sequences): Promise<void> {
    await this.#connections.transaction('read committed', async (connection) => {
      for (const [name, last] of sequences) if (last > 0) await setSequence(connection, tableIn(store, name), last);
    });
  }

  #run(text: string, ...values: string[]) {
    return this.#connections.query({ text, values });
  }
}

async function setSequence(connection: Connection, table: string, last: number): Promise<void> {
  await connection.query({
    text: "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence($1, 'id')::regclass, $2::bigint)",
    values: [table, String(last)],
  });
}

/**
 * COPY, which takes a quarter of the time of an INSERT out of arrays. Rows that are there already can't come again,
 * because a move goes on after the last one.
 */
function insertion(store: Store, table: TransferTable, rows: readonly TransferRow[]): Sql {
  const columns = table.columns.map(({ name }) => layout.column(name));
  // Whose batch a row of the history was is only of interest while it is on its way (`history.ts`).
  const isHistory = table.name === '_history';
  if (isHistory) columns.push('attempt');
  const end = isHistory ? '\t\n' : '\n';
  return {
    text: `COPY ${tableIn(store, table.name)} (${columns.join(', ')}) FROM STDIN`,
    copied: rows.map((row) => row.map(copiedCell).join('\t') + end).join(''),
  };
}

const special = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** https://www.postgresql.org/docs/current/sql-copy.html, "Text Format" */
function copiedCell(cell: string | null): string {
  if (cell === null) return '\\N';
  return cell.replace(special, (character) => escapes[character] as string);
}

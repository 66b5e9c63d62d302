/**
 * Reads and writes a database for a move: rows in the order of their key, as wire text, and data outside tables.
 * Nothing else may use the target database until the move has ended.
 */
import { zoneOf } from '../../schema/time.ts';
import { sameIdentity, wrongIdentity } from '../identity.ts';
import {
  batchLengthMax,
  batchRowsMax,
  type RowsRequest,
  type Sequences,
  type SpaceState,
  type Store,
  type TransferReader,
  type TransferRow,
} from '../transfer.ts';
import { directoryTables, logTable, type TransferTable } from '../transfer-tables.ts';
import { countRows, removeBuiltInRoles, rowsStep } from '../transfer-work.ts';
import { lastCommit } from './commit-counter.ts';
import type { Connection, Connections, Sql, TextRow } from './connections.ts';
import { readStored } from './definitions.ts';
import { postgresDialect, postgresLayout } from './dialect.ts';
import { isUndefined } from './failure.ts';
import { handedOut, installationIn, makeSpace, settleLogs } from './installation.ts';
import { migrate } from './migrations.ts';
import { wireTextOf } from './rows.ts';
import { inStore, schemaOf, sqlIn } from './schemas.ts';

const utc = zoneOf('UTC');

/** Rows of the first fetch; each fetch doubles it while a batch still holds all of them. */
const rowsFirst = 64;

/** Reads in a transaction that shows one state. */
export class DatabaseReader implements TransferReader {
  readonly #connection: Connection;
  #cursors = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Uses a cursor, which moves back over the rows that do not fit into a batch. */
  async *rows(request: RowsRequest): AsyncGenerator<readonly TransferRow[]> {
    const { sql, values } = rowsStep(postgresLayout, request);
    const cursor = `move_${++this.#cursors}`;
    const declare = `DECLARE ${cursor} SCROLL CURSOR FOR ${sql}`;
    await sqlIn(this.#connection, request.store).run(declare, values as readonly (string | null)[]);
    const cells = request.table.columns.map(({ type }) => wireTextOf(type, utc));
    const wire = (row: TextRow): TransferRow =>
      row.map((raw, index) => (raw === null ? null : (cells[index]?.(raw) ?? raw)));
    let asked = rowsFirst;
    for (;;) {
      const batch: TransferRow[] = [];
      let came = 0;
      let length = 0;
      await this.#connection.query({ text: `FETCH FORWARD ${asked} FROM ${cursor}` }, (fields) => {
        const row = fields as TextRow;
        came++;
        if (length >= batchLengthMax) return;
        for (const cell of row) length += cell?.length ?? 0;
        batch.push(wire(row));
      });
      if (batch.length > 0) yield batch;
      const left = came - batch.length;
      const isAtEnd = came < asked;
      if (left === 0 && isAtEnd) break;
      // A cursor at its end is positioned behind the last row.
      if (left > 0) await this.#connection.query({ text: `MOVE BACKWARD ${isAtEnd ? left + 1 : left} FROM ${cursor}` });
      asked = left > 0 ? batch.length + 1 : Math.min(batchRowsMax, asked * 2);
    }
    await this.#connection.query({ text: `CLOSE ${cursor}` });
  }

  count(request: RowsRequest): Promise<number> {
    return sqlIn(this.#connection, request.store).execute(countRows(postgresLayout, request));
  }

  async sequences(store: 'directory' | 'logs'): Promise<Sequences> {
    const last = new Map<string, number>();
    for (const { name, isNumbered } of store === 'logs' ? [logTable] : directoryTables) {
      if (!isNumbered) continue;
      const { rows } = await this.#connection.query({
        text: `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${await this.#sequence(store, name)}`,
      });
      last.set(name, Number(rows[0]?.[0]));
    }
    return last;
  }

  async space(spaceId: number): Promise<SpaceState> {
    try {
      const { definition, identity } = await readStored(this.#connection, spaceId);
      const expected = { installation: await installationIn(this.#connection), spaceId };
      if (identity === null || !sameIdentity(identity, expected)) {
        throw new Error(`${schemaOf(spaceId)}: ${wrongIdentity(identity, expected).message}`);
      }
      const [row] = await sqlIn(this.#connection, spaceId).run(lastCommit);
      return { definition, lastCommit: Number(row?.[0]) };
    } catch (error) {
      if (isUndefined(error)) throw new Error(`The schema ${schemaOf(spaceId)} is not there.`, { cause: error });
      throw error;
    }
  }

  async #sequence(store: Store, table: string): Promise<string> {
    const { rows } = await this.#connection.query({
      text: 'SELECT pg_catalog.pg_get_serial_sequence($1, $2)',
      values: [tableIn(store, table), 'id'],
    });
    return rows[0]?.[0] as string;
  }
}

/** A table in its schema. */
function tableIn(store: Store, name: string): string {
  return inStore(postgresDialect.table(name), store);
}

export class DatabaseWriter {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async makeStore(store: Store): Promise<void> {
    if (typeof store === 'number') {
      // The records to be written may refer to any of the ids.
      const ids = await handedOut(this.#connections);
      return makeSpace(this.#connections, await installationIn(this.#connections), store, ids, true);
    }
    await migrate(this.#connections, store);
    if (store === 'logs') return settleLogs(this.#connections, await installationIn(this.#connections));
    await sqlIn(this.#connections, store).execute(removeBuiltInRoles(postgresLayout));
  }

  async write(store: Store, table: TransferTable, rows: readonly TransferRow[]): Promise<void> {
    await this.#connections.query(insertion(store, table, rows));
  }

  async setSequences(store: 'directory' | 'logs', sequences: Sequences): Promise<void> {
    await this.#connections.transaction('read committed', async (connection) => {
      for (const [name, last] of sequences) if (last > 0) await setSequence(connection, tableIn(store, name), last);
    });
  }
}

async function setSequence(connection: Connection, table: string, last: number): Promise<void> {
  await connection.query({
    text: "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence($1, 'id')::regclass, $2::bigint)",
    values: [table, String(last)],
  });
}

/**
 * COPY takes a quarter of the time of an INSERT from arrays. Existing rows are never sent again, because a move
 * continues after the last one.
 */
function insertion(store: Store, table: TransferTable, rows: readonly TransferRow[]): Sql {
  const columns = table.columns.map(({ name }) => postgresDialect.column(name));
  // Which batch wrote a history row only matters while the batch is under way (`history.ts`).
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

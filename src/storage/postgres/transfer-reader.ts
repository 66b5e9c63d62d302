/** Reads a database for a move: rows in the order of their key, as wire text, and what is no table's row. */
import type { ColumnType } from '../../schema/model.ts';
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
import { directoryTables, fromSql, logTable, type TransferSql } from '../transfer-tables.ts';
import type { Connection, TextRow } from './connections.ts';
import { readStored } from './definitions.ts';
import { postgresDialect } from './dialect.ts';
import { isUndefined } from './failure.ts';
import { installationIn } from './installation.ts';
import { schemaOf } from './migrations.ts';
import { wireTextOf } from './rows.ts';

const utc = zoneOf('UTC');

/** How many rows are asked for at first; twice as many each time, as long as a batch has room for all of them. */
const rowsFirst = 64;

/** In a transaction that shows one state. */
export class DatabaseReader implements TransferReader {
  readonly #connection: Connection;
  #cursors = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** By a cursor, which steps back over the rows that a batch has no room for. */
  async *rows({ store, table, filter, after }: RowsRequest): AsyncGenerator<readonly TransferRow[]> {
    const { sql, values } = writtenFor(store);
    const columns = table.columns.map(({ name }) => postgresDialect.column(name));
    const order = table.key.map((name) => postgresDialect.column(name));
    const cursor = `move_${++this.#cursors}`;
    await this.#connection.query({
      text: `DECLARE ${cursor} SCROLL CURSOR FOR SELECT ${columns.join(', ')} ${fromSql(sql, table, filter, after)}
        ORDER BY ${order.join(', ')}`,
      values,
    });
    const cells = table.columns.map(({ type }) => wireTextOf(type, utc));
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
      // A cursor at its end stands behind the last row.
      if (left > 0) await this.#connection.query({ text: `MOVE BACKWARD ${isAtEnd ? left + 1 : left} FROM ${cursor}` });
      asked = left > 0 ? batch.length + 1 : Math.min(batchRowsMax, asked * 2);
    }
    await this.#connection.query({ text: `CLOSE ${cursor}` });
  }

  async count({ store, table, filter, after }: RowsRequest): Promise<number> {
    const { sql, values } = writtenFor(store);
    const { rows } = await this.#connection.query({
      text: `SELECT count(*) ${fromSql(sql, table, filter, after)}`,
      values,
    });
    return Number(rows[0]?.[0]);
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
      const { rows } = await this.#connection.query({
        text: `SELECT next_table_id FROM "${schemaOf(spaceId)}"._space`,
      });
      return { definition, nextTableId: Number(rows[0]?.[0]) };
    } catch (error) {
      if (isUndefined(error)) throw new Error(`The schema ${schemaOf(spaceId)} is not there.`, { cause: error });
      throw error;
    }
  }

  /** Every commit that this state shows has a lower number than those that are still to come. */
  async lastCommit(): Promise<number> {
    const { rows } = await this.#connection.query({
      text: 'SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint - 1',
    });
    return Number(rows[0]?.[0]);
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
export function tableIn(store: Store, name: string): string {
  return postgresDialect.table(name).replace('"~".', `"${schemaOf(store)}".`);
}

/** How SQL is written for `fromSql`, and the values that it is given, in their order. */
function writtenFor(store: Store): { sql: TransferSql; values: string[] } {
  const values: string[] = [];
  const bind = (value: string, type: ColumnType) =>
    `$${values.push(value)}::${type.kind === 'long' ? 'bigint' : 'text'}`;
  return { sql: { table: (name) => tableIn(store, name), column: postgresDialect.column, bind }, values };
}

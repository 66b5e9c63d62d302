/** Which statements the connections keep prepared: those that come often. A server keeps each one for a connection's life. */
import type { Statement } from '../../query/statement.ts';
import { Lru } from '../lru.ts';
import type { Sql } from './connections.ts';
import { sqlState } from './failure.ts';
import { inSpace } from './schemas.ts';

/** A statement that is used again after this many times has a name. */
const usesBeforeName = 2;

/** A statement longer than this is not kept, nor is its text; there is hardly a second one like it. */
const keptSqlMax = 16 * 1024;

interface Kept {
  readonly text: string;
  uses: number;
  name: string | null;
}

let lastName = 0;

export class NamedStatements {
  readonly #kept: Lru<string, Kept>;

  /**
   * @param preparedMax how many names a connection has in its life; so few are in use at once that they are not all
   *   taken by statements that take turns
   */
  constructor(preparedMax: number) {
    this.#kept = new Lru(Math.ceil(preparedMax / 2));
  }

  /** The statement for a data space, as it is sent, to be read row by row. */
  sql(spaceId: number, { id, sql }: Pick<Statement, 'id' | 'sql'>, values: readonly (string | null)[]): Sql {
    if (sql.length > keptSqlMax) return { text: inSpace(sql, spaceId), values, takesPieces: true };
    const key = `${spaceId}.${id}`;
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { text: inSpace(sql, spaceId), uses: 0, name: null };
      this.#kept.set(key, kept);
    }
    if (kept.name === null && kept.uses++ >= usesBeforeName) kept.name = `read_${++lastName}`;
    const { text, name } = kept;
    return { text, values, takesPieces: true, ...(name === null ? {} : { name }) };
  }

  /**
   * Runs what sends statements from here; once more with statements of new names when a table was made anew under one
   * that is prepared.
   */
  async retrying<R>(spaceId: number, statements: readonly Pick<Statement, 'id'>[], send: () => Promise<R>): Promise<R> {
    try {
      return await send();
    } catch (error) {
      if (sqlState(error) !== '0A000') throw error;
      for (const { id } of statements) this.#kept.delete(`${spaceId}.${id}`);
      return send();
    }
  }
}

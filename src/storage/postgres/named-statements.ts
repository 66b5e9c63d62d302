/**
 * Selects the statements that connections keep prepared: the frequent ones. A server keeps each for a connection's
 * life.
 */
import type { Statement } from '../../query/statement.ts';
import { StatementCache } from '../lru.ts';
import type { Field, SentValue, Sql } from './connections.ts';
import { inStore } from './schemas.ts';

/** A statement that is used again after this many times has a name, under which the server plans it once. */
const usesBeforeName = 2;

let lastName = 0;

export class NamedStatement {
  readonly #text: string;
  readonly #prefix: string;
  readonly #takesPieces: boolean;
  #uses = 0;
  #name: string | undefined;
  /** Of its rows, once they were asked for. */
  fields: readonly Field[] | null = null;

  /**
   * @param prefix of its name, which also stands in the server's log
   * @param takesPieces as in `Sql`
   */
  constructor(text: string, prefix: string, takesPieces = false) {
    this.#text = text;
    this.#prefix = prefix;
    this.#takesPieces = takesPieces;
  }

  with(values: readonly SentValue[]): Sql {
    if (this.#name === undefined && this.#uses++ >= usesBeforeName) this.#name = `${this.#prefix}_${++lastName}`;
    const [text, takesPieces] = [this.#text, this.#takesPieces];
    return this.#name === undefined ? { text, values, takesPieces } : { text, values, takesPieces, name: this.#name };
  }
}

export type Read = Pick<Statement, 'id' | 'sql'> & Partial<Pick<Statement, 'outputs' | 'rows'>>;

/** Whether json is answered as it is: pieces would come as JSON strings. */
function isTypedJson({ rows, outputs = [] }: Read): boolean {
  return rows?.typed === true && outputs.some(({ columns }) => columns.some(({ type }) => type.kind === 'json'));
}

/** The statements that read data spaces. */
export class NamedStatements {
  readonly #kept: StatementCache<string, NamedStatement>;

  /**
   * @param preparedMax how many names a connection may use in its life; half as many statements keep theirs, so that
   * statements that take turns don't use up all names
   */
  constructor(preparedMax: number) {
    this.#kept = new StatementCache(Math.ceil(preparedMax / 2), (text) => new NamedStatement(text, 'read', true));
  }

  /**
   * The statement for a data space, as it is sent, to be read row by row.
   * @param textIn names the tables of the data space in SQL of the dialect
   */
  sql(
    spaceId: number,
    statement: Read,
    values: readonly (string | null)[],
    textIn: (sql: string, spaceId: number) => string = inStore,
  ): Sql {
    const key = `${spaceId}.${statement.id}`;
    const made = (this.#kept.get(key) ?? this.#kept.add(key, textIn(statement.sql, spaceId))).with(values);
    return isTypedJson(statement) ? { ...made, takesPieces: false } : made;
  }

  /** Their next use has other names, and texts that are made anew. */
  forget(spaceId: number, statements: readonly Pick<Statement, 'id'>[]): void {
    for (const { id } of statements) this.#kept.forget(`${spaceId}.${id}`);
  }
}

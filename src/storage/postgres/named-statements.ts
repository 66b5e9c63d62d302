/**
 * Selects the statements that connections keep prepared: the frequent ones. A server keeps each until the connection
 * ends.
 */
import type { Statement } from '../../query/statement.ts';
import { StatementCache } from '../lru.ts';
import type { Field, SentValue, Sql } from './connections.ts';
import { inStore } from './schemas.ts';

/** A statement used more often than this gets a name, under which the server plans it once. */
const usesBeforeName = 2;

let lastName = 0;

export class NamedStatement {
  readonly #text: string;
  readonly #prefix: string;
  readonly #takesPieces: boolean;
  #uses = 0;
  #name: string | undefined;
  /** The fields of its rows, once requested. */
  fields: readonly Field[] | null = null;

  /**
   * @param prefix of its name, which also appears in the server's log
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

/** Whether json is returned unchanged; pieces would arrive as JSON strings. */
function isTypedJson({ rows, outputs = [] }: Read): boolean {
  return rows?.typed === true && outputs.some(({ columns }) => columns.some(({ type }) => type.kind === 'json'));
}

/** The statements that read data spaces. */
export class NamedStatements {
  readonly #kept: StatementCache<string, NamedStatement>;

  /**
   * @param preparedMax how many names a connection may use in its life; half as many statements keep theirs, so that
   * alternating statements don't use up all names
   */
  constructor(preparedMax: number) {
    this.#kept = new StatementCache(Math.ceil(preparedMax / 2), (text) => new NamedStatement(text, 'read', true));
  }

  /**
   * The statement for a data space in the form to send, to be read row by row.
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

  /** Their next use gets new names and newly made texts. */
  forget(spaceId: number, statements: readonly Pick<Statement, 'id'>[]): void {
    for (const { id } of statements) this.#kept.forget(`${spaceId}.${id}`);
  }
}

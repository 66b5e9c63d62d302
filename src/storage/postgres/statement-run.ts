/**
 * Runs one statement through the extended query protocol: text in, the text of the rows out, without conversion. The
 * driver's own query requests the columns' types each time and parses values; neither is needed here.
 */

import type { Submittable } from 'pg';
import type { Incoming, Row, TextRow } from './incoming.ts';

export type { Row, TextRow } from './incoming.ts';

/** What is sent for a placeholder: text, or PostgreSQL's binary form of the value. */
export type SentValue = string | Buffer | null;

export interface Sql {
  readonly text: string;
  readonly values?: readonly SentValue[];
  /** Prepared under this name; without one, not prepared. A name always has the same text. */
  readonly name?: string;
  /** Whether to request the columns of the rows, which is needed only once. */
  readonly isDescribed?: boolean;
  /** The data for `COPY … FROM STDIN`, in text format. */
  readonly copied?: string;
  /** Whether large texts are passed to `OnRow` as JSON text, which is made while they arrive. */
  readonly takesPieces?: boolean;
}

export interface Field {
  readonly name: string;
  /** PostgreSQL's number of its type. */
  readonly type: number;
}

/** The further rows of a statement. */
export interface RowFlow {
  /** No further packet is read until `release`; rows of the current one still arrive. */
  hold(): void;
  release(): void;
  /**
   * Ends the statement, whose promise rejects with the error; the connection is destroyed. Does nothing after the end.
   */
  stop(error: unknown): void;
}

/** Receives one row. @param flow of the following rows */
export type OnRow = (row: Row, flow: RowFlow) => void;

export interface Result {
  readonly rows: readonly TextRow[];
  /** Number of rows inserted, updated or deleted. */
  readonly changed: number;
  /** The fields of the rows, if requested; empty for a statement without rows. */
  readonly fields: readonly Field[];
}

export interface RunResult extends Result {
  /** The command's tag, "INSERT 0 5". */
  readonly command: string;
}

/** Members of the driver's connection that its type declarations omit or get wrong. */
interface Wire {
  /** Text of the named statements that the server has parsed, which the driver keeps. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly SentValue[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Calls back exactly once. The methods are the driver's events for the statement under way. */
export class StatementRun implements Submittable, RowFlow {
  /** The driver stores `text` as parsed under `name` once the server confirms it. */
  readonly name: string;
  readonly text: string;
  readonly #values: readonly SentValue[];
  readonly #isDescribed: boolean;
  readonly #copied: string;
  readonly #takesPieces: boolean;
  readonly #incoming: Incoming;
  readonly #onRow: OnRow | undefined;
  readonly #done: (error: unknown, result: RunResult | null) => void;
  readonly #rows: TextRow[] = [];
  #fields: readonly Field[] = [];
  #command = '';
  #isDone = false;

  /** @param incoming of the connection that runs the statement */
  constructor(
    { text, values, name, isDescribed = false, copied = '', takesPieces = false }: Sql,
    incoming: Incoming,
    onRow: OnRow | undefined,
    done: (error: unknown, result: RunResult | null) => void,
  ) {
    this.text = text;
    this.name = name ?? '';
    this.#values = values ?? [];
    this.#isDescribed = isDescribed;
    this.#copied = copied;
    this.#takesPieces = takesPieces;
    this.#incoming = incoming;
    this.#onRow = onRow;
    this.#done = done;
  }

  submit = (connection: unknown): null => {
    const wire = connection as Wire;
    this.#incoming.takesPieces = this.#takesPieces;
    // Combines all messages into one write; otherwise each would be a system call and a packet.
    wire.stream.cork();
    if (this.name === '' || wire.parsedStatements[this.name] === undefined) {
      wire.parse({ name: this.name, text: this.text });
    }
    wire.bind({ statement: this.name, values: this.#values });
    if (this.#isDescribed) wire.describe({ type: 'P', name: '' });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
    return null;
  };

  handleDataRow({ fields }: { fields: TextRow }): void {
    if (this.#isDone) return;
    if (this.#onRow === undefined) {
      this.#rows.push(fields);
      return;
    }
    try {
      this.#onRow(fields, this);
    } catch (error) {
      this.stop(error);
    }
  }

  hold(): void {
    if (!this.#isDone) this.#incoming.hold();
  }

  release(): void {
    if (!this.#isDone) this.#incoming.release();
  }

  stop(error: unknown): void {
    this.handleError(new StoppedByReader(error));
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#command = text;
  }

  handleReadyForQuery(): void {
    if (this.#isDone) return;
    this.#end();
    // "INSERT 0 5", "UPDATE 5", "SELECT 5"; a SELECT changes nothing.
    const counted = this.#command.startsWith('SELECT') ? undefined : / (\d+)$/.exec(this.#command)?.[1];
    const changed = Number(counted ?? 0);
    this.#done(null, { rows: this.#rows, changed, fields: this.#fields, command: this.#command });
  }

  handleError(error: unknown): void {
    if (this.#isDone) return;
    this.#end();
    this.#done(error, null);
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#fields = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }

  handleCopyInResponse(connection: unknown): void {
    const wire = connection as Wire;
    wire.sendCopyFromChunk(Buffer.from(this.#copied));
    wire.endCopyFrom();
    // The server ignored the one sent with the statement, because it was waiting for this data.
    wire.sync();
  }

  /** No statement is empty. */
  handleEmptyQuery(): void {}

  #end(): void {
    this.release();
    this.#isDone = true;
  }
}

/** The receiver of the rows threw, so the remaining rows are not wanted. */
export class StoppedByReader extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('The rest of the rows is not wanted.');
    this.thrown = thrown;
  }
}

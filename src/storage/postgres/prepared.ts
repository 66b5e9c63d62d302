/** A statement that is sent again and again: after a few times under a name, so that the server plans it once. */
import type { Sql } from './connections.ts';
import { inSpace } from './schemas.ts';

/** A server keeps what it was asked to prepare for the life of the connection, so only what comes often is worth it. */
const usesBeforePreparing = 2;

let names = 0;

export class Prepared {
  readonly #text: string;
  #uses = 0;
  #name: string | undefined;

  /** @param sql with `"~".` for the schema of the data space */
  constructor(sql: string, spaceId: number) {
    this.#text = inSpace(sql, spaceId);
  }

  with(values: readonly (string | null)[]): Sql {
    if (this.#name === undefined && this.#uses++ >= usesBeforePreparing) this.#name = `write_${++names}`;
    return this.#name === undefined ? { text: this.#text, values } : { text: this.#text, values, name: this.#name };
  }
}

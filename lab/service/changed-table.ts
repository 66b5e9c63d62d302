/** The table that `table-changes.ts` changes, over HTTP. */
import type { Running } from './process.ts';
import type { Space } from './spaces.ts';
import type { Kind } from './table-changes.ts';

export interface Schemas {
  readonly revision: number;
  readonly results: readonly { readonly name: string }[];
}

const usualName = 'Changed';
const addedAtOnce = 1_000;

export class ChangedTable {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  /** Defines the table and adds its records. @param progress called with the number of records so far */
  async fill(running: Running, rows: number, progress: (filled: number) => void = () => {}): Promise<void> {
    const columns = [
      { colName: 'n', type: 'integer' },
      { colName: 's', type: 'varchar', fieldLength: 40 },
    ];
    await this.ask(running, 'schemas', { tables: [{ name: usualName, columns }] });
    for (let from = 0; from < rows; from += addedAtOnce) {
      const data = Array.from({ length: Math.min(addedAtOnce, rows - from) }, (_, at) => {
        const n = from + at;
        return { objectId: `r${n}`, n, s: `text ${n}`, scopeType: '3' };
      });
      await this.ask(running, 'data/batch/addData', { objectName: usualName, data });
      progress(from + data.length);
    }
  }

  async schemas(running: Running): Promise<Schemas> {
    return (await this.ask(running, 'schemas')) as unknown as Schemas;
  }

  /** The body of the request that makes or reverses a change. @param schemas on which it is based */
  async request(running: Running, [, there, back]: Kind, isBack: boolean, schemas: Schemas) {
    const { results } = await this.ask(running, 'schemas/bin');
    const binId = (results as { id: number }[]).at(-1)?.id ?? 0;
    const changes = (isBack ? back : there)(tableIn(schemas) ?? usualName, binId);
    return { revision: schemas.revision, changes };
  }

  /** Sends a POST request if there is a body, otherwise a GET request. @throws Error for any answer but success */
  async ask({ url }: Running, path: string, body?: object): Promise<Record<string, unknown>> {
    const { prefix, token } = this.#space;
    const headers = { 'service-token': token, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${url}${prefix}/${path}`, { ...init, headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: HTTP ${answer.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}

/** The name of the table, which one of the changes renames; undefined while it is in the bin. */
export function tableIn({ results }: Schemas): string | undefined {
  return results.find(({ name }) => name === usualName || name === 'Renamed')?.name;
}

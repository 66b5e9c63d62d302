/** A normal client of another company: gets a record, queries a page and adds a record, repeatedly. */
import { Connection, Lost } from '../../client/connection.ts';
import { httpRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';
import { batch } from './attacks.ts';
import { query, tableName } from './query-attacks.ts';

const timeoutMs = 60_000;
const connections = 2;

export const works = ['get', 'page', 'add'] as const;
export type Work = (typeof works)[number];

export interface Served {
  /** Milliseconds of each answer. */
  readonly times: Readonly<Record<Work, number[]>>;
  readonly busy: number;
  readonly faults: readonly string[];
}

export async function beServed(
  port: number,
  space: Space,
  records: readonly string[],
  isOver: () => boolean,
): Promise<Served> {
  const times: Record<Work, number[]> = { get: [], page: [], add: [] };
  const faults: string[] = [];
  let busy = 0;
  const work = async () => {
    const connection = new Connection(port);
    const ask = async (kind: Work, round: number) => {
      const begin = performance.now();
      const { status, body } = await connection.exchange(requestOf(space, kind, records, round), timeoutMs);
      times[kind].push(performance.now() - begin);
      if (status === 503) busy++;
      else if (status !== 200) faults.push(`${kind}: ${status} ${body.slice(0, 300)}`);
    };
    try {
      for (let round = 0; !isOver(); round++) for (const kind of works) await ask(kind, round);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      faults.push(`The neighbour was not answered: ${error.message}.`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { times, busy, faults };
}

function requestOf(space: Space, work: Work, records: readonly string[], round: number): Buffer {
  switch (work) {
    case 'get': {
      const id = records[round % records.length] as string;
      return Buffer.from(httpRequest('GET', `${space.prefix}/data/${tableName}/${id}`, space.token));
    }
    case 'page': {
      const offset = String((round * 20) % records.length);
      return query(space, { orderBy: [{ column: '#t.rank', type: 'ASC' }], range: { offset, limit: '20' } });
    }
    case 'add':
      return batch(space, `{"label":"new","rank":"${1_000_000 + round}"}`);
  }
}

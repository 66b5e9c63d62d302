/** The table, its rows and the requests of `npm run bench:floors`. */
import { postJson } from '../../client/messages.ts';
import type { Space } from '../asks.ts';

export const workNames = ['get', 'page', 'count', 'add'] as const;
export type WorkName = (typeof workNames)[number];

/** The number of distinct amounts, each in equally many rows. */
export const amounts = 100;

const table = {
  name: 'task',
  primary_key: 'objectId',
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 200 },
    { colName: 'amount', type: 'integer' },
    { colName: 'due', type: 'datetime' },
  ],
  indexes: [{ columns: ['amount'] }, { columns: ['due'] }],
};

function taskAt(number: number) {
  return {
    title: `Task number ${number} of the list`,
    amount: String(number % amounts),
    due: new Date(1_700_000_000_000 + ((number * 104_729) % 1_000_003) * 1_000).toISOString(),
    scopeType: '3',
  };
}

/** @returns the ids of the rows */
export async function fillTasks(port: number, space: Space, rows: number): Promise<string[]> {
  const ids: string[] = [];
  const post = (path: string, body: object) => postJson(port, space, path, body);
  await post('/schemas', { tables: [table] });
  for (let from = 0; from < rows; from += 1_000) {
    const data = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => taskAt(from + index));
    const { results } = await post('/data/batch/addData', { objectName: table.name, data });
    for (const { objectId } of results) ids.push(objectId);
  }
  return ids;
}

const filter = (amount: number) => ({
  from: { phyName: table.name, alias: 't' },
  where: { expression: { source: '#t.amount = ?', params: [String(amount)] } },
});

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
}

/** Marks the position of the number that makes each add unique. */
export const numberMark = '<number>';

/** The requests of a work, to be sent repeatedly, each with the mark replaced. */
export function requestsOf(work: WorkName, { prefix }: Space, ids: readonly string[]): Request[] {
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path: `${prefix}/data${path}`,
    body: JSON.stringify(body),
  });
  const byAmount = Array.from({ length: amounts }, (_, amount) => amount);
  switch (work) {
    case 'get':
      return ids.map((_, index) => {
        const id = ids[(index * 7_919) % ids.length];
        return { method: 'GET', path: `${prefix}/data/${table.name}/${id}`, body: '' };
      });
    case 'page':
      return byAmount.map((amount) =>
        post(`/query/${table.name}`, {
          ...filter(amount),
          orderBy: [{ column: '#t.due', type: 'DESC' }],
          range: { offset: 0, limit: 20 },
        }),
      );
    case 'count':
      return byAmount.map((amount) => post(`/query/${table.name}/count`, filter(amount)));
    case 'add':
      return byAmount.map((amount) =>
        post('/batch/addData', {
          transactionId: `bench-${process.pid}-${numberMark}`,
          objectName: table.name,
          data: [taskAt(amount)],
        }),
      );
  }
}

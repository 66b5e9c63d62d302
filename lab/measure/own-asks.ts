/** How the service is asked, and the floors, which answer the same requests. */

import { httpRequest } from '../client/messages.ts';
import type { Space } from './asks.ts';
import { type Asks, newTransactionId, type Written } from './asks.ts';
import { countForm, objectIdOf, pageForm, type Record, tableName } from './workload.ts';

export const serviceAsks: Asks = {
  get: ({ prefix, token }, row) => httpRequest('GET', `${prefix}/data/${tableName}/${objectIdOf(row)}`, token),
  page: (space, category) => post(space, `/data/query/${tableName}`, pageForm(category)),
  count: (space, category) => post(space, `/data/query/${tableName}/count`, countForm(category)),
  add: (space, records) => post(space, '/data/batch/addData', batch(records)),
  update: (space, written, quantity) => post(space, '/data/batch/updateData', updateOf(written, quantity)),
  written: firstResult,
};

function post({ prefix, token }: Space, path: string, body: object): string {
  return httpRequest('POST', `${prefix}${path}`, token, JSON.stringify(body));
}

function batch(data: readonly Record[]): object {
  return { transactionId: newTransactionId(), objectName: tableName, data };
}

function updateOf({ objectId, lock }: Written, quantity: number): object {
  return batch([{ objectId, serverUpdateTime: lock, quantity: String(quantity) }]);
}

function firstResult(body: string): Written {
  const { results } = JSON.parse(body);
  return { objectId: results[0].objectId, lock: results[0].serverUpdateTime };
}

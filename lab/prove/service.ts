/** The requests of the proof, as bytes, and the meaning of their answers. All use one table. */
import { headerOf, type Reply } from '../client/connection.ts';
import { postRequest } from '../client/messages.ts';
import type { Space } from '../service/spaces.ts';
import type { Answer, Item, Seen, Transaction, Written } from './history.ts';

export const tableName = 'Entry';
export const otherTableName = 'OtherEntry';

/** `family`: the group of records that is judged together. `mark`: the last transaction that wrote the record. */
export const table = {
  name: tableName,
  primary_key: 'objectId',
  columns: [
    { colName: 'family', type: 'varchar', fieldLength: 60 },
    { colName: 'mark', type: 'varchar', fieldLength: 100 },
    { colName: 'part', type: 'integer' },
    { colName: 'count', type: 'integer' },
    { colName: 'note', type: 'text' },
  ],
  indexes: [{ columns: ['family'] }],
};

/** The table in which a batch of several tables leaves a record with the transaction's id. */
export const traceTableName = 'Trace';

const traceTable = {
  name: traceTableName,
  primary_key: 'objectId',
  columns: [{ colName: 'mark', type: 'varchar', fieldLength: 200 }],
};

/** The fault requested from the proxy, and how the proxy reports an answer that did not reach the client. */
export interface Marked {
  readonly fault: string;
  readonly attempt: number;
}

/** Further properties of the table. */
export interface More {
  readonly columns?: readonly object[];
  readonly indexes?: readonly object[];
}

export function defineRequest(space: Space, { columns = [], indexes = [] }: More = {}): Buffer {
  const more = { columns: [...table.columns, ...columns], indexes: [...table.indexes, ...indexes] };
  return post(space, '/schemas', JSON.stringify({ tables: [{ ...table, ...more }, traceTable] }));
}

/** Another table of the same columns. */
export function defineOtherRequest(space: Space): Buffer {
  return post(space, '/schemas', JSON.stringify({ tables: [{ ...table, name: otherTableName }] }));
}

/** @param payload differs for another request under the same id */
export function writeRequest(
  space: Space,
  family: string,
  transaction: Pick<Transaction, 'id' | 'operation' | 'items'>,
  payload: string,
  more: {
    readonly marked?: Marked | undefined;
    readonly mark?: string;
    readonly objectName?: string;
    /** Whether it is sent in two parts, with a record in another table between them. */
    readonly isParted?: boolean;
  } = {},
): Buffer {
  const { id, operation, items } = transaction;
  const { marked, mark = id, objectName = tableName, isParted = false } = more;
  const records = items.map(({ objectId, base, count }, part) => {
    const serverUpdateTime = base === null ? undefined : new Date(base).toISOString().replace('Z', '+00:00');
    if (operation === 'delete') return { objectId, serverUpdateTime };
    const content = { mark, count: String(count), part: String(part), note: payload };
    return { objectId, serverUpdateTime, ...content, ...(operation === 'add' ? { family, scopeType: '3' } : {}) };
  });
  if (isParted) {
    const middle = Math.ceil(records.length / 2);
    const part = (data: readonly object[]) => (data.length === 0 ? [] : [{ op: operation, objectName, data }]);
    const trace = { objectId: `${tracePrefix}${id}`, mark: id, scopeType: '3' };
    const operations = [
      ...part(records.slice(0, middle)),
      { op: 'put', objectName: traceTableName, data: [trace] },
      ...part(records.slice(middle)),
    ];
    return post(space, '/data/batch', JSON.stringify({ transactionId: id, operations }), marked);
  }
  const body = { transactionId: id, objectName, [operation === 'delete' ? 'objectIds' : 'data']: records };
  return post(space, `/data/batch/${operation}Data`, JSON.stringify(body), marked);
}

const tracePrefix = 'trace of ';

/** All records of a family, in one consistent state. */
export function readRequest(space: Space, family: string, objectName = tableName): Buffer {
  const where = { expression: { source: '#e.family = ?', params: [family] } };
  return post(space, `/data/query/${objectName}`, JSON.stringify({ from: { phyName: objectName, alias: 'e' }, where }));
}

function post(space: Space, path: string, body: string, marked?: Marked): Buffer {
  const headers = marked === undefined ? '' : `x-fault: ${marked.fault}\r\nx-attempt: ${marked.attempt}\r\n`;
  return postRequest(space, path, body, headers);
}

interface Envelope {
  readonly errCode: number;
  readonly description: string | null;
  readonly results?: readonly { objectId: string; serverCreateTime: string; serverUpdateTime: string }[];
}

/** Null when the service is busy, which says nothing about the batch. @throws Error for an invalid answer to a write */
export function answerOf(reply: Reply): Answer | null {
  if (isBusy(reply)) return null;
  const { body } = reply;
  const { errCode, description, results: all } = JSON.parse(body) as Envelope;
  const results = all?.filter(({ objectId }) => !objectId.startsWith(tracePrefix));
  if (errCode === 0 && results !== undefined) return { kind: 'accepted', results: results.map(writtenOf) };
  if (errCode === 211 && results !== undefined) {
    return results.length === 0 ? { kind: 'foreign' } : { kind: 'replayed', results: results.map(writtenOf) };
  }
  if (errCode === 130 || errCode === 131) return { kind: 'refused', code: errCode, text: description ?? '' };
  if (errCode === 210 || errCode === 220) return { kind: 'fault', text: body };
  throw new Error(`An answer that no write of the proof may get: ${body}`);
}

/** Whether the service asks to try again in a moment. */
export function isBusy({ status, bytes }: Reply): boolean {
  return status === 503 && headerOf(bytes, 'retry-after') !== undefined;
}

/** @throws Error when it is not the answer of a query */
export function recordsOf(body: string): Seen[] {
  const { e } = JSON.parse(body) as { e?: readonly Readonly<Record<string, string>>[] };
  if (e === undefined) throw new Error(`A query was answered: ${body}`);
  return e.map((record) => ({
    objectId: record.objectId as string,
    created: Date.parse(record.serverCreateTime as string),
    updated: Date.parse(record.serverUpdateTime as string),
    mark: record.mark as string,
    count: Number(record.count),
  }));
}

function writtenOf(result: NonNullable<Envelope['results']>[number]): Written {
  return {
    objectId: result.objectId,
    created: Date.parse(result.serverCreateTime),
    updated: Date.parse(result.serverUpdateTime),
  };
}

export function addItem(objectId: string | null): Item {
  return { objectId, base: null, count: 0 };
}

export function updateItem({ objectId, updated, count }: Seen): Item {
  return { objectId, base: updated, count: count + 1 };
}

export function deleteItem({ objectId, updated }: Seen): Item {
  return { objectId, base: updated, count: null };
}

/** Short forms for cases on the three batch operations: the request around the items, and the result of an item. */
import type { Case } from '../harness/cases.ts';
import { absent } from '../harness/match.ts';

const POST = 'POST';
const addPath = 'data/batch/addData';
const updatePath = 'data/batch/updateData';
const deletePath = 'data/batch/deleteData';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
export const written = (objectId: unknown) => ({ objectId, serverCreateTime: time, serverUpdateTime: time });
export const failed = (errCode: number, description: RegExp = /./) => ({ objectId: '-1', errCode, description });
/** The result of an item that did not fail itself: only the id that was sent. */
export const kept = (objectId: string | null) => ({ objectId, errCode: absent });

interface BatchCase extends Omit<Case, 'method' | 'path'> {
  readonly data?: unknown;
  readonly objectIds?: unknown;
  readonly table?: string;
  readonly transactionId?: unknown;
}

function batch(path: string, item: BatchCase): Case {
  const { data, objectIds, table, transactionId, ...rest } = item;
  const body = {
    ...(transactionId === undefined ? {} : { transactionId }),
    objectName: table ?? 'Write',
    ...(data === undefined ? {} : { data }),
    ...(objectIds === undefined ? {} : { objectIds }),
  };
  return { method: POST, path, body, ...rest };
}

export const add = (item: BatchCase): Case => batch(addPath, item);
export const update = (item: BatchCase): Case => batch(updatePath, item);
export const remove = (item: BatchCase): Case => batch(deletePath, item);

export const read = (
  name: string,
  table: string,
  objectId: string,
  record: object,
  more: Partial<Case> = {},
): Case => ({
  name,
  method: 'GET',
  path: `data/${table}/${objectId}`,
  code: 'bare',
  json: { [table]: [record] },
  ...more,
});

export const gone = (name: string, table: string, objectId: string, more: Partial<Case> = {}): Case => ({
  name,
  method: 'GET',
  path: `data/${table}/${objectId}`,
  code: 130,
  status: 404,
  ...more,
});

/** The attacks of hostile clients: bodies and queries that take much memory and time, and answers that are not read. */
import { postRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';
import { query, queryAttacksOn, tableName, where } from './query-attacks.ts';

const mib = 1024 * 1024;
/** Almost the largest body that the service accepts. */
export const bodyBytes = 8 * mib - 1024;

export const definition = {
  tables: [
    {
      name: tableName,
      primary_key: 'objectId',
      columns: [
        { colName: 'label', type: 'varchar', fieldLength: 100, fullText: true },
        { colName: 'rank', type: 'integer' },
        { colName: 'note', type: 'text' },
        { colName: 'extra', type: 'json' },
      ],
      indexes: [{ columns: ['rank'] }],
    },
  ],
};

/**
 * `read`: the answer is read. `slowly`: it is read a little at a time. `never`: it is not read. `half`: only half of
 * the request is sent. `idle`: connections on which nothing is sent.
 */
export type Manner = 'read' | 'slowly' | 'never' | 'half' | 'idle';

export interface Attack {
  readonly name: string;
  readonly bytes: Buffer;
  readonly manner: Manner;
}

export function batch(space: Space, items: string): Buffer {
  return postRequest(space, '/data/batch/addData', `{"objectName":"${tableName}","data":[${items}]}`);
}

export const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
export const repeated = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(',');

/** Batches of items that take much time or memory to read. */
export const heavyItems = {
  brackets: filled('[', bodyBytes),
  'deep objects': filled('{"a":', bodyBytes),
  'empty objects': `${filled('{},', bodyBytes)}{}`,
  'texts of 1 MB': repeated(7, () => `{"label":"hostile","note":"${filled('x', mib)}"}`),
  escapes: repeated(7, () => `{"note":"${filled('\\u0416', mib)}"}`),
  digits: `{"rank":${filled('1', bodyBytes)}}`,
} as const;

/** A query with this many parameters. */
export function manyParameters(space: Space, count: number): Buffer {
  const source = `#t.label IN (${filled('?,', 2 * count - 2)}?)`;
  return query(
    space,
    where(
      source,
      Array.from({ length: count }, (_, index) => `${index}`),
    ),
  );
}

export function attacksOn(space: Space): readonly Attack[] {
  const everything = query(space, {});
  const ofValues = repeated(20, () => `{"extra":[${filled('[],', 55_000)}1]}`);
  const ofNames = repeated(15, () => `{${repeated(19_000, (index) => `"name${index}":1`)}}`);
  const ofMembers = repeated(15, () => `{"extra":{${repeated(19_000, (index) => `"name${index}":1`)}}}`);
  const records = repeated(1_000, (index) => `{"label":"record ${index}","rank":${index}}`);
  const made: readonly (readonly [string, Manner, Buffer])[] = [
    ...Object.entries(heavyItems).map(([name, items]) => [name, 'read', batch(space, items)] as const),
    ['json of many values', 'read', batch(space, ofValues)],
    ['names of their own', 'read', batch(space, ofNames)],
    ['json of many names', 'read', batch(space, ofMembers)],
    ['a thousand records', 'read', batch(space, records)],
    ['half a body', 'half', batch(space, filled('{"rank":1},', bodyBytes))],
    ['10 000 parameters', 'read', manyParameters(space, 10_000)],
    ...queryAttacksOn(space).map(([name, bytes]) => [name, 'read', bytes] as const),
    ['large result', 'read', everything],
    ['large result, read slowly', 'slowly', everything],
    ['large result, not read', 'never', everything],
    ['flood of connections', 'idle', Buffer.alloc(0)],
  ];
  return made.map(([name, manner, bytes]) => ({ name, manner, bytes }));
}

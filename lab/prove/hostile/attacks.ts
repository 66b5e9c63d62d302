/** What hostile clients send: bodies that are made to take memory and time, queries that do, and answers that nobody takes. */
import { postRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';

const mib = 1024 * 1024;

/** The largest body that the service takes, but for its last bytes. */
const bodyBytes = 8 * mib - 1024;

export const tableName = 'Thing';

export const definition = {
  tables: [
    {
      name: tableName,
      primary_key: 'objectId',
      columns: [
        { colName: 'label', type: 'varchar', fieldLength: 100 },
        { colName: 'rank', type: 'integer' },
        { colName: 'note', type: 'text' },
        { colName: 'extra', type: 'json' },
      ],
      indexes: [{ columns: ['rank'] }],
    },
  ],
};

/**
 * `read`: the answer is read. `slowly`: a little of it now and then. `never`: none of it. `half`: half of the request is
 * sent, and nothing more. `idle`: connections on which nothing is sent.
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

export function query(space: Space, rest: object, path = ''): Buffer {
  return postRequest(
    space,
    `/data/query/${tableName}${path}`,
    JSON.stringify({ from: { phyName: tableName, alias: 't' }, ...rest }),
  );
}

const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const repeated = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(',');
const where = (source: string, params: readonly string[] = []) => ({ where: { expression: { source, params } } });

const crossJoin = {
  join: ['a', 'b', 'c'].map((entityAlias) => ({
    type: 'INNER JOIN',
    entity: tableName,
    entityAlias,
    expression: { source: '1 = 1', params: [] },
  })),
};

export function attacksOn(space: Space): readonly Attack[] {
  const everything = query(space, {});
  const made: readonly (readonly [string, Manner, Buffer])[] = [
    ['body of brackets', 'read', batch(space, filled('[', bodyBytes))],
    ['deep objects', 'read', batch(space, filled('{"a":', bodyBytes))],
    ['empty objects', 'read', batch(space, `${filled('{},', bodyBytes)}{}`)],
    [
      'json of many values',
      'read',
      batch(
        space,
        repeated(20, () => `{"extra":[${filled('[],', 55_000)}1]}`),
      ),
    ],
    [
      'names of their own',
      'read',
      batch(
        space,
        repeated(15, () => `{${repeated(19_000, (index) => `"name${index}":1`)}}`),
      ),
    ],
    [
      'large texts',
      'read',
      batch(
        space,
        repeated(7, () => `{"label":"hostile","note":"${filled('x', mib)}"}`),
      ),
    ],
    [
      'escapes',
      'read',
      batch(
        space,
        repeated(7, () => `{"note":"${filled('\\u0416', mib)}"}`),
      ),
    ],
    ['digits', 'read', batch(space, `{"rank":${filled('1', bodyBytes)}}`)],
    [
      'a thousand records',
      'read',
      batch(
        space,
        repeated(1_000, (index) => `{"label":"record ${index}","rank":${index}}`),
      ),
    ],
    ['half a body', 'half', batch(space, filled('{"rank":1},', bodyBytes))],
    ['lower case of large texts', 'read', query(space, where("LOWER(#t.note) = 'nobody'"), '/count')],
    ['upper case, often', 'read', query(space, where(`${filled("UPPER(#t.note) = 'N' OR ", 480)}1 = 0`), '/count')],
    ['cross join', 'read', query(space, { ...crossJoin, ...where('#t.rank + #a.rank + #b.rank + #c.rank = -1') })],
    [
      '10 000 parameters',
      'read',
      query(
        space,
        where(
          `#t.label IN (${filled('?,', 19_998)}?)`,
          Array.from({ length: 10_000 }, (_, index) => `${index}`),
        ),
      ),
    ],
    ['deep expression', 'read', query(space, where(`${filled('(', 190)}1 = 0${filled(')', 190)}`))],
    ['large result', 'read', everything],
    ['large result, read slowly', 'slowly', everything],
    ['large result, not read', 'never', everything],
    ['flood of connections', 'idle', Buffer.alloc(0)],
  ];
  return made.map(([name, manner, bytes]) => ({ name, manner, bytes }));
}

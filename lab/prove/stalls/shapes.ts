/** Requests that are made to hold up the main thread: the largest in every shape that takes long to judge or to carry out. */

import { postRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';
import { batch, definition, query } from '../hostile/attacks.ts';

export interface Shape {
  readonly name: string;
  readonly bytes: Buffer;
  /** So many are sent at the same moment. */
  readonly atOnce: number;
}

const mib = 1024 * 1024;
/** The largest body that the service takes, but for its last bytes. */
const bodyBytes = 8 * mib - 1024;
const wideName = 'Wide';
const wideColumns = Array.from({ length: 190 }, (_, index) => `column${index}`);

export const stallDefinition = {
  tables: [
    ...definition.tables,
    {
      name: wideName,
      primary_key: 'objectId',
      columns: wideColumns.map((colName) => ({ colName, type: 'varchar', fieldLength: 400 })),
    },
  ],
};

const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const repeated = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(',');
const wideItem = (index: number, more = '') =>
  `{${more}${wideColumns.map((name, column) => `"${name}":"v ${index * column}"`).join(',')}}`;
const where = (source: string, params: readonly unknown[] = []) => ({ where: { expression: { source, params } } });

export function shapesOn(space: Space): readonly Shape[] {
  const brackets = batch(space, filled('[', bodyBytes));
  const texts = batch(
    space,
    repeated(7, () => `{"note":"${filled('x', mib)}"}`),
  );
  const wide = (path: string, items: string) =>
    postRequest(space, path, `{"objectName":"${wideName}","data":[${items}]}`);
  const updates = repeated(1_000, (index) =>
    wideItem(index, `"objectId":"r${index}","serverUpdateTime":"2020-01-01T00:00:00Z",`),
  );
  const many = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
  const tables = (columns: number) =>
    Array.from({ length: 400 }, (_, table) => ({
      name: `Many${table}`,
      columns: Array.from({ length: columns }, (_, column) => ({ colName: `c${column}`, type: 'text' })),
    }));
  const define = (columns: number) => postRequest(space, '/schemas', JSON.stringify({ tables: tables(columns) }));
  const made: readonly (readonly [name: string, bytes: Buffer, atOnce?: number])[] = [
    ['brackets', brackets],
    ['deep objects', batch(space, filled('{"a":', bodyBytes))],
    ['empty objects', batch(space, `${filled('{},', bodyBytes)}{}`)],
    ['one text of 8 MB', batch(space, `{"note":"${filled('x', bodyBytes)}"}`)],
    ['texts of 1 MB', texts],
    [
      'escapes',
      batch(
        space,
        repeated(7, () => `{"note":"${filled('\\u0416', mib)}"}`),
      ),
    ],
    ['digits', batch(space, `{"rank":${filled('1', bodyBytes)}}`)],
    [
      '1,000 records of 8 KB',
      batch(
        space,
        repeated(1_000, () => `{"note":"${filled('x', 8_000)}"}`),
      ),
    ],
    [
      '1,000 records, 190 columns',
      wide(
        '/data/batch/addData',
        repeated(1_000, (index) => wideItem(index)),
      ),
    ],
    ['1,000 updates, 190 columns', wide('/data/batch/updateData', updates)],
    ['an item of 19,000 members', batch(space, `{${repeated(19_000, (index) => `"name${index}":1`)}}`)],
    [
      'names nobody knows',
      batch(
        space,
        repeated(1_000, () => `{${repeated(400, (index) => `"name${index}":1`)}}`),
      ),
    ],
    [
      'json of 19,000 members',
      batch(
        space,
        repeated(8, (item) => `{"extra":{${repeated(19_000, (index) => `"k${item}_${index}":1`)}}}`),
      ),
    ],
    [
      'json of 9,500 objects',
      batch(
        space,
        repeated(20, (item) => `{"extra":[${repeated(9_500, (index) => `{"k${item}_${index}":1}`)}]}`),
      ),
    ],
    ['10,000 parameters', query(space, where(`#t.label IN (${filled('?,', 19_998)}?)`, many))],
    [
      '4,500 conditions',
      query(
        space,
        where(
          `${'#t.rank = ? OR '.repeat(4_500)}1 = 0`,
          many.slice(0, 4_500).map((_, index) => index),
        ),
      ),
    ],
    [
      'patterns',
      query(
        space,
        where(
          `${'#t.note LIKE ? OR '.repeat(4_000)}1 = 0`,
          Array.from({ length: 4_000 }, () => '%a'.repeat(500)),
        ),
      ),
    ],
    ['parentheses', query(space, where(`${filled('(', 60_000)}1 = 0${filled(')', 60_000)}`))],
    ['400 tables, 240 columns', define(240)],
    ['400 tables, 60 columns', define(60)],
    ['16 × brackets at once', brackets, 16],
    ['16 × texts at once', texts, 16],
  ];
  return made.map(([name, bytes, atOnce = 1]) => ({ name, bytes, atOnce }));
}

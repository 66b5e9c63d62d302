/** Requests designed to block the main thread: the largest of every shape that takes long to check or execute. */

import { postRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';
import { batch, bodyBytes, definition, filled, heavyItems, manyParameters, repeated } from '../hostile/attacks.ts';
import { query, where } from '../hostile/query-attacks.ts';

export interface Shape {
  readonly name: string;
  readonly bytes: Buffer;
  /** How many are sent at the same moment. */
  readonly atOnce: number;
}

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

const wideItem = (index: number, more = '') =>
  `{${more}${wideColumns.map((name, column) => `"${name}":"v ${index * column}"`).join(',')}}`;

export function shapesOn(space: Space): readonly Shape[] {
  const wide = (path: string, items: string) =>
    postRequest(space, path, `{"objectName":"${wideName}","data":[${items}]}`);
  const updates = repeated(1_000, (index) =>
    wideItem(index, `"objectId":"r${index}","serverUpdateTime":"2020-01-01T00:00:00Z",`),
  );
  const tables = (columns: number) =>
    Array.from({ length: 400 }, (_, table) => ({
      name: `Many${table}`,
      columns: Array.from({ length: columns }, (_, column) => ({ colName: `c${column}`, type: 'text' })),
    }));
  const define = (columns: number) => postRequest(space, '/schemas', JSON.stringify({ tables: tables(columns) }));
  const heavy = Object.entries(heavyItems).map(([name, items]) => [name, batch(space, items)] as const);
  const [brackets, texts] = [batch(space, heavyItems.brackets), batch(space, heavyItems['texts of 1 MB'])];
  const large = repeated(1_000, () => `{"note":"${filled('x', 8_000)}"}`);
  const rows = repeated(1_000, (index) => wideItem(index));
  const unknown = repeated(1_000, () => `{${repeated(400, (index) => `"name${index}":1`)}}`);
  const members = (item: number) => repeated(19_000, (index) => `"k${item}_${index}":1`);
  const objects = (item: number) => repeated(9_500, (index) => `{"k${item}_${index}":1}`);
  const ranks = Array.from({ length: 4_500 }, (_, index) => index);
  const patterns = Array.from({ length: 4_000 }, () => '%a'.repeat(500));
  const made: readonly (readonly [name: string, bytes: Buffer, atOnce?: number])[] = [
    ...heavy,
    ['one text of 8 MB', batch(space, `{"note":"${filled('x', bodyBytes)}"}`)],
    ['1,000 records of 8 KB', batch(space, large)],
    ['1,000 records, 190 columns', wide('/data/batch/addData', rows)],
    ['1,000 updates, 190 columns', wide('/data/batch/updateData', updates)],
    ['an item of 19,000 members', batch(space, `{${repeated(19_000, (index) => `"name${index}":1`)}}`)],
    ['names nobody knows', batch(space, unknown)],
    [
      'json of 19,000 members',
      batch(
        space,
        repeated(8, (item) => `{"extra":{${members(item)}}}`),
      ),
    ],
    [
      'json of 9,500 objects',
      batch(
        space,
        repeated(20, (item) => `{"extra":[${objects(item)}]}`),
      ),
    ],
    ['10,000 parameters', manyParameters(space, 10_000)],
    ['4,500 conditions', query(space, where(`${'#t.rank = ? OR '.repeat(4_500)}1 = 0`, ranks))],
    ['patterns', query(space, where(`${'#t.note LIKE ? OR '.repeat(4_000)}1 = 0`, patterns))],
    ['parentheses', query(space, where(`${filled('(', 60_000)}1 = 0${filled(')', 60_000)}`))],
    ['400 tables, 240 columns', define(240)],
    ['400 tables, 60 columns', define(60)],
    ['16 × brackets at once', brackets, 16],
    ['16 × texts at once', texts, 16],
  ];
  return made.map(([name, bytes, atOnce = 1]) => ({ name, bytes, atOnce }));
}

/** Settings that limit what a body holds and defines: part of the table in `config.ts`. */
import { depthDefault, itemValuesDefault } from './json-bounds.ts';
import { limit, type Setting, whole } from './setting.ts';

const mib = 1024 * 1024;

export const bodySettings = {
  batchItemsMax: limit(1_000, 'items', 100_000, 'Items of one batch.'),
  bodyBytesMax: limit(8 * mib, 'bytes', 512 * mib, 'Size of a request body.'),
  bodiesBytesMax: limit(
    256 * mib,
    'bytes',
    1024 * 1024 * mib,
    'Size of all incoming large request bodies; one network (an IPv6 /64) may use half of it.',
  ),
  parsedBodiesBytesMax: limit(
    512 * mib,
    'bytes',
    1024 * 1024 * mib,
    'Estimated memory of all parsed large request bodies until they are answered, including compiled queries; one network may use half of it.',
  ),
  bodyValuesMax: limit(500_000, 'values', 50_000_000, 'JSON values in one body: objects, arrays, texts, numbers …'),
  itemValuesMax: whole(
    itemValuesDefault,
    'values',
    1_000,
    50_000_000,
    'JSON values in one item of a body, in a json value sent as text, and in the rest of a body; and items of an array that is not a batch.',
  ),
  itemMembersMax: whole(
    1_000,
    'members',
    1_000,
    50_000_000,
    'Members of one item of a large body, such as the values of a record; those inside its json values are not counted.',
  ),
  valueBytesMax: limit(mib, 'bytes', 512 * mib, 'Size of one value.'),
  depthMax: limit(depthDefault, 'levels', 1_000, 'Depth of a JSON value.'),
  tablesMax: limit(500, 'tables', 10_000, 'Tables of one data space.'),
  columnsMax: limit(250, 'columns', 1_000, 'Columns of one table.'),
  spaceColumnsMax: limit(25_000, 'columns', 1_000_000, 'Columns of all tables of one data space.'),
  indexesMax: limit(20, 'indexes', 60, 'Indexes of one table.'),
} as const satisfies Record<string, Setting<unknown>>;

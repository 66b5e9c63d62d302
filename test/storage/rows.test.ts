/** Values of every type are read from a database as the wire text of the schema. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileRecord } from '../../src/query/compile.ts';
import type { ColumnType, StoredValue, Table } from '../../src/schema/model.ts';
import { instantMax, instantMin, zoneOf } from '../../src/schema/time.ts';
import { wireText } from '../schema/wire-text.ts';
import { column, defineTables, openScratch, someone, statementOf, tableOf } from './scratch.ts';

const types: Record<string, ColumnType> = {
  v: { kind: 'varchar', length: 200 },
  t: { kind: 'text' },
  i: { kind: 'integer' },
  l: { kind: 'long' },
  d: { kind: 'double' },
  m: { kind: 'decimal', precision: 18, scale: 4 },
  n: { kind: 'decimal', precision: 18, scale: 0 },
  b: { kind: 'bool' },
  a: { kind: 'datetime' },
  j: { kind: 'json' },
};

const text = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n\u0001\u007f', '\u2028é😀', ''))
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
const ofType: Record<string, fc.Arbitrary<StoredValue>> = {
  v: text,
  t: text,
  i: fc.oneof(fc.integer(), fc.constantFrom(-2_147_483_648, 2_147_483_647)),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  m: fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }),
  n: fc.bigInt({ min: -99_999n, max: 99_999n }),
  b: fc.boolean(),
  a: fc.integer({ min: instantMin, max: instantMax }),
  j: fc.json(),
};

test('every value of every type is returned as its wire text', async (t) => {
  const { storage, settings } = await openScratch(t, { settings: { zone: '+07:00' } });
  const zone = zoneOf(settings.zone);
  await storage.spaces.create(1);
  const columns = Object.entries(types).map(([name, type]) => column(name, type));
  const definition = await defineTables(storage, 1, [tableOf('every', columns)]);
  const table = definition.tables.get('every') as Table;
  const record = compileRecord(table, storage.dialect);
  const selected = table.columns.map(({ name, type }) => storage.dialect.selected(storage.dialect.column(name), type));
  const outputs = [{ key: 'every', columns: table.columns }];
  const { dialect } = storage;
  const equal = `${dialect.column('objectId')} = ${dialect.placeholder(1, true, { kind: 'text' })}`;
  const row = statementOf(`SELECT ${selected.join(', ')} FROM ${dialect.table('every')} WHERE ${equal}`, outputs);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record(Object.fromEntries(Object.entries(ofType).map(([name, value]) => [name, fc.option(value)]))),
      async (values) => {
        const objectId = `record ${++count}`;
        const system = [null, null, null, null, null, 1, 3, null, 7n];
        const item = { objectId, generated: true, audience: 'a', values: [...system, ...Object.values(values)] };
        const outcome = await storage.spaces.write(1, {
          ...someone,
          definitionVersion: definition.version,
          members: ['a'],
          refused: false,
          changes: [{ table: 'every', operation: 'add', items: [item as never] }],
        });
        assert.equal(outcome.kind, 'done');
        const bound = record.bind({ parameters: [objectId], members: ['a'] });
        const one = await storage.spaces.record(1, record, bound);
        const { arrays } = await storage.spaces.select(1, { rows: { statement: row, values: [objectId] } });
        assert.equal(arrays[0], `[${one}]`, 'both ways of reading write the same');
        const wire = JSON.parse(one as string);
        for (const [name, value] of Object.entries(values)) {
          assert.equal(wire[name], wireText(types[name] as ColumnType, value as StoredValue, zone), name);
        }
        assert.deepEqual(
          Object.keys(wire),
          table.columns.map((each) => each.name),
        );
      },
    ),
    { numRuns: 200 },
  );
});

/** The parts of the tables screen that need no browser: the picture, and the merging of changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Change, type Table, withChange } from '../../console/screens/tables/definition.ts';
import { boxWidth, headHeight, joinShift, layOut, rowHeight, rowsMax } from '../../console/screens/tables/layout.ts';

/** Tables of any size that refer to others, to themselves, and to missing tables. */
const anyTables = fc.array(fc.array(fc.nat(20), { maxLength: 20 }), { maxLength: 15 }).map((all): Table[] =>
  all.map((targets, index) => ({
    name: `T${index}`,
    columns: targets.map((target, at) => {
      const column = { colName: `c${at}`, type: 'varchar', fieldLength: 200 } as const;
      return target > 17 ? column : { ...column, references: `T${target}` };
    }),
    indexes: [],
  })),
);

test('every table has its own box, and every line leads from its column to the head of the other table', () => {
  fc.assert(
    fc.property(anyTables, (tables) => {
      const { boxes, lines, width, height } = layOut(tables, []);
      assert.deepEqual(boxes.map(({ table }) => table.name).sort(), tables.map(({ name }) => name).sort());
      for (const [index, a] of boxes.entries()) {
        assert.ok(a.x + boxWidth <= width && a.y + a.height <= height);
        for (const b of boxes.slice(index + 1)) {
          const isApart =
            a.x + boxWidth <= b.x || b.x + boxWidth <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
          assert.ok(isApart, `${a.table.name} and ${b.table.name} overlap`);
        }
      }
      const known = tables.flatMap(({ columns }) => columns.filter(({ references }) => hasTable(tables, references)));
      assert.equal(lines.length, known.length);
      for (const { from, column, to, path } of lines) {
        const [source, target] = [from, to].map((name) => boxes.find(({ table }) => table.name === name));
        assert.ok(source !== undefined && target !== undefined);
        const row = source.table.columns.findIndex(({ colName }) => colName === column);
        const [startX, startY, ...rest] = path.match(/\d+(?:\.\d+)?/g)!.map(Number);
        const [endX, endY] = rest.slice(-2);
        assert.ok([source.x, source.x + boxWidth].includes(startX!), path);
        assert.equal(startY, source.y + headHeight + (Math.min(row, rowsMax) + 0.5) * rowHeight);
        assert.ok([target.x, target.x + boxWidth].includes(endX!), path);
        assert.equal(endY, target.y + headHeight / 2);
      }
    }),
  );
});

function hasTable(tables: readonly Table[], wanted: string | undefined): boolean {
  return tables.some(({ name }) => name === wanted);
}

test('a table is to the right of those that it refers to, and tables without references come last', () => {
  const referring = (name: string, ...targets: string[]): Table => ({
    name,
    columns: targets.map((references) => ({ colName: references, type: 'varchar', references })),
    indexes: [],
  });
  const tables = [
    referring('Line', 'Order', 'Product'),
    referring('Alone'),
    referring('Order', 'Customer', 'Line'),
    referring('Customer'),
    referring('Product'),
  ];
  const { boxes } = layOut(tables, []);
  const x = Object.fromEntries(boxes.map(({ table, x }) => [table.name, x]));
  assert.ok(x.Order! > x.Customer! && x.Alone! > x.Order! && x.Customer === x.Product, JSON.stringify(x));
});

test('the line of a join leads between two columns, beside a reference, and moves no table', () => {
  const id = { colName: 'customerId', type: 'varchar', references: 'Customer' } as const;
  const note = { colName: 'note', type: 'varchar' } as const;
  const tables: Table[] = [
    { name: 'Customer', columns: [note], indexes: [] },
    { name: 'Invoice', columns: [note, id], indexes: [] },
  ];
  const join = (column: string, otherColumn: string, table = 'Invoice', otherTable = 'Customer') => {
    return { table, column, otherTable, otherColumn, queries: 7 };
  };
  const joins = [
    join('customerId', 'objectId'),
    join('note', 'note'),
    join('objectId', 'note', 'Customer'),
    join('a', 'b', 'Dropped'),
  ];
  const { boxes, lines } = layOut(tables, joins);
  assert.deepEqual(boxes, layOut(tables, []).boxes);
  const [customer, invoice] = boxes;
  const ends = lines.map(({ path }) => {
    const [startX, startY, ...rest] = path.match(/[\d.]+/g)!.map(Number);
    return [startX, startY, ...rest.slice(-2)];
  });
  const head = (box = customer) => box!.y + headHeight / 2;
  const row = (box = customer, number = 0) => box!.y + headHeight + (number + 0.5) * rowHeight;
  const [left, right] = [customer!.x + boxWidth, invoice!.x];
  assert.deepEqual(ends, [
    [right, row(invoice, 1), left, head()],
    [right, row(invoice, 1) + joinShift, left, head() + joinShift],
    [right, row(invoice) + joinShift, left, row() + joinShift],
    [left, head() + joinShift, left, row() + joinShift],
  ]);
  assert.deepEqual(
    lines.map(({ queries }) => queries),
    [undefined, 7, 7, 7],
  );
  assert.deepEqual(lines[1]?.middle, [(left + right) / 2, (head() + row(invoice, 1)) / 2 + joinShift]);
});

test('columns and indexes of a table that is still being added become part of the change that adds it', () => {
  const label = { colName: 'label', type: 'text' } as const;
  const add: Change = { op: 'addTable', table: 'Thing', columns: [], indexes: [] };
  const column: Change = { op: 'addColumn', table: 'Thing', column: label };
  const index: Change = { op: 'addIndex', table: 'Thing', columns: ['label'], unique: true };
  const collected = [add, column, index].reduce<readonly Change[]>(withChange, []);
  assert.deepEqual(collected, [{ ...add, columns: [label], indexes: [{ columns: ['label'], unique: true }] }]);
  const other: Change = { op: 'renameTable', table: 'Former', to: 'Now' };
  assert.deepEqual([other, column].reduce<readonly Change[]>(withChange, [add]), [add, other, column]);
});

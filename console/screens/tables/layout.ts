/**
 * The layout of the boxes and lines in the picture of tables. Tables are in columns from left to right, each to the
 * right of those that it refers to, except in cycles; tables without references come last. Joins in queries do not move
 * them. Pure.
 */
import type { Results } from '../../api.ts';
import type { Table } from './definition.ts';

export const boxWidth = 200;
export const headHeight = 26;
export const rowHeight = 20;
const gapX = 70;
const gapY = 24;
const margin = 16;
export const joinShift = 5;
/** The maximum height of a column of boxes; with many, a column may be as high as the picture is wide. */
const columnHeight = 900;
/** Longer chains of references, such as cycles, end in the last column. */
const depthMax = 9;
/** How many columns of a table are shown; further ones are only counted. */
export const rowsMax = 12;

export interface Box {
  readonly table: Table;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** A reference from a column to a table, or a join on two columns. */
export interface Link {
  readonly from: string;
  readonly column: string;
  readonly to: string;
  readonly toColumn?: string;
  /** How many queries joined on the columns; absent for a reference. */
  readonly queries?: number;
}

export interface Line extends Link {
  /** Of an SVG path. */
  readonly path: string;
  /** The middle of the line. */
  readonly middle: readonly [x: number, y: number];
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export type Join = Results<`GET /companies/:companyId/applications/:appId/versions/:version/tables/joins`>[number];

/** The references to existing tables. */
function referencesOf(tables: readonly Table[]): Link[] {
  const names = new Set(tables.map(({ name }) => name));
  return tables.flatMap(({ name: from, columns }) =>
    columns.flatMap(({ colName: column, references: to }) =>
      to !== undefined && names.has(to) ? [{ from, column, to }] : [],
    ),
  );
}

/** The joins of existing tables. */
function joinsOf(tables: readonly Table[], joins: readonly Join[]): Link[] {
  const names = new Set(tables.map(({ name }) => name));
  return joins.flatMap(({ table: from, column, otherTable: to, otherColumn: toColumn, queries }) =>
    names.has(from) && names.has(to) ? [{ from, column, to, toColumn, queries }] : [],
  );
}

export function layOut(tables: readonly Table[], joins: readonly Join[]): Layout {
  const references = referencesOf(tables);
  const boxes = placed(columnsOf(tables, references));
  const byName = new Map(boxes.map((box) => [box.table.name, box]));
  const lines = [...references, ...joinsOf(tables, joins)].map((link) => ({
    ...link,
    ...drawn(link, byName.get(link.from) as Box, byName.get(link.to) as Box),
  }));
  return {
    boxes,
    lines,
    width: Math.max(0, ...boxes.map(({ x }) => x + boxWidth)) + gapX,
    height: Math.max(0, ...boxes.map(({ y, height }) => y + height)) + margin,
  };
}

/**
 * The tables by the length of their longest chain of references; within a column, near the tables that they refer to.
 */
function columnsOf(tables: readonly Table[], references: readonly Link[]): Table[][] {
  const targets = Map.groupBy(references, ({ from }) => from);
  const depths = new Map<string, number>();
  const depthOf = (name: string, above: readonly string[]): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const others = (targets.get(name) ?? []).filter(({ to }) => to !== name && !above.includes(to));
    const depth = Math.max(-1, ...others.map(({ to }) => depthOf(to, [...above, name]))) + 1;
    depths.set(name, depth);
    return depth;
  };
  const joined = new Set(references.flatMap(({ from, to }) => [from, to]));
  const alone = tables.filter(({ name }) => !joined.has(name));
  const byDepth = Map.groupBy(
    tables.filter(({ name }) => joined.has(name)),
    ({ name }) => Math.min(depthOf(name, []), depthMax),
  );
  const rank = new Map<string, number>();
  const filled = [...byDepth].sort(([a], [b]) => a - b).map(([, column]) => column);
  for (const column of filled) {
    const wanted = new Map(
      column.map(({ name }) => {
        const ranks = (targets.get(name) ?? []).flatMap(({ to }) => rank.get(to) ?? []);
        return [name, ranks.length === 0 ? 0 : ranks.reduce((sum, each) => sum + each) / ranks.length];
      }),
    );
    column.sort((a, b) => (wanted.get(a.name) as number) - (wanted.get(b.name) as number) || compare(a, b));
    for (const [index, { name }] of column.entries()) rank.set(name, index);
  }
  return alone.length === 0 ? filled : [...filled, alone.toSorted(compare)];
}

function compare(a: Table, b: Table): number {
  return a.name < b.name ? -1 : 1;
}

function placed(columns: readonly Table[][]): Box[] {
  const boxes: Box[] = [];
  const area = columns.flat().reduce((sum, table) => sum + (boxWidth + gapX) * (heightOf(table) + gapY), 0);
  const highest = Math.max(columnHeight, Math.sqrt(area));
  let x = margin;
  for (const column of columns) {
    let y = margin;
    for (const table of column) {
      const height = heightOf(table);
      if (y > margin && y + height > highest) {
        x += boxWidth + gapX;
        y = margin;
      }
      boxes.push({ table, x, y, height });
      y += height + gapY;
    }
    x += boxWidth + gapX;
  }
  return boxes;
}

function heightOf({ columns }: Table): number {
  const rows = Math.min(columns.length, rowsMax) + (columns.length > rowsMax ? 1 : 0);
  return headHeight + Math.max(1, rows) * rowHeight;
}

/** The line from the column's row to the head of the other table, or to the row of its column, between facing sides. */
function drawn({ column, toColumn, queries }: Link, from: Box, to: Box): Pick<Line, 'path' | 'middle'> {
  // The line of a join is beside the line of the reference between the same columns.
  const shift = queries === undefined ? 0 : joinShift;
  const y = rowOf(from, column) + shift;
  const targetY = (toColumn === undefined ? to.y + headHeight / 2 : rowOf(to, toColumn)) + shift;
  const reach = gapX * 0.6;
  const middleY = (y + targetY) / 2;
  if (to.x === from.x) {
    const right = from.x + boxWidth;
    const path = `M${right} ${y}C${right + reach} ${y} ${right + reach} ${targetY} ${right} ${targetY}`;
    return { path, middle: [right + reach * 0.75, middleY] };
  }
  const isLeft = to.x < from.x;
  const start = isLeft ? from.x : from.x + boxWidth;
  const end = isLeft ? to.x + boxWidth : to.x;
  const bend = isLeft ? -reach : reach;
  const path = `M${start} ${y}C${start + bend} ${y} ${end - bend} ${targetY} ${end} ${targetY}`;
  return { path, middle: [(start + end) / 2, middleY] };
}

/** The middle of the column's row; of the head for a system column, and of the last row for a column that is not drawn. */
function rowOf({ y, table: { columns } }: Box, column: string): number {
  const row = columns.findIndex(({ colName }) => colName === column);
  return row < 0 ? y + headHeight / 2 : y + headHeight + (Math.min(row, rowsMax) + 0.5) * rowHeight;
}

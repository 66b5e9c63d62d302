/** Tables and callers for the tests of queries. */
import { defaults } from '../../src/config.ts';
import { definitionFrom, emptyCatalogue } from '../../src/schema/catalogue.ts';
import type { ColumnType, SpaceDefinition, Table } from '../../src/schema/model.ts';
import { systemColumns } from '../../src/schema/system.ts';
import { tableFrom } from '../../src/schema/table.ts';
import { zoneOf } from '../../src/schema/time.ts';

export const zone = zoneOf('UTC');
export const rules = { ...defaults, zone };
/** The time that NOW() stands for. */
export const now = Date.UTC(2026, 10, 22, 12, 30);

/** Short names of column types, for definitions in tests. */
export const types = {
  text: { kind: 'text' },
  integer: { kind: 'integer' },
  long: { kind: 'long' },
  double: { kind: 'double' },
  bool: { kind: 'bool' },
  datetime: { kind: 'datetime' },
  json: { kind: 'json' },
  varchar: (length: number): ColumnType => ({ kind: 'varchar', length }),
  decimal: (precision: number, scale: number): ColumnType => ({ kind: 'decimal', precision, scale }),
} as const;

let lastTableId = 0;

export function table(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  indexes: readonly (readonly string[])[] = [],
): Table {
  const own = Object.entries(columns).map(([column, type]) => ({ name: column, type, required: false, system: false }));
  return tableFrom({
    name,
    id: ++lastTableId,
    lockFree: false,
    columns: [...systemColumns(), ...own],
    indexes: indexes.map((names, number) => ({ columns: names, unique: false, number })),
  });
}

export function definitionOf(...tables: readonly Table[]): SpaceDefinition {
  return definitionFrom({ ...emptyCatalogue, tables });
}

/** All audiences of the test user: user 7 in groups 1 and 3. */
export const everything = ['u7', 'g1', 'g3', 'a'];

/** Members of the audiences of several groups. */
export const sharedMembers = [
  ['g1', 'g1,2'],
  ['g2', 'g1,2'],
  ['g2', 'g2,4'],
  ['g4', 'g2,4'],
] as const;

export type WireRow = Readonly<Record<string, string | null>>;

/** The sizes of tables on PostgreSQL: small ones are counted; for others, the planner's estimate is used. */
import type { ColumnType } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import type { DataSpaces, TableSize } from '../contract.ts';
import { typedRows } from '../typed-rows.ts';
import { physicalName, postgresDialect } from './dialect.ts';
import { planOf } from './explain.ts';

const long: ColumnType = { kind: 'long' };

/** Until a small table is analyzed, the planner assumes ten pages. */
const countedMax = 10_000;

/** @param bytes by the names in the database */
export async function sizesOf(
  spaces: Pick<DataSpaces, 'definition' | 'select'>,
  spaceId: number,
  names: readonly string[],
  bytes: ReadonlyMap<string, number>,
): Promise<readonly TableSize[]> {
  const { tables } = await spaces.definition(spaceId);
  const sizes: TableSize[] = [];
  for (const name of names) {
    const table = tables.get(name);
    if (table === undefined) continue;
    const from = postgresDialect.table(storedName(table));
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${countedMax + 1}) AS counted`;
    const [row] = await typedRows(spaces, spaceId, { sql, types: [long] });
    const counted = Number(row?.[0]);
    const rows = counted <= countedMax ? counted : estimate(await planOf(spaces, spaceId, `SELECT 1 FROM ${from}`, []));
    sizes.push({ table: name, rows: Math.max(counted, rows), bytes: bytes.get(physicalName(storedName(table))) ?? 0 });
  }
  return sizes;
}

/** The rows of the first node with an estimate by PostgreSQL; the number in a node of Citus is meaningless. */
function estimate(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  const { 'Node Type': type, 'Plan Rows': rows } = plan as { 'Node Type'?: string; 'Plan Rows'?: number };
  if (type !== undefined && type !== 'Custom Scan') return Number(rows);
  return Object.values(plan).reduce((found: number, part) => (found > 0 ? found : estimate(part)), 0);
}

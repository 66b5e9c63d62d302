/** The plan of a query on PostgreSQL, read from EXPLAIN (FORMAT JSON) (https://www.postgresql.org/docs/current/using-explain.html). */
import type { ColumnType, NumberedTable } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import type { BoundStatement, DataSpaces } from '../contract.ts';
import { type PlanAction, PlanNames, type PlanStep } from '../plan.ts';
import { typedRows } from '../typed-rows.ts';
import { physicalName } from './dialect.ts';

const text: ColumnType = { kind: 'text' };

type Spaces = Pick<DataSpaces, 'definition' | 'select'>;

/** See `DataSpaces.explain`. */
export async function explain(
  spaces: Spaces,
  spaceId: number,
  { statement, values }: BoundStatement,
): Promise<readonly PlanStep[]> {
  const names = new PlanNames(await spaces.definition(spaceId), physicalName);
  return planSteps(await planOf(spaces, spaceId, statement.sql, values), names);
}

/** @returns the output of EXPLAIN */
export async function planOf(
  spaces: Pick<Spaces, 'select'>,
  spaceId: number,
  sql: string,
  values: BoundStatement['values'],
): Promise<unknown> {
  const [row] = await typedRows(spaces, spaceId, { sql: `EXPLAIN (FORMAT JSON) ${sql}`, values, types: [text] });
  return JSON.parse(row?.[0] ?? '[]');
}

interface Node {
  readonly 'Node Type': string;
  readonly Strategy?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Hash Cond'?: string;
}

/** The context of a node: the table whose records it finds, and the node above it. */
interface Around {
  readonly relation: string | undefined;
  readonly above: Node | null;
}

/**
 * The steps of a plan: those of a node follow those of its inputs. On a cluster, a plan contains the workers' plans.
 */
export function planSteps(plan: unknown, names: PlanNames): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  const visit = (value: unknown, around: Around): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = 'Node Type' in value ? (value as Node) : null;
    const relation = node?.['Relation Name'] ?? around.relation;
    for (const part of inOrder(value)) visit(part, { relation, above: node ?? around.above });
    if (node !== null) steps.push(...stepsOf(node, { ...around, relation }, names));
  };
  visit(plan, { relation: undefined, above: null });
  return steps;
}

/** A join builds its hash table before it reads the other input. */
function inOrder(value: object): readonly unknown[] {
  const parts: readonly unknown[] = Object.values(value);
  const isHash = (part: unknown) => (part as Partial<Node> | null)?.['Node Type'] === 'Hash';
  return [...parts.filter(isHash), ...parts.filter((part) => !isHash(part))];
}

function stepsOf(node: Node, { relation = '', above }: Around, names: PlanNames): readonly PlanStep[] {
  const type = node['Node Type'];
  switch (type) {
    case 'Sort':
    case 'Incremental Sort':
      return [{ action: 'sort', table: null, columns: [] }];
    case 'Aggregate':
    case 'Group':
    case 'Unique':
      return node.Strategy === 'Plain' ? [] : [{ action: 'group', table: null, columns: [] }];
    case 'Hash': {
      const hashed = tableNamed(firstRelation(node) ?? '', names);
      const columns = hashed && names.columns(hashed, columnsIn(above?.['Hash Cond'] ?? ''));
      return hashed === undefined ? [] : [{ action: 'indexOnce', table: hashed.name, columns: columns ?? [] }];
    }
    case 'Seq Scan':
    case 'Index Scan':
    case 'Index Only Scan':
    case 'Bitmap Index Scan':
      return reading(node, tableNamed(relation, names), names);
    default:
      return [];
  }
}

function reading(node: Node, table: NumberedTable | undefined, names: PlanNames): readonly PlanStep[] {
  if (table === undefined) return [];
  const step = (action: PlanAction, columns: readonly string[]) => ({ action, table: table.name, columns });
  const index = node['Index Name'];
  if (index === undefined) return [step('walk', [])];
  const terms = names.termsOf(index) ?? names.termsOf(withoutShard(index));
  if (terms !== undefined) return [{ action: 'findByTerms', table: terms.table, columns: [terms.column] }];
  const condition = node['Index Cond'];
  if (condition !== undefined) return [step('find', names.columns(table, columnsIn(condition)))];
  return [
    step('walkIndex', names.indexColumns(index) ?? names.indexColumns(withoutShard(index)) ?? [systemName.objectId]),
  ];
}

function tableNamed(relation: string, names: PlanNames): NumberedTable | undefined {
  return names.table(relation) ?? names.table(withoutShard(relation));
}

/** On a worker of a cluster, names end with the number of the shard. */
function withoutShard(name: string): string {
  return name.replace(/_\d+$/, '');
}

function firstRelation(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('Relation Name' in value) return String(value['Relation Name']);
  return Object.values(value)
    .map(firstRelation)
    .find((found) => found !== undefined);
}

/** Names in a condition as PostgreSQL writes it, which also contains the query's values. */
function columnsIn(condition: string): readonly string[] {
  const withoutValues = condition.replace(/'(?:[^']|'')*'/g, '').replace(/::(?:"[^"]*"|\w+)/g, '');
  return [...withoutValues.matchAll(/"([^"]+)"|\w+/g)].map(([word, quoted]) => quoted ?? word);
}

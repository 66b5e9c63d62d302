/** The older form's joins: read, and ordered so that each join follows the one that adds its base table. */
import { quoted, ServiceError } from '../../errors.ts';
import type { Expression, Join } from '../ast.ts';
import { type ConditionGroup, type ConditionReader, combined } from './conditions.ts';

export interface JoinCondition {
  /** 1 inner join, 2 left outer join. */
  readonly joinType: number;
  readonly joinObjectName: string;
  readonly joinColumn: string;
  readonly baseObjectName: string;
  readonly baseColumn: string;
  readonly whereConditions?: readonly ConditionGroup[];
}

export interface OrderedJoin {
  readonly join: JoinCondition;
  readonly field: string;
}

const pointer = 'write it with aliases, as POST /data/query/{objectName} takes them';

/**
 * The first table and the joins in the order in which they apply, each after the one that adds its base table,
 * otherwise as sent. The first table is the first named one that no join adds.
 * @throws ServiceError 132 when a table is named twice, or no join connects it to the first one
 */
export function orderJoins(
  names: readonly string[],
  joins: readonly JoinCondition[],
): { first: string; joins: OrderedJoin[] } {
  const joined = new Set<string>();
  let waiting = joins.map((join, index): OrderedJoin => ({ join, field: `condition.joinConditions[${index}]` }));
  for (const { join, field } of waiting) {
    const { joinObjectName: name } = join;
    if (name === join.baseObjectName) {
      throw new ServiceError(132, `${field}: this form can't join ${quoted(name)} with itself; ${pointer}.`);
    }
    if (joined.has(name)) {
      throw new ServiceError(132, `${field}: this form can't join ${quoted(name)} a second time; ${pointer}.`);
    }
    joined.add(name);
  }
  const first = names.find((name) => !joined.has(name)) ?? names[0]!;
  const there = new Set([first]);
  const ordered: OrderedJoin[] = [];
  for (;;) {
    const next = waiting.find(({ join }) => there.has(join.baseObjectName) && !there.has(join.joinObjectName));
    if (next === undefined) break;
    waiting = waiting.filter((join) => join !== next);
    ordered.push(next);
    there.add(next.join.joinObjectName);
  }
  const lost = waiting[0];
  if (lost !== undefined) throw lostJoin(lost, first, there);
  const alone = names.find((name) => !there.has(name));
  if (alone !== undefined) {
    const advice = 'tables are never multiplied, so a condition.joinConditions entry is needed';
    throw new ServiceError(
      132,
      `objectNames: no join leads from table ${quoted(first)} to ${quoted(alone)}; ${advice}.`,
    );
  }
  return { first, joins: ordered };
}

function lostJoin({ join, field }: OrderedJoin, first: string, there: ReadonlySet<string>): ServiceError {
  const base = quoted(join.baseObjectName);
  if (there.has(join.joinObjectName)) {
    const name = quoted(join.joinObjectName);
    return new ServiceError(
      132,
      `${field}: the query already has table ${name} before its base table ${base} is joined.`,
    );
  }
  return new ServiceError(132, `${field}: no join leads from table ${quoted(first)} to its base table ${base}.`);
}

/** A join's own conditions belong to its ON (docs/reference/older-query.md#tables-and-joins). */
export function readJoins(ordered: readonly OrderedJoin[], reader: ConditionReader): Join[] {
  return ordered.map(({ join, field }) => {
    if (join.joinType !== 1 && join.joinType !== 2) {
      const expected = '1 (inner) or 2 (left outer)';
      throw new ServiceError(132, `${field}.joinType: expected ${expected}, got ${quoted(join.joinType)}.`);
    }
    const position = { source: field, at: 0 };
    const matches: Expression = {
      kind: 'comparison',
      operator: '=',
      left: { kind: 'column', alias: join.joinObjectName, column: join.joinColumn, position },
      right: { kind: 'column', alias: join.baseObjectName, column: join.baseColumn, position },
      ignoreCase: false,
      position,
    };
    const further = reader.groups(join.whereConditions ?? [], `${field}.whereConditions`);
    return {
      kind: join.joinType === 1 ? 'inner' : 'left',
      table: { table: join.joinObjectName, alias: join.joinObjectName, position },
      on: combined('AND', further === null ? [matches] : [matches, further], position),
    };
  });
}

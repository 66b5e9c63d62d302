/** Parses the older query form (docs/reference/older-query.md) into the tree. Its tables have no aliases. */
import type { Settings } from '../../config.ts';
import { missing, quoted, ServiceError } from '../../errors.ts';
import { type Scope, scope } from '../../schema/audience.ts';
import type { Expression, Query, SortKey } from '../ast.ts';
import { checkSortKeyCount, checkTableCount } from '../bounds.ts';
import { type ConditionGroup, type ConditionReader, conditionReader, requireTable } from './conditions.ts';
import { type JoinCondition, orderJoins, readJoins } from './joins.ts';

/** The body after the check of its outer shape: members that are present have these types. */
export interface StructuredForm {
  readonly objectNames: string | readonly string[];
  readonly returnedObjectNames: string | readonly string[];
  /** '' counts as absent: no id is empty. */
  readonly recordId?: string;
  readonly maxRecord?: number;
  readonly pageIndex?: number;
  readonly condition?: {
    readonly sortConditions?: readonly {
      readonly conditionValue: number;
      readonly tableName: string;
      readonly columnName: string;
    }[];
    readonly whereConditions?: readonly ConditionGroup[];
    readonly joinConditions?: readonly JoinCondition[];
    readonly scope?: number;
  };
}

export type StructuredLimits = Pick<Settings, 'queryTablesMax' | 'parametersMax' | 'maxRecordDefault' | 'maxRecordMax'>;

export interface Page {
  /** From 1. */
  readonly pageIndex: number;
  /** Records per page; with a `recordId` there is one page without a limit (docs/reference/older-query.md#pages). */
  readonly maxRecord: number;
}

export interface ReadStructuredForm {
  readonly query: Query;
  readonly parameters: readonly (string | null)[];
  readonly page: Page;
  /** Which audiences are included (`membersOf` in `schema/audience.ts`). */
  readonly scope: Scope;
}

/** @throws ServiceError 132; `missing` where a required list or text is empty */
export function readStructuredForm(form: StructuredForm, limits: StructuredLimits): ReadStructuredForm {
  const condition = form.condition ?? {};
  const names = namesOf(form.objectNames, 'objectNames');
  const joinForms = condition.joinConditions ?? [];
  checkSortKeyCount(condition.sortConditions?.length ?? 0);
  checkTableCount(Math.max(names.length, joinForms.length + 1), limits.queryTablesMax);
  const { first, joins: ordered } = orderJoins(names, joinForms);
  const tables = [first, ...ordered.map(({ join }) => join.joinObjectName)];
  const recordId = form.recordId === '' ? undefined : form.recordId;

  const reader = conditionReader(tables, limits.parametersMax);
  const joins = readJoins(ordered, reader);
  const where = readWhere(names[0]!, recordId, condition.whereConditions ?? [], reader);
  const query: Query = {
    from: { table: first, alias: first, position: { source: pathOf('objectNames', form.objectNames, first), at: 0 } },
    joins,
    further: [],
    where,
    orderBy: readSort(condition.sortConditions ?? [], tables),
    ranged: recordId === undefined,
    returned: readReturned(form, tables),
  };
  const page = readPage(form, recordId, limits);
  return { query, parameters: reader.parameters, page, scope: readScope(condition.scope) };
}

/** The names, without repeats. */
function namesOf(sent: string | readonly string[], field: string): readonly string[] {
  const names = typeof sent === 'string' ? [sent] : sent;
  if (names.length === 0) throw missing(field);
  for (const [index, name] of names.entries()) {
    if (name === '') throw missing(typeof sent === 'string' ? field : `${field}[${index}]`);
  }
  return [...new Set(names)];
}

/** `objectNames[1]`, or the field itself if it is a plain text. */
function pathOf(field: string, sent: string | readonly string[], name: string): string {
  return typeof sent === 'string' ? field : `${field}[${sent.indexOf(name)}]`;
}

function readReturned(form: StructuredForm, tables: readonly string[]): readonly string[] {
  const field = 'returnedObjectNames';
  const sent = form.returnedObjectNames;
  const returned = namesOf(sent, field);
  for (const name of returned) requireTable(name, tables, pathOf(field, sent, name));
  return returned;
}

/** `recordId` applies to the first named table (docs/reference/older-query.md#pages). */
function readWhere(
  firstNamed: string,
  recordId: string | undefined,
  groups: readonly ConditionGroup[],
  reader: ConditionReader,
): Expression | null {
  const where = reader.groups(groups, 'condition.whereConditions');
  if (recordId === undefined) return where;
  const position = { source: 'recordId', at: 0 };
  const isRecord: Expression = {
    kind: 'comparison',
    operator: '=',
    left: { kind: 'column', alias: firstNamed, column: 'objectId', position },
    right: reader.parameter(recordId, position),
    ignoreCase: false,
    position,
  };
  return where === null ? isRecord : { kind: 'logical', operator: 'AND', operands: [where, isRecord], position };
}

function readSort(
  sort: NonNullable<NonNullable<StructuredForm['condition']>['sortConditions']>,
  tables: readonly string[],
): SortKey[] {
  return sort.map(({ conditionValue, tableName, columnName }, index) => {
    const field = `condition.sortConditions[${index}]`;
    if (conditionValue !== 1 && conditionValue !== 2) {
      const expected = '1 (ascending) or 2 (descending)';
      throw new ServiceError(132, `${field}.conditionValue: expected ${expected}, got ${quoted(conditionValue)}.`);
    }
    requireTable(tableName, tables, `${field}.tableName`);
    const position = { source: field, at: 0 };
    return {
      column: { kind: 'column', alias: tableName, column: columnName, position },
      descending: conditionValue === 2,
    };
  });
}

function readPage(form: StructuredForm, recordId: string | undefined, limits: StructuredLimits): Page {
  const { maxRecord = Math.min(limits.maxRecordDefault, limits.maxRecordMax), pageIndex = 1 } = form;
  if (!Number.isSafeInteger(maxRecord) || maxRecord < 1 || maxRecord > limits.maxRecordMax) {
    const expected = `1 to ${limits.maxRecordMax} (setting maxRecordMax)`;
    throw new ServiceError(132, `maxRecord: expected ${expected}, got ${quoted(maxRecord)}.`);
  }
  if (!Number.isSafeInteger(pageIndex * maxRecord) || pageIndex < 1) {
    throw new ServiceError(132, `pageIndex: expected a whole number from 1, got ${quoted(pageIndex)}.`);
  }
  return recordId === undefined ? { pageIndex, maxRecord } : { pageIndex: 1, maxRecord: Number.MAX_SAFE_INTEGER };
}

function readScope(sent: number = scope.all): Scope {
  if (sent === scope.user || sent === scope.group || sent === scope.all) return sent;
  throw new ServiceError(132, `condition.scope: expected 1 (user), 2 (group) or 3 (all), got ${quoted(sent)}.`);
}

/** Compiles a checked query into SQL with numbered placeholders. No client text reaches the SQL: values are bound. */
import type { Settings } from '../config.ts';
import type { Column, Table } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';
import type { Query } from './ast.ts';
import { long, text } from './check/types.ts';
import type { CheckedQuery, ColumnUse } from './checked.ts';
import { type BindRules, binderOf } from './compile/binder.ts';
import { columnSql, filterPart, valueSql, type Writer } from './compile/expressions.ts';
import { groupedSql, groupOrder, sumsMayOverflow } from './compile/groups.ts';
import { pagesInJoinOrder, walkedIndex } from './compile/join-order.ts';
import { isLight } from './compile/light.ts';
import { isFoundByTerms } from './compile/match.ts';
import { afterSql, fullOrder, isNeverNull, leavesRows, objectIdOf } from './compile/order.ts';
import { orderIdentity } from './compile/order-identity.ts';
import { bothSql, heldAfter, plannedTermsMax, sourceSql, usedColumns } from './compile/source.ts';
import { callsFunctions, SteppedWriting, type SteppingBounds } from './compile/stepping.ts';
import { subQueryPart } from './compile/sub-queries.ts';
import { firstOfEachAudience, visibleRecord } from './scope.ts';
import type {
  AnswerForm,
  Dialect,
  Inputs,
  Output,
  RowsOutput,
  Statement,
  SteppedStatement,
  WalkedIndex,
} from './statement.ts';

let lastId = 0;

/** For a statement created elsewhere (`Statement.id`). */
export function newStatementId(): number {
  return ++lastId;
}

/**
 * How the rows of a query are found: by a walk through all records that skips the invisible ones, or by a search for
 * each audience of the caller. The search finds a page quickly even for a caller who sees one record in a thousand, and
 * costs little for one who sees all.
 */
export type RowPlan = 'walk' | 'by audience';

/**
 * Beyond these limits a walk is the better plan, because the search reads, for each audience, all rows up to the end of
 * the page.
 */
const audiencesMax = 16;
const pagedRowsMax = 1_000;

/** The better plan for a page of one table. */
export function rowPlan(query: Query, { members, offset = 0, limit = -1 }: Inputs): RowPlan {
  const isPage = query.ranged && limit >= 0 && offset + limit <= pagedRowsMax;
  const isOfOneTable = query.joins.length === 0 && query.rows?.groups === undefined;
  return isPage && isOfOneTable && members.length <= audiencesMax ? 'by audience' : 'walk';
}

export type CompileRules = BindRules & SteppingBounds & Pick<Settings, 'groupsMax'>;

/** The rows of a query in order. Each row holds the columns of all outputs, one output after the other. */
export function compileRows(
  checked: CheckedQuery,
  dialect: Dialect,
  rules: CompileRules,
  plan: RowPlan = 'walk',
): Statement {
  const answer = answerForm(checked);
  const groups = checked.rows?.groups;
  const write = (writer: Writer) => {
    if (groups === undefined) return rowsSql(checked, writer, isFoundByTerms(checked.where, 0) ? 'walk' : plan);
    return groupedSql(checked, groups, writer, () => sourceSql(checked, writer, false, null), rules.groupsMax);
  };
  const statement = { ...compiled(checked, dialect, rules, write), ...answer };
  if (groups !== undefined && sumsMayOverflow(groups, dialect)) {
    return { ...statement, withWideSums: other({ ...writerOf(checked, dialect, rules), hasWideSums: true }, write) };
  }
  const walked = plan === 'by audience' && dialect.triesWalks ? walkedIndex(checked) : null;
  if (walked === null) return statement;
  const writer = { ...writerOf(checked, dialect, rules), findsTerms: false };
  return { ...statement, inOrder: other(writer, () => rowsSql(checked, writer, plan, walked)) };
}

/** Other SQL for the rows of a statement, made when it is first asked for. */
function other(writer: Writer, write: (writer: Writer) => string): NonNullable<Statement['inOrder']> {
  let made: ReturnType<NonNullable<Statement['inOrder']>> | undefined;
  return () => {
    made ??= { id: ++lastId, ...writer.binder.finish(write(writer)) };
    return made;
  };
}

function answerForm(checked: CheckedQuery): AnswerForm {
  const { returned, tables, rows } = checked;
  const selected = rows?.selected ?? null;
  const records = returned.map((index): Output => {
    const { alias, table } = tables[index]!;
    return { key: alias, columns: table.columns };
  });
  const outputs = selected === null ? records : [{ key: '', columns: selected }];
  if (rows === undefined) return { outputs };
  const page = rows.after === null ? withoutCursor : pageOf(checked);
  return { outputs, rows: { typed: rows.typed, nested: selected === null, ...page } };
}

const withoutCursor = { keys: [], order: null, leavesRows: false } as const;

function pageOf(checked: CheckedQuery): Pick<RowsOutput, 'keys' | 'order' | 'leavesRows'> {
  const groups = checked.rows?.groups;
  if (groups !== undefined) {
    const order = groupOrder(groups);
    return { keys: order.map(({ type }) => type), order: orderIdentity(checked, order), leavesRows: false };
  }
  const order = fullOrder(checked);
  const keys = order.map(({ column }) => column.column.type);
  return { keys, order: orderIdentity(checked, order), leavesRows: leavesRows(checked, order) };
}

function rowsSql(checked: CheckedQuery, writer: Writer, plan: RowPlan, walked: WalkedIndex | null = null): string {
  const { dialect } = writer;
  const order = fullOrder(checked);
  const selected = selectedSql(checked, order, writer);
  const keys = order.map(({ column, descending }) =>
    dialect.sorted(columnSql(column, writer), descending, isNeverNull(column, checked)),
  );
  const after = afterSql(checked, order, writer);
  const source =
    plan === 'walk'
      ? sourceSql(checked, writer, pagesInJoinOrder(checked, order), after)
      : pageSql(checked, writer, keys, after, walked);
  const parts = [`SELECT ${selected.join(', ')}`, source, `ORDER BY ${keys.join(', ')}`];
  if (checked.ranged) parts.push(dialect.range(writer.binder.limit(), writer.binder.offset()));
  return parts.join(' ');
}

/** The columns of each row: the outputs and, for a cursor, the keys of the order. */
function selectedSql(checked: CheckedQuery, order: CheckedQuery['orderBy'], writer: Writer): readonly string[] {
  const { returned, tables, rows } = checked;
  const column = (use: ColumnUse) => writer.dialect.selected(columnSql(use, writer), use.column.type);
  const values =
    rows?.selected?.map(({ value, type }) =>
      value.kind === 'column' ? column(value) : writer.dialect.computed(valueSql(value, writer), type),
    ) ??
    returned.flatMap((table) =>
      tables[table]!.table.columns.map((one) => column({ kind: 'column', table, column: one })),
    );
  const hasCursor = rows !== undefined && rows.after !== null;
  return hasCursor ? [...values, ...order.map((key) => column(key.column))] : values;
}

/** How many rows a query has; order and range do not matter. */
export function compileCount(checked: CheckedQuery, dialect: Dialect, rules: CompileRules): Statement {
  return compiled(checked, dialect, rules, (writer) => `SELECT count(*) ${sourceSql(checked, writer, false, null)}`);
}

/** The statement that the given function writes, and its stepped form if the SQL calls functions. */
function compiled(
  checked: CheckedQuery,
  dialect: Dialect,
  rules: CompileRules,
  write: (writer: Writer) => string,
): Statement {
  const writer = writerOf(checked, dialect, rules);
  const statement = { id: ++lastId, outputs: [], isLight: isLight(checked), ...writer.binder.finish(write(writer)) };
  const { stepping } = dialect;
  if (stepping === null || !callsFunctions(checked)) return statement;
  let made: SteppedStatement | undefined;
  const inSteps = () => {
    const steps = new SteppedWriting(checked, stepping, rules);
    const stepped = { ...writerOf(checked, dialect, rules), hasWideSums: true, steps };
    made ??= { main: stepped.binder.finish(write(stepped)), fills: steps.fills(stepped.binder, dialect) };
    return made;
  };
  return { ...statement, inSteps };
}

/**
 * One record by its objectId, which is the only parameter.
 * @param typed whether values are JSON of their type; otherwise text
 */
export function compileRecord(table: Table, dialect: Dialect, typed = false): Statement {
  const selected = table.columns.map((column) => dialect.selected(dialect.column(storedName(column)), column.type));
  const { type } = objectIdOf(table);
  const sqlOf = (id: string, members: string) =>
    `SELECT ${selected.join(', ')} ${visibleRecord(table, id, members, dialect)}`;
  const { merged } = dialect;
  return {
    id: ++lastId,
    sql: sqlOf(dialect.placeholder(1, false, type), dialect.placeholder(2, false, 'members')),
    ...(merged === null ? {} : { merged: merged.sql(sqlOf(merged.id, merged.members)) }),
    outputs: [{ key: table.name, columns: table.columns }],
    ...(typed ? { rows: { typed, nested: false, ...withoutCursor } } : {}),
    bind: ({ parameters, members }) => [dialect.bound(parameters[0]!, type), dialect.boundMembers(members)],
  };
}

/** The history of a transaction, whose id is the only parameter. Columns are identified by name. */
export function compileTransaction(dialect: Dialect): Statement {
  const types = { time: long, user_id: long, operations: text, answer: text };
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
  const selected = columns.map(({ name, type }) => dialect.selected(dialect.column(name), type));
  const id = dialect.placeholder(1, false, text);
  return {
    id: ++lastId,
    sql: `SELECT ${selected.join(', ')} FROM ${dialect.table('_history')} WHERE ${dialect.column('transaction_id')} = ${id}`,
    outputs: [{ key: '', columns }],
    rows: { typed: true, nested: false, ...withoutCursor },
    bind: ({ parameters }) => [dialect.bound(parameters[0]!, text)],
  };
}

function writerOf(checked: CheckedQuery, dialect: Dialect, rules: CompileRules): Writer {
  const { allTables: tables } = checked;
  const used = tables.map(() => new Set<Column>());
  const { zone, valueBytesMax } = rules;
  return {
    tables,
    dialect,
    binder: binderOf(checked.slots, dialect, rules),
    zone,
    valueBytesMax,
    used,
    held: heldAfter(checked.joins, checked.joins.length),
    grouped: [],
    hasWideSums: false,
    findsTerms: true,
    steps: null,
    subQuery: subQueryPart,
  };
}

/** FROM of a page of a single table: the first rows of each audience, from which the page is taken. */
function pageSql(
  checked: CheckedQuery,
  writer: Writer,
  keys: readonly string[],
  after: string | null,
  walked: WalkedIndex | null,
): string {
  const { dialect, binder } = writer;
  const condition = bothSql(
    checked.where === null ? null : filterPart(checked.where, plannedTermsMax, writer).sql,
    after,
  );
  const { table } = checked.tables[0]!;
  const columns = usedColumns(0, writer);
  const rows = `${binder.limit()} + ${binder.offset()}`;
  const page = { columns, condition, order: keys.join(', '), rows, walked };
  return `FROM ${firstOfEachAudience(table, 't0', binder.members(), page, dialect)}`;
}

/** The catalogue of a data space, stored in its own database: reads it, and writes the result of a change. */
import type { BoundValue } from '../query/statement.ts';
import { definitionFrom } from '../schema/catalogue.ts';
import type {
  BinEntry,
  Catalogue,
  Column,
  ColumnType,
  DefinitionChange,
  FinishedJob,
  NamedBefore,
  NumberedIndex,
  NumberedTable,
  SpaceDefinition,
} from '../schema/model.ts';
import { createIndexes, type LayoutDialect } from './layout.ts';
import type { Step, StepRow, Work } from './work.ts';

/** The kinds of rows of `definitionSql`. */
const kind = { space: 0, table: 1, column: 2, index: 3, bin: 4, former: 5 } as const;

/** How many columns `definitionSql` has. */
export const definitionColumns = 10;

/** Stands for the number of a column where the table itself is meant. */
const noColumn = -1;

/** One statement, so that it reads one state. Columns: the kind of row, two numbers, four texts, three numbers. */
export function definitionSql({ table }: LayoutDialect): string {
  return `SELECT ${kind.space}, definition_version, next_table_id, '', '', '', CAST(NULL AS TEXT), 0, 0, 0 FROM ${table('_space')}
    UNION ALL SELECT ${kind.table}, id, 0, name, '', coalesce(stored, name), NULL, CAST(lock_free AS INTEGER), 0, 0 FROM ${table('_table')}
    UNION ALL SELECT ${kind.column}, table_id, position, name, type, coalesce(stored, name), given,
      CAST(required AS INTEGER), CAST(system AS INTEGER), refers_to FROM ${table('_column')}
    UNION ALL SELECT ${kind.index}, table_id, position, '', columns, '', NULL, CAST(is_unique AS INTEGER), 0, 0 FROM ${table('_index')}
    UNION ALL SELECT ${kind.bin}, id, table_id, name, indexes, dropped_by, CAST(number AS TEXT), time, until, 0 FROM ${table('_bin')}
    UNION ALL SELECT ${kind.former}, table_id, number, name, '', '', NULL, time, 0, 0 FROM ${table('_former_name')}
    ORDER BY 1, 2, 3`;
}

/** @param rows of `definitionSql`; further columns are ignored */
export function definitionOf(rows: readonly StepRow[]): SpaceDefinition {
  let counted: { readonly version: number; readonly nextId: number } | undefined;
  const tables = new Map<number, NumberedTable & { columns: Column[]; indexes: NumberedIndex[] }>();
  const bin: BinEntry[] = [];
  const former: NamedBefore[] = [];
  for (const row of rows) {
    const numbers = [row[1], row[2], row[7], row[8], row[9]].map(Number);
    const [id, position, time, until, refersTo] = numbers as [number, number, number, number, number];
    const [name, content, stored, given] = row.slice(3, 7) as [string, string, string, string | null];
    const differing = stored === name ? {} : { stored };
    switch (Number(row[0])) {
      case kind.space:
        counted = { version: id, nextId: position };
        break;
      case kind.table:
        tables.set(id, { name, ...differing, id, columns: [], indexes: [], lockFree: time === 1 });
        break;
      case kind.column:
        tables.get(id)?.columns.push({
          name,
          type: JSON.parse(content),
          required: time === 1,
          system: until === 1,
          ...(given === null ? {} : { default: given }),
          ...(refersTo === 0 ? {} : { refersTo }),
          ...differing,
          number: position,
        });
        break;
      case kind.index:
        tables.get(id)?.indexes.push({ columns: JSON.parse(content), unique: time === 1, number: position });
        break;
      case kind.bin: {
        const column = columnNumber(Number(given));
        bin.push({ id, tableId: position, column, name, indexes: JSON.parse(content), by: stored, time, until });
        break;
      }
      case kind.former:
        former.push({ tableId: id, column: columnNumber(position), name, time });
    }
  }
  if (counted === undefined)
    throw new Error('The data space is damaged: a row of one of its internal tables is missing.');
  return definitionFrom({ ...counted, tables: [...tables.values()], bin, former });
}

function columnNumber(number: number): number | null {
  return number === noColumn ? null : number;
}

export function* readDefinition(dialect: LayoutDialect): Work<SpaceDefinition> {
  return definitionOf(yield { sql: definitionSql(dialect) });
}

/** The last part of a change: writes the new catalogue, increases the version, and reads the definition. */
export function* changed(
  dialect: LayoutDialect,
  before: Catalogue,
  { after, reset, job }: DefinitionChange,
): Work<SpaceDefinition> {
  const { table } = dialect;
  if (reset)
    for (const name of ['_tombstone', '_audience_member', '_history']) yield { sql: `DELETE FROM ${table(name)}` };
  const [was, is] = [before, after].map(({ tables }) => new Map(tables.map((each) => [each.id, JSON.stringify(each)])));
  // All of them are removed first, because two tables may exchange their names.
  for (const { id } of before.tables) if (is?.get(id) !== was?.get(id)) yield* forgetTable(dialect, id);
  for (const each of after.tables) if (is?.get(each.id) !== was?.get(each.id)) yield* noteTable(dialect, each);
  yield* noteFormer(dialect, after);
  if (job !== undefined) yield* noteJob(dialect, job);
  yield {
    sql: `UPDATE ${table('_space')} SET definition_version = definition_version + 1, next_table_id = ${after.nextId}`,
  };
  return yield* readDefinition(dialect);
}

/** How many of the latest jobs are kept. */
const jobsMax = 100;

function* noteJob(dialect: LayoutDialect, { id, time, content }: FinishedJob): Work<void> {
  const jobs = dialect.table('_job');
  yield { sql: `DELETE FROM ${jobs} WHERE id NOT IN (SELECT id FROM ${jobs} ORDER BY time DESC LIMIT ${jobsMax - 1})` };
  yield* inserted(dialect, '_job', ['id', 'time', 'content'], [[id, time, content]]);
}

function* forgetTable({ table }: LayoutDialect, id: number): Work<void> {
  for (const name of ['_column', '_index']) yield { sql: `DELETE FROM ${table(name)} WHERE table_id = ${id}` };
  yield { sql: `DELETE FROM ${table('_table')} WHERE id = ${id}` };
}

function* noteTable(dialect: LayoutDialect, { id, name, columns, indexes, ...table }: NumberedTable): Work<void> {
  yield* inserted(
    dialect,
    '_table',
    ['id', 'name', 'stored', 'lock_free'],
    [[id, name, table.stored ?? null, table.lockFree]],
  );
  yield* inserted(
    dialect,
    '_column',
    ['table_id', 'position', 'name', 'type', 'required', 'system', 'stored', 'given', 'refers_to'],
    columns.map(({ number, name, type, required, system, stored = null, ...column }, index) => {
      const { default: given = null, refersTo = 0 } = column;
      return [id, number ?? index, name, JSON.stringify(type), required, system, stored, given, refersTo];
    }),
  );
  const rows = indexes.map(({ number, columns, unique }) => [id, number, JSON.stringify(columns), unique]);
  yield* inserted(dialect, '_index', ['table_id', 'position', 'columns', 'is_unique'], rows);
}

/** Writes the bin and former names. */
export function* noteFormer(dialect: LayoutDialect, { bin, former }: Pick<Catalogue, 'bin' | 'former'>): Work<void> {
  for (const name of ['_bin', '_former_name']) yield { sql: `DELETE FROM ${dialect.table(name)}` };
  const columns = ['id', 'table_id', 'number', 'name', 'indexes', 'dropped_by', 'time', 'until'];
  const entries = bin.map(({ id, tableId, column, name, indexes, by, time, until }) => {
    return [id, tableId, column ?? noColumn, name, JSON.stringify(indexes), by, time, until];
  });
  yield* inserted(dialect, '_bin', columns, entries);
  const names = former.map(({ tableId, column, name, time }) => [tableId, column ?? noColumn, name, time]);
  yield* inserted(dialect, '_former_name', ['table_id', 'number', 'name', 'time'], names);
}

/** Builds the indexes of a table without any, and adds the table to the definition. */
export function* completeTable(dialect: LayoutDialect, table: NumberedTable): Work<void> {
  yield* noteTable(dialect, table);
  for (const sql of createIndexes(dialect, table)) yield { sql };
}

type Cell = number | string | boolean | null;

/** Rows per statement, because engines limit the number of values. */
const rowsMax = 1_000;

function* inserted(
  { table, column, placeholder, bound }: LayoutDialect,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Work<void> {
  for (let from = 0; from < rows.length; from += rowsMax) {
    const values: BoundValue[] = [];
    const boundAt = (cell: Cell) => {
      const type = typeOf(cell);
      return placeholder(values.push(bound(cell, type)), true, type);
    };
    const tuples = rows.slice(from, from + rowsMax).map((row) => `(${row.map(boundAt).join(', ')})`);
    const step: Step = {
      sql: `INSERT INTO ${table(name)} (${columns.map(column).join(', ')}) VALUES ${tuples.join(', ')}`,
      values,
    };
    yield step;
  }
}

function typeOf(cell: Cell): ColumnType {
  if (typeof cell === 'boolean') return { kind: 'bool' };
  return { kind: typeof cell === 'number' ? 'long' : 'text' };
}

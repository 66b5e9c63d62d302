/**
 * Checks conditions while they are typed, with the same code that the service uses for queries: names, types, and the
 * position of the error. Loaded when a screen needs it. Limits on size are left to the service.
 */
import { check } from '../src/query/check.ts';
import { parseSelectForm } from '../src/query/select-form.ts';
import { definitionFrom, emptyCatalogue } from '../src/schema/catalogue.ts';
import { parseValue, readType } from '../src/schema/column-type.ts';
import { newTerms } from '../src/schema/full-text.ts';
import type { NumberedTable, SpaceDefinition } from '../src/schema/model.ts';
import { systemColumnNamed, systemColumns } from '../src/schema/system.ts';
import { zoneOf } from '../src/schema/time.ts';
import { ValueError } from '../src/schema/values.ts';
import { queryOf, type TableDescription, type Wanted } from './queries.ts';

const unbounded = 1e9;
const limits = {
  queryTablesMax: 64,
  likePatternMax: unbounded,
  functionBytesMax: unbounded,
  valueBytesMax: unbounded,
  expressionDepthMax: 200,
  expressionBytesMax: unbounded,
  parametersMax: unbounded,
  zone: 'UTC',
};

const zone = zoneOf(limits.zone);

export interface Fault {
  readonly message: string;
  /** Position of the character in the condition, from 0; null without a position. */
  readonly at: number | null;
}

/** The tables of a version, against which queries are checked. They come from the service, which has checked them. */
export function definitionOf(tables: readonly TableDescription[]): SpaceDefinition {
  return definitionFrom({ ...emptyCatalogue, tables: tables.map(storedTable) });
}

/** The table in the service's form, as far as queries need it. */
function storedTable({ name, columns }: TableDescription, id: number): NumberedTable {
  const spelled = (createTime: string) => columns.some(({ colName }) => colName === createTime);
  const system = systemColumns({
    createTime: spelled('createTime') ? 'createTime' : 'CreateTime',
    updateTime: spelled('updateTime') ? 'updateTime' : 'UpdateTime',
  });
  const defined = columns.filter(({ colName }) => systemColumnNamed(colName) === undefined);
  const own = defined.map((column) => ({
    name: column.colName,
    type: readType(column, column.colName),
    required: column.required === true,
    system: false,
  }));
  const all = [...system, ...own].map((column, number) => ({ ...column, number }));
  const searched = all.filter((_, at) => defined[at - system.length]?.fullText === true);
  const terms = searched.map((column, at) => newTerms(column, all.length + at));
  return { id, name, columns: [...all, ...terms], indexes: [], lockFree: false };
}

/** What is wrong with a condition on a table's records; null if it is valid. */
export function faultOf(definition: SpaceDefinition, wanted: Wanted): Fault | null {
  try {
    const { query } = parseSelectForm(queryOf(wanted), null, limits);
    check(query, definition, limits);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = /^where\.expression(?:\.source)?, character (\d+)/.exec(message)?.[1];
    return {
      message: message.replace(/^where\.expression(?:\.source)?(, character \d+)?: /, ''),
      at: at === undefined ? null : Number(at) - 1,
    };
  }
}

/** What is wrong with a value for a column of a table; null if it is valid, and for unknown columns. */
export function valueFaultOf(
  { tables }: SpaceDefinition,
  table: string,
  column: string,
  value: unknown,
): string | null {
  const type = tables.get(table)?.slots.get(column)?.column.type;
  if (type === undefined) return null;
  try {
    parseValue(type, value, { ...limits, zone });
    return null;
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
}

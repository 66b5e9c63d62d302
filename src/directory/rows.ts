/**
 * Reads and writes rows of an entity (`entities/`) by its columns: converts a row from SQL, checks one and converts it
 * to SQL, and gives the fields of lists.
 */
import type { Insertable, Selectable, SelectQueryBuilder, Updateable } from 'kysely';
import {
  type Column,
  type Entity,
  type InsertOf,
  isText,
  type RowOf,
  sqlName,
  storedColumns,
  type WrittenOf,
} from '../entities/entity.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { DirectoryTables, TableOf } from '../storage/tables.ts';
import type { DirectoryDatabase } from './ownership.ts';
import { type Page, type PageField, type PageFields, type PageLimits, type PageRequest, page } from './paging.ts';
import { checkedOptionalName } from './text.ts';

/** Checks a value and returns the form to write. @throws ServiceError `missing`, `malformed` */
type Check<Value> = (field: string, value: NonNullable<Value>) => NonNullable<Value>;
type Checks<Row> = { readonly [Field in keyof Row]?: Check<Row[Field]> };

export interface Rows<Of extends Entity> {
  readonly fields: PageFields;
  /** @throws ServiceError `internal` for a word that is not one of the column's */
  read(row: Selectable<TableOf<Of>>): RowOf<Of>;
  /** Exactly the given fields. @throws ServiceError as the checks */
  inserted(row: InsertOf<Of>): Insertable<TableOf<Of>>;
  changed(row: WrittenOf<Of>): Updateable<TableOf<Of>>;
}

/**
 * @param checks by field; a text field without a check is a name for people, or empty
 * @param alias the table's alias in list queries that join several
 */
export function rowsOf<Of extends Entity>(
  entity: Of,
  checks: Checks<Required<WrittenOf<Of>>> = {},
  alias?: string,
): Rows<Of> {
  const stored = storedColumns(entity).map(([field, column]) => ({ field, column, name: sqlName(field, column) }));
  const checkOf = checks as Readonly<Record<string, Check<unknown> | undefined>>;
  function written(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const given = stored.filter(({ field }) => row[field] !== undefined);
    return Object.fromEntries(
      given.map(({ field, column, name }) => [name, toSql(field, column, row[field], checkOf[field])]),
    );
  }
  return {
    fields: Object.fromEntries(
      stored.map(({ field, column, name }) => [
        field,
        pageField(column, alias === undefined ? name : `${alias}.${name}`, entity.key.includes(field)),
      ]),
    ),
    read(row) {
      const columns = row as Readonly<Record<string, unknown>>;
      const values = stored
        .filter(({ column }) => column.unread === undefined)
        .map(({ field, column, name }) => [field, fromSql(entity, column, columns[name])]);
      return Object.fromEntries(values) as RowOf<Of>;
    },
    inserted: (row) => written(row as Readonly<Record<string, unknown>>) as Insertable<TableOf<Of>>,
    changed: (row) => written(row as Readonly<Record<string, unknown>>) as Updateable<TableOf<Of>>,
  };
}

/** A page of rows of the entity. @throws ServiceError `malformed` as `page` */
export async function pageOf<Of extends Entity, From extends keyof DirectoryTables>(
  db: DirectoryDatabase,
  { fields, read }: Rows<Of>,
  query: SelectQueryBuilder<DirectoryTables, From, Selectable<TableOf<Of>>>,
  request: PageRequest,
  limits: PageLimits,
): Promise<Page<RowOf<Of>>> {
  const { results, count } = await page(db, query, fields, request, limits);
  return { results: results.map(read), count };
}

function pageField(described: Column, column: string, key: boolean): PageField {
  const { type, nullable, sorts, filters, searches } = described;
  return {
    column,
    kind: type === 'flag' ? 'flag' : isText(described) ? 'text' : 'whole',
    key,
    nullable: nullable === true,
    sortable: sorts === true,
    filterable: filters !== undefined,
    searchable: searches === true,
  };
}

function fromSql({ table }: Entity, column: Column, value: unknown): unknown {
  if (value === null) return null;
  switch (column.type) {
    case 'flag':
      return value === 1;
    case 'texts':
      return String(value)
        .split(' ')
        .filter((text) => text !== '');
    case 'json':
      return JSON.parse(String(value));
    case 'choice':
      if (column.words.includes(String(value))) return value;
      throw new ServiceError('internal', `${table}: expected one of ${column.words.join(', ')}, got ${quoted(value)}.`);
    default:
      return value;
  }
}

function toSql(field: string, column: Column, value: unknown, check: Check<unknown> | undefined): unknown {
  if (value === null || value === undefined) return null;
  const checked = check === undefined ? value : check(field, value);
  switch (column.type) {
    case 'flag':
      return Number(checked);
    case 'texts':
      return (checked as readonly string[]).join(' ');
    case 'json':
      return JSON.stringify(checked);
    case 'text':
      return check === undefined && isTaken(column) ? checkedOptionalName(field, String(checked)) : checked;
    default:
      return checked;
  }
}

/** Whether operations accept it from the caller. */
function isTaken({ add, change, given }: Column): boolean {
  return (add ?? change ?? given) !== undefined;
}

/** The types of tables that `rowhouse-client types` writes for an application, and their parts. */

/** The type of a column or of a computed value; varchar counts as text, float as double. */
export type Kind = 'text' | 'integer' | 'long' | 'double' | 'decimal' | 'bool' | 'datetime' | 'json';

interface Values {
  text: string;
  integer: number;
  long: string;
  double: number;
  decimal: string;
  bool: boolean;
  datetime: string;
  json: unknown;
}

/** The type of a value in an answer: long and decimal are strings, because a JSON number might lose digits. */
export type ValueOf<K extends Kind | null> = K extends Kind ? Values[K] : null;

/** The system columns of every table, by their kinds. */
export interface SystemColumns {
  objectId: 'text';
  CreateTime: 'text' | null;
  UpdateTime: 'text' | null;
  serverCreateTime: 'datetime';
  serverUpdateTime: 'datetime';
  serverRecordStatus: 'integer';
  scopeType: 'integer';
  groupIds: 'text' | null;
  createUserId: 'long';
}

/** The system columns of every record. */
export interface SystemRow {
  objectId: string;
  CreateTime: string | null;
  UpdateTime: string | null;
  serverCreateTime: string;
  /** The optimistic lock: it changes with each update. */
  serverUpdateTime: string;
  serverRecordStatus: number;
  /** Who sees the record: 1 its creator, 2 the members of `groupIds`, 3 everyone. */
  scopeType: number;
  groupIds: string | null;
  createUserId: string;
}

/** The system columns that a client sets. */
export interface SystemUpdate {
  CreateTime?: string | null;
  UpdateTime?: string | null;
  scopeType?: 1 | 2 | 3;
  groupIds?: string | readonly number[] | null;
}

/** The same for a new record; the client creates its id unless one is given. */
export interface SystemInsert extends SystemUpdate {
  objectId?: string;
}

/** The entry of an application's `Tables` for each table. */
export interface TableTypes {
  row: SystemRow;
  insert: SystemInsert;
  update: SystemUpdate;
  columns: SystemColumns;
  /** By column: the table that its values refer to. */
  references: object;
}

/** Any application's `Tables`, which is an interface and therefore has no index signature. */
export type AnyTables<Tables> = { [Name in keyof Tables]: TableTypes };

/** The definition that types were generated from, to detect that the tables have changed. */
export interface Definition {
  /** The hash from `GET {prefix}/schemas/info`. */
  readonly hash: string;
  /** By table: `title varchar(200) required; amount long`. */
  readonly tables: Readonly<Record<string, string>>;
}

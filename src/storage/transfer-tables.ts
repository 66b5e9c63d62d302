/**
 * The tables that a move copies, on both engines: columns, key, and the rows that belong to a company, an application
 * or a version. Referenced tables come first.
 */
import { type Entity, isNumbered, isText, keyColumns, sqlName, storedColumns } from '../entities/entity.ts';
import { administrator, group, role, user } from '../entities/people.ts';
import { client, provider } from '../entities/providers.ts';
import { application, company, version } from '../entities/tenants.ts';
import type { ColumnType, NumberedTable } from '../schema/model.ts';
import { storedName } from '../schema/names.ts';

export interface TransferColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** A secret, with its key's id (`auth/seal.ts`). */
  readonly isSealed?: true;
}

export interface TransferTable {
  readonly name: string;
  readonly columns: readonly TransferColumn[];
  /** Columns, never null, that identify a row; rows are moved in their order. */
  readonly key: readonly string[];
  /** Whether its ids come from a sequence, and are never reused. */
  readonly isNumbered: boolean;
}

/** Rows that meet every condition. */
export type Filter = readonly Condition[];

export type Condition =
  | { readonly column: string; readonly among: readonly string[]; readonly orNull?: boolean }
  /** The column's value occurs in the column `of` of the filtered rows of another table of the same store. */
  | { readonly column: string; readonly within: TransferTable; readonly of: string; readonly filter: Filter };

const long: ColumnType = { kind: 'long' };
const text: ColumnType = { kind: 'text' };

/** @param columns separated by spaces: `id:n` is a number, `verifier:s` sealed, all others are text */
function table(name: string, key: string, columns: string, isNumbered = false): TransferTable {
  const read = columns.split(' ').map((written): TransferColumn => {
    const [column = '', mark] = written.split(':');
    if (mark === 's') return { name: column, type: text, isSealed: true };
    return { name: column, type: mark ? long : text };
  });
  return { name, columns: read, key: key.split(' '), isNumbered };
}

function entityTable(entity: Entity): TransferTable {
  const columns = storedColumns(entity).map(([field, column]): TransferColumn => {
    const typed = { name: sqlName(field, column), type: isText(column) ? text : long };
    return column.sealed ? { ...typed, isSealed: true } : typed;
  });
  return { name: entity.table, columns, key: keyColumns(entity), isNumbered: isNumbered(entity) };
}

const tables = {
  company: entityTable(company),
  group: entityTable(group),
  role: entityTable(role),
  user: entityTable(user),
  identity: table('identity', 'company_id issuer subject', 'company_id:n issuer subject user_id:n created:n'),
  permission: table(
    'role_permission',
    'role_id app_id table_name',
    'role_id:n app_id table_name can_read:n can_add:n can_update:n can_delete:n',
  ),
  membership: table('membership', 'user_id group_id role_id', 'user_id:n group_id:n role_id:n source position:n'),
  application: entityTable(application),
  space: table('data_space', 'id', 'id:n company_id:n app_id created:n', true),
  version: entityTable(version),
  appGroup: table('app_group', 'company_id app_id group_id', 'company_id:n app_id group_id:n'),
  provider: entityTable(provider),
  client: entityTable(client),
  device: table(
    'device',
    'id',
    'id:n company_id:n app_id udid push_token_sealed:s name os_type created:n updated:n',
    true,
  ),
  token: table(
    'token',
    'hash',
    'hash session kind company_id:n app_id version device_udid user_id:n is_push:n created:n last_used:n valid_time:n expires:n revoked:n',
  ),
  flow: table(
    'login_flow',
    'token_hash',
    'token_hash device_udid provider_name issuer client_id redirect_uri nonce verifier_sealed:s expires:n used:n',
  ),
  secretKey: table('secret_key', 'id', 'id lost:n'),
  administrator: entityTable(administrator),
  audit: table(
    'audit',
    'id',
    'id:n time:n actor_kind actor_id:n actor_name company_id:n app_id address action target outcome detail',
    true,
  ),
};

export const directoryTables: readonly TransferTable[] = Object.values(tables);

export const versionTable = tables.version;
export const companyTable = tables.company;
export const applicationTable = tables.application;

export const logTable = table(
  'entry',
  'id',
  'id:n time:n company_id:n app_id version user_id:n device_udid level message',
  true,
);

/**
 * Tables of every data space, besides its records. The history is deleted in the order of time, and so moved in this
 * order.
 */
export const spaceTables: readonly TransferTable[] = [
  table('_audience_member', 'member audience', 'member audience'),
  table('_tombstone', 'table_id object_id', 'table_id:n object_id time:n audience seq:n'),
  table('_history', 'time transaction_id', 'transaction_id request_hash answer time:n user_id:n operations'),
];

/** A table of records as it is stored, with columns in the bin and hidden columns. */
export function recordsTable(table: NumberedTable): TransferTable {
  const columns = table.columns.map(({ type, ...column }) => ({ name: storedName(column), type }));
  const hidden: readonly TransferColumn[] = [
    { name: '_audience', type: text },
    { name: '_seq', type: long },
  ];
  return { name: storedName(table), columns: [...columns, ...hidden], key: ['objectId'], isNumbered: false };
}

export interface Selection {
  /** Empty for all companies; then no application is selected either. */
  readonly companyIds: readonly number[];
  readonly appId?: string;
  /** Dotted form. */
  readonly version?: string;
}

/** The rows of a directory or log table that belong to the selection; people are selected by their company. */
export function filterOf(selection: Selection, table: TransferTable): Filter {
  const { companyIds, appId, version } = selection;
  if (companyIds.length === 0) return [];
  const company = { column: 'company_id', among: companyIds.map(String) };
  const app = appId === undefined ? [] : [{ column: 'app_id', among: [appId] }];
  const one = version === undefined ? [] : [{ column: 'version', among: [version] }];
  const within = (column: string, other: TransferTable, of: string): Filter => [
    { column, within: other, of, filter: filterOf(selection, other) },
  ];
  switch (table) {
    case tables.company:
      return [{ ...company, column: 'id' }];
    case tables.secretKey:
      return [];
    case tables.role:
      return [{ ...company, orNull: true }];
    case tables.group:
    case tables.user:
    case tables.identity:
      return [company];
    case tables.permission:
      return within('role_id', tables.role, 'id');
    case tables.administrator:
      // Administrators belong to the installation, not to a company; no id is 0.
      return [{ column: 'id', among: ['0'] }];
    case tables.membership:
      return within('user_id', tables.user, 'id');
    case tables.space:
      return version === undefined ? [company, ...app] : within('id', tables.version, 'space_id');
    case tables.version:
    case tables.token:
    case logTable:
      return [company, ...app, ...one];
    case tables.flow:
      return within('token_hash', tables.token, 'hash');
    default:
      return [company, ...app];
  }
}

/** The parts of `fromSql` that differ between engines. */
export interface TransferSql {
  /** With its schema. */
  table(name: string): string;
  column(name: string): string;
  /** The placeholder for a value that is compared with a column of this type; bound in the order of the calls. */
  bind(value: string, type: ColumnType): string;
}

/** `FROM … WHERE …`: the rows of the filter after the key. */
export function fromSql(
  sql: TransferSql,
  table: TransferTable,
  filter: Filter = [],
  after: readonly (string | null)[] | null = null,
): string {
  const conditions = filter.map((condition) => conditionSql(sql, table, condition));
  if (after !== null) {
    const placeholders = table.key.map((name, index) => sql.bind(after[index] as string, typeOf(table, name)));
    conditions.push(`(${table.key.map((name) => sql.column(name)).join(', ')}) > (${placeholders.join(', ')})`);
  }
  return `FROM ${sql.table(table.name)}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

function conditionSql(sql: TransferSql, table: TransferTable, condition: Condition): string {
  const column = sql.column(condition.column);
  if ('within' in condition) {
    const { within, of, filter } = condition;
    return `${column} IN (SELECT ${sql.column(of)} ${fromSql(sql, within, filter)})`;
  }
  const placeholders = condition.among.map((value) => sql.bind(value, typeOf(table, condition.column)));
  const among = `${column} IN (${placeholders.join(', ')})`;
  return condition.orNull === true ? `(${column} IS NULL OR ${among})` : among;
}

function typeOf(table: TransferTable, name: string): ColumnType {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`The table ${table.name} has no column ${name}.`);
  return column.type;
}

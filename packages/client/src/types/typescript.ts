/** Tables as TypeScript, which an app imports so that its records, queries and writes are type-checked. */
import { createHash } from 'node:crypto';
import { type ColumnDescription, columnsText, type TableDescription, typeText } from '../definition.ts';

/** The kind of each type (`Kind` in tables.ts), and the type of its values in answers. */
const kinds: Readonly<Record<string, readonly [kind: string, value: string]>> = {
  varchar: ['text', 'string'],
  text: ['text', 'string'],
  integer: ['integer', 'number'],
  long: ['long', 'string'],
  double: ['double', 'number'],
  float: ['double', 'number'],
  decimal: ['decimal', 'string'],
  bool: ['bool', 'boolean'],
  datetime: ['datetime', 'string'],
  json: ['json', 'unknown'],
};

/** Alternative spellings of the client's times in a table's definition. */
const respelled: Readonly<Record<string, string>> = { createTime: 'CreateTime', updateTime: 'UpdateTime' };

/**
 * A module with interfaces for each table, `Tables` with all of them, and the `definition` that they were generated
 * for.
 * @param tables from `GET {prefix}/schemas`, or a file of `rowhouse tables pull` @param from where the module imports
 * the client from
 * @throws TypeError if they are not tables
 */
export function typescriptOf(tables: unknown, from = '@rowhouse/client'): string {
  const all = tablesIn(tables).sort((one, other) => (one.name < other.name ? -1 : 1));
  return [
    '/** The tables of the application, as TypeScript. Made by `rowhouse-client types`; do not edit by hand. */',
    `import type * as rowhouse from '${from}';`,
    ...all.flatMap(interfacesOf),
    '',
    '/** Every table by its name: `createClient<Tables>`. */',
    'export interface Tables {',
    ...all.map((table) => `  ${table.name}: ${typeName(table)}Table;`),
    '}',
    '',
    '/** What the types were made for, for `driftOf(client, definition)`. */',
    'export const definition: rowhouse.Definition = {',
    `  hash: '${hashOf(all)}',`,
    '  tables: {',
    ...all.map((table) => `    ${table.name}: '${columnsText(table)}',`),
    '  },',
    '};',
    '',
  ].join('\n');
}

/** The beginning of a table's interfaces. Table names differ in more than case. */
const typeName = ({ name }: TableDescription) => name.slice(0, 1).toUpperCase() + name.slice(1);

function interfacesOf(table: TableDescription): string[] {
  const name = typeName(table);
  const replaced = table.columns.flatMap(({ colName }) => respelled[colName] ?? []).map((column) => `'${column}'`);
  const base = (type: string) =>
    replaced.length === 0 ? `rowhouse.${type}` : `Omit<rowhouse.${type}, ${replaced.join(' | ')}>`;
  const made = (suffix: string, line: (column: ColumnDescription) => string) => [
    '',
    `export interface ${name}${suffix} extends ${base(`System${suffix}`)} {`,
    ...table.columns.map((column) => `  ${line(column)}`),
    '}',
  ];
  return [
    ...made('Columns', (column) => `${column.colName}: '${typesOf(column)[0]}'${orNull(column)};`),
    ...made('Row', (column) => `/** ${typeText(column)} */\n  ${column.colName}: ${valueText(column)};`),
    ...made('Insert', (column) => {
      const isNeeded = column.required === true && column.default === undefined;
      return `${column.colName}${isNeeded ? '' : '?'}: ${valueText(column)};`;
    }),
    ...made('Update', (column) => `${column.colName}?: ${valueText(column)};`),
    ...tableInterface(table),
  ];
}

/** The table's entry in `Tables`. */
function tableInterface(table: TableDescription): string[] {
  const name = typeName(table);
  const references = table.columns.flatMap((column) =>
    column.references === undefined ? [] : [`${column.colName}: '${column.references}'`],
  );
  return [
    '',
    `export interface ${name}Table {`,
    ...['Row', 'Insert', 'Update', 'Columns'].map((part) => `  ${part.toLowerCase()}: ${name}${part};`),
    `  references: ${references.length === 0 ? 'Record<never, never>' : `{ ${references.join('; ')} }`};`,
    '}',
  ];
}

function typesOf({ colName, type }: ColumnDescription): readonly [string, string] {
  const types = kinds[type];
  if (!Object.hasOwn(kinds, type) || types === undefined) {
    throw new TypeError(
      `${colName}: expected a type among ${Object.keys(kinds).join(', ')}, got ${JSON.stringify(type)}.`,
    );
  }
  return types;
}

const orNull = ({ required }: ColumnDescription) => (required ? '' : ' | null');

function valueText(column: ColumnDescription): string {
  const [, value] = typesOf(column);
  return value === 'unknown' ? value : value + orNull(column);
}

const namePattern = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Checks everything that is written into the generated module, because it becomes code. */
function tablesIn(input: unknown): TableDescription[] {
  const list = Array.isArray(input) ? input : (input as { tables?: unknown } | null)?.tables;
  if (!Array.isArray(list)) throw new TypeError('Expected a list of tables, or an object with the member "tables".');
  return list.map((table: Partial<TableDescription> | null, index) => {
    const { name, columns = [] } = table ?? {};
    if (!Array.isArray(columns)) throw new TypeError(`tables[${index}].columns: expected a list of columns.`);
    const references = columns.flatMap((column) => column?.references ?? []);
    const names = [name, ...columns.map((column) => column?.colName), ...references];
    const isTwice = list.findIndex((other) => other?.name === name) < index;
    const wrong = names.find((one) => typeof one !== 'string' || !namePattern.test(one));
    if (names.some((one) => one === wrong)) {
      throw new TypeError(
        `tables[${index}]: expected names of letters, digits and "_", got ${JSON.stringify(wrong ?? null)}.`,
      );
    }
    if (isTwice) throw new TypeError(`tables[${index}]: expected a table of another name, got ${name} again.`);
    for (const { colName, fieldLength, precision, scale } of columns) {
      const size = [fieldLength, precision, scale].find((one) => one !== undefined && !Number.isInteger(one));
      if (size !== undefined) {
        throw new TypeError(`tables[${index}]: expected whole numbers for ${colName}, got ${JSON.stringify(size)}.`);
      }
    }
    return { ...table, name: String(name), columns };
  });
}

/**
 * The `hash` of `GET {prefix}/schemas/info`, computed as in the service: SHA-256 of the tables by name, as JSON with
 * sorted members.
 */
function hashOf(tables: readonly TableDescription[]): string {
  const whole = tables.map((table) => ({ primary_key: 'objectId', indexes: [], ...table }));
  return createHash('sha256')
    .update(JSON.stringify(sorted(whole)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

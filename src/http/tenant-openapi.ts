/**
 * The OpenAPI 3.1 document of one application version with its tables: the records of each table, as in requests and in
 * answers; one table per step. Only for callers who may see the definitions.
 */

import type { Settings } from '../config.ts';
import { keysOf } from '../data/put.ts';
import { type DescribedOperation, openApi } from '../operations/openapi.ts';
import { acceptedJson, typeText } from '../schema/column-type.ts';
import type { Column, Table } from '../schema/model.ts';
import { systemName } from '../schema/system.ts';
import type { Steps } from '../time-slices.ts';
import { operations } from './api/operations.ts';

export function* tenantOpenApi(
  address: string,
  tables: readonly Table[],
  settings: Settings,
  version: string,
): Steps<object> {
  const description = openApi('client', operations, settings, version, address);
  const { schemas } = description.components;
  for (const table of tables) {
    schemas[`${table.name}.record`] = recordOf(table);
    schemas[`${table.name}.add`] = addedOf(table);
    schemas[`${table.name}.update`] = updatedOf(table);
    schemas[`${table.name}.put`] = putOf(table);
    schemas[`${table.name}.operation`] = operationOn(table);
    yield;
  }
  const byId = new Map(
    Object.values(description.paths).flatMap((methods) => Object.values(methods).map((one) => [one.operationId, one])),
  );
  if (tables.length === 0) return description;
  for (const [name, kind] of [
    ['addData', 'add'],
    ['updateData', 'update'],
    ['putData', 'put'],
  ] as const) {
    typeBody(byId.get(name), tables, kind);
  }
  typeOperations(byId.get('batch'), tables);
  const records = Object.fromEntries(
    tables.map(({ name }) => [name, { type: 'array', items: reference(name, 'record') }]),
  );
  typeAnswer(byId.get('getRecord'), { type: 'object', properties: records });
  typeAnswer(byId.get('expressionQuery'), {
    type: 'object',
    additionalProperties: { type: 'array', items: { anyOf: tables.map(({ name }) => reference(name, 'record')) } },
  });
  return description;
}

function reference(table: string, kind: string): object {
  return { $ref: `#/components/schemas/${table}.${kind}` };
}

interface Content {
  'application/json': { readonly schema: object };
}

interface Described {
  readonly properties: Readonly<Record<string, object>>;
}

/** Operations whose records are sent with values. */
type Kind = 'add' | 'update' | 'put';

/** One alternative per table, distinguished by `objectName`. */
function typeBody(operation: DescribedOperation | undefined, tables: readonly Table[], kind: Kind): void {
  describeBody(operation, (general) => ({
    anyOf: tables.map(({ name }) => ({
      ...general,
      properties: {
        ...general.properties,
        objectName: { const: name },
        data: { ...general.properties.data, items: reference(name, kind) },
      },
    })),
  }));
}

/** One alternative per table, distinguished by `objectName`, and one for deletions. */
function typeOperations(operation: DescribedOperation | undefined, tables: readonly Table[]): void {
  const names = tables.map(({ name }) => name);
  const deleted = {
    type: 'object',
    properties: { objectId: { type: 'string' }, serverUpdateTime: { type: 'string' } },
    required: ['objectId', 'serverUpdateTime'],
    additionalProperties: false,
  };
  const items = {
    anyOf: [...names.map((name) => reference(name, 'operation')), operationOf('delete', { enum: names }, deleted)],
  };
  describeBody(operation, ({ properties, ...general }) => ({
    ...general,
    properties: { ...properties, operations: { ...properties.operations, items } },
  }));
}

function operationOn({ name }: Table): object {
  const kinds = (['add', 'update', 'put'] as const).map((kind) =>
    operationOf(kind, { const: name }, reference(name, kind), kind === 'put' ? { by: listOfText } : {}),
  );
  return { description: `One of the operations of a batch, on ${name}.`, anyOf: kinds };
}

const listOfText = { type: 'array', items: { type: 'string' }, minItems: 1 };

function operationOf(op: Kind | 'delete', objectName: object, items: object, others: object = {}): object {
  return {
    type: 'object',
    properties: { op: { const: op }, objectName, ...others, data: { type: 'array', items, minItems: 1 } },
    required: ['op', 'objectName', 'data'],
    additionalProperties: false,
  };
}

/** Without its example, which is about another table. */
function describeBody(operation: DescribedOperation | undefined, describe: (general: Described) => object): void {
  const content = operation?.requestBody?.content as Content;
  content['application/json'] = { schema: describe(content['application/json'].schema as Described) };
}

function typeAnswer(operation: DescribedOperation | undefined, schema: object): void {
  const content = operation?.responses['200']?.content as Content;
  content['application/json'] = { schema };
}

function recordOf({ name, columns }: Table): object {
  const properties = Object.fromEntries(columns.map((column) => [column.name, answered(column)]));
  return { type: 'object', description: `A record of ${name}, as it is answered.`, properties };
}

function addedOf({ name, columns }: Table): object {
  const properties = sentOf(columns);
  const required = columns.filter((column) => column.required && column.default === undefined).map(({ name }) => name);
  return {
    type: 'object',
    description: `A record of ${name} to add.`,
    properties,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

function updatedOf({ name, columns }: Table): object {
  return {
    type: 'object',
    description: `Columns of a record of ${name} to change.`,
    properties: sentOf(columns),
    additionalProperties: false,
    required: ['objectId', 'serverUpdateTime'],
  };
}

/** The record must be identified: by its id, or by all columns of a key. */
function putOf(table: Table): object {
  const keys = [[systemName.objectId], ...keysOf(table).map(({ columns }) => columns)];
  return {
    type: 'object',
    description: `A record of ${table.name} to add, or columns of one to change.`,
    properties: sentOf(table.columns),
    additionalProperties: false,
    anyOf: keys.map((required) => ({ required })),
  };
}

function sentOf(columns: readonly Column[]): object {
  return Object.fromEntries(columns.map((column) => [column.name, sent(column)]));
}

/** Every value is a string, or null. */
function answered({ type }: Column): object {
  const length = type.kind === 'varchar' ? { maxLength: type.length } : {};
  return { type: ['string', 'null'], description: typeText(type), ...length };
}

function sent(column: Column): object {
  const { type, required } = column;
  const described = { description: typeText(type) };
  // A group column accepts its ids in several forms; values for columns that the service sets are ignored.
  if (column.system && column.name !== 'objectId') return described;
  const accepted = acceptedJson(type);
  if (accepted === null) return described;
  return { ...accepted, type: required ? accepted.type : [...accepted.type, 'null'], ...described };
}

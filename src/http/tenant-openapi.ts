/**
 * The OpenAPI 3.1 document of one application version with its tables: the records of each table, as requests and as
 * answers have them; one table per step. Only for callers who may see the definitions.
 */

import type { Settings } from '../config.ts';
import { type DescribedOperation, openApi } from '../operations/openapi.ts';
import { acceptedJson, typeText } from '../schema/column-type.ts';
import type { Column, Table } from '../schema/model.ts';
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
    yield;
  }
  const byId = new Map(
    Object.values(description.paths).flatMap((methods) => Object.values(methods).map((one) => [one.operationId, one])),
  );
  if (tables.length === 0) return description;
  for (const [name, kind] of [
    ['addData', 'add'],
    ['updateData', 'update'],
  ] as const) {
    typeBody(byId.get(name), tables, kind);
  }
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
  'application/json': { schema: object; example?: unknown };
}

/** One alternative per table, distinguished by `objectName`. */
function typeBody(operation: DescribedOperation | undefined, tables: readonly Table[], kind: 'add' | 'update'): void {
  const content = operation?.requestBody?.content as Content;
  const general = content['application/json'].schema as { readonly properties: Readonly<Record<string, object>> };
  content['application/json'].schema = {
    anyOf: tables.map(({ name }) => ({
      ...general,
      properties: {
        ...general.properties,
        objectName: { const: name },
        data: { ...general.properties.data, items: reference(name, kind) },
      },
    })),
  };
  delete content['application/json'].example;
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
  const properties = Object.fromEntries(columns.map((column) => [column.name, sent(column)]));
  const required = columns.filter((column) => column.required).map((column) => column.name);
  return {
    type: 'object',
    description: `A record of ${name} to add.`,
    properties,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

function updatedOf({ name, columns }: Table): object {
  const properties = Object.fromEntries(columns.map((column) => [column.name, sent(column)]));
  return {
    type: 'object',
    description: `Columns of a record of ${name} to change.`,
    properties,
    additionalProperties: false,
    required: ['objectId', 'serverUpdateTime'],
  };
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

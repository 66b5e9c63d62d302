/** Table definitions of an application version, for clients (docs/reference/values.md#defining-tables) and in the administration. */
import Type from 'typebox';
import { administrationOperations, clientOperations } from '../../operations/define.ts';
import { boundedBy, envelope, ofVersion, oneOf, optional } from '../../operations/shapes.ts';

const tables = Type.Array(Type.Unknown(), {
  description:
    'Items {name, primary_key: "objectId", columns: [{colName, type, fieldLength, precision, scale, required}], ' +
    'indexes: [{columns, unique}], lockFree}. Types: varchar, text, integer, long, double, decimal, bool, datetime, json.',
  [boundedBy]: { maxItems: 'tablesMax' },
});

const defineBody = Type.Object({
  tables,
  isResetDatabase: optional(
    Type.Boolean({
      description: 'Drops every table first; only on a version in development with a data space of its own.',
    }),
  ),
});

export const clientTableOperations = clientOperations({
  tag: 'tables',
  path: '/schemas',
  answer: envelope({ results: tables }),
})({
  defineTables: {
    method: 'POST',
    summary: 'Define tables: adds new ones, new columns and indexes; never drops any',
    permission: 'table.define',
    body: defineBody,
    codes: [0, 102, 110, 120, 121, 122, 131, 210],
  },
  describeTables: {
    method: 'GET',
    summary: 'The table definitions',
    permission: 'table.read',
    codes: [0, 102, 110, 120, 121, 122],
  },
  describeInterface: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface in OpenAPI 3.1, with the tables of the application version',
    permission: 'table.read',
    answer: Type.Record(Type.String(), Type.Unknown(), { description: 'A document of OpenAPI 3.1.' }),
    codes: [0, 102, 110, 120, 121, 122],
  },
});

export const tableOperations = administrationOperations({ tag: 'tables', params: ofVersion, codes: [105, 106] })({
  listTables: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables',
    summary: 'The table definitions of a version',
    permission: 'table.read',
    answer: oneOf(tables),
  },
  defineVersionTables: {
    method: 'POST',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables',
    summary: 'Define tables, as clients do: adds new ones, new columns and indexes; never drops any',
    permission: 'table.define',
    body: defineBody,
    answer: oneOf(tables),
  },
});

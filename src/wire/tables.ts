/** Table definitions of a data space (docs/reference/values.md#defining-tables). */
import Type from 'typebox';
import { faults, type Operation } from './operation.ts';
import { boundedBy, envelope, nothing, optional } from './shapes.ts';

export const tables = Type.Array(Type.Unknown(), {
  description:
    'Items {name, primary_key: "objectId", columns: [{colName, type, fieldLength, precision, scale, required}], ' +
    'indexes: [{columns, unique}]}. Types: varchar, text, integer, long, double, decimal, bool, datetime, json.',
  [boundedBy]: { maxItems: 'tablesMax' },
});

export const defineBody = Type.Object({
  tables,
  isResetDatabase: optional(
    Type.Boolean({
      description: 'Drops every table first; only on a version in development with a data space of its own.',
    }),
  ),
});

const base = {
  tag: 'tables',
  path: '/schemas',
  token: 'user',
  tokenInQuery: false,
  query: nothing,
  answer: envelope({ results: tables }),
  faults: faults.general,
} as const;

export const defineTables = {
  ...base,
  name: 'defineTables',
  method: 'POST',
  summary: 'Define tables: adds new ones, new columns and indexes; never drops any',
  body: defineBody,
  codes: [0, 102, 110, 120, 121, 122, 131, 210],
} as const satisfies Operation;

export const describeTables = {
  ...base,
  name: 'describeTables',
  method: 'GET',
  summary: 'The table definitions',
  body: null,
  codes: [0, 102, 110, 120, 121, 122],
} as const satisfies Operation;

export const describeInterface = {
  ...base,
  name: 'describeInterface',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This interface in OpenAPI 3.1, with the tables of the application version',
  body: null,
  answer: Type.Record(Type.String(), Type.Unknown(), { description: 'A document of OpenAPI 3.1.' }),
  codes: [0, 102, 110, 120, 121, 122],
} as const satisfies Operation;

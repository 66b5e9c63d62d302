/** Table definitions of an application version, for clients (docs/reference/values.md#defining-tables) and in the administration. */
import Type from 'typebox';
import { administrationOperations, clientOperations } from '../../operations/define.ts';
import {
  boundedBy,
  choice,
  envelope,
  flag,
  ofVersion,
  oneOf,
  optional,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const tables = Type.Array(Type.Unknown(), {
  description:
    'Items {name, primary_key: "objectId", columns: [{colName, type, fieldLength, precision, scale, required, default, references, fullText}], ' +
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

const revision = whole('The revision of the definition; each request that changes it increments it.');

const changesBody = Type.Object({
  revision: whole('The revision that the changes are based on; any other answers 130 with 409.', { minimum: 1 }),
  dryRun: optional(flag('Answers the effects of the changes and the resulting tables; writes and locks nothing.')),
  changes: Type.Array(Type.Unknown(), {
    description:
      'In order, all or none: {op: "addTable", table, columns, indexes, lockFree}, {op: "renameTable", table, to}, ' +
      '{op: "changeTable", table, lockFree}, {op: "dropTable", table}, {op: "addColumn", table, column: {colName, type, …}}, ' +
      '{op: "renameColumn", table, column, to}, {op: "changeColumn", table, column, type, fieldLength, required, default, references, fullText}, ' +
      '{op: "dropColumn", table, column}, {op: "addIndex", table, columns, unique}, ' +
      '{op: "dropIndex", table, columns, unique}, {op: "restore", id, as}, {op: "purge", id}.',
    [boundedBy]: { minItems: 1, maxItems: 'tableChangesMax' },
  }),
});

const changeResults = Type.Array(
  Type.Object({
    op: text('As it was sent.'),
    table: text('The changed table.'),
    column: optional(text('The column.')),
    binId: optional(whole('The id of the dropped table or column in the bin.')),
    rows: optional(whole('In a dry run: records that the change would read or write.')),
    lost: optional(whole('In a dry run: records, or values of the column, that no request could find afterwards.')),
    timeMs: optional(whole('In a dry run: the estimated duration.')),
    checked: optional(
      flag('In a dry run: false if the change may still be refused, because of values that only it computes.'),
    ),
  }),
  { description: 'One for each change, in order.' },
);

const versions = Type.Array(Type.String(), { description: 'The versions that have these tables.' });

const roles = Type.Array(Type.String(), {
  description: 'Custom roles with rights to a renamed table, under its old or its new name. Rights go by name.',
});

const jobId = { jobId: text('From the answer of the change.') };

const job = Type.Object({
  jobId: text('As it was sent.'),
  state: choice(
    ['running', 'done', 'failed', 'unknown'],
    '`unknown`: nothing was changed; the job was interrupted, or there is no such job.',
  ),
  progress: whole('Percent, estimated from the elapsed time.', { minimum: 0, maximum: 100 }),
  error: optional(text('Why it failed; nothing was changed.')),
  revision: optional(whole('The revision after the changes.')),
  changes: optional(changeResults),
});

const binEntries = Type.Array(
  Type.Object({
    id: whole('For `restore` and `purge`.'),
    table: text('The dropped table, or the table of the dropped column.'),
    column: optional(text('The dropped column; absent for a table.')),
    droppedBy: text('Account.'),
    dropped: time('When it was dropped.'),
    until: time('The time until which it is kept.'),
  }),
);

/** Descriptions of change operations that both surfaces share. */
const read = { permission: 'table.read', answer: envelope({ results: tables, revision }) } as const;
const change = {
  method: 'POST',
  summary: 'Change tables: rename, drop and restore them and their columns, change columns, add and drop indexes',
  permission: 'table.define',
  mayGoOn: envelope({ results: Type.Object({ jobId: text('Of the job.') }) }),
  body: changesBody,
  answer: envelope({ results: Type.Object({ revision, tables, changes: changeResults, versions, roles }) }),
} as const;
const onJob = { permission: 'table.define', answer: oneOf(job) } as const;
const tellJob = {
  ...onJob,
  method: 'GET',
  summary: 'Get the state of a job that changes tables',
} as const;
const cancelJob = { ...onJob, summary: 'Cancel a job that changes tables' } as const;
const listBin = {
  method: 'GET',
  summary: 'The dropped tables and columns that can be restored',
  permission: 'table.read',
  answer: oneOf(binEntries),
} as const;

const ofClientJob = { params: Type.Object(jobId), codes: [0, 102, 110, 120, 121, 122, 130] } as const;

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
    ...read,
    codes: [0, 102, 110, 120, 121, 122],
  },
  changeTables: {
    ...change,
    path: '/schemas/changes',
    alwaysStrict: true,
    codes: [0, 102, 110, 120, 121, 122, 130, 131, 210],
    statuses: { 130: 409 },
  },
  tableJob: { ...tellJob, ...ofClientJob, path: '/schemas/jobs/:jobId' },
  cancelTableJob: { ...cancelJob, ...ofClientJob, method: 'POST', path: '/schemas/jobs/:jobId/cancel' },
  definitionInfo: {
    method: 'GET',
    path: '/schemas/info',
    summary: 'Get the revision and hash of the definition; any user may',
    permission: null,
    answer: envelope({
      results: Type.Object({
        revision,
        hash: text('SHA-256 of the definitions, in hexadecimal; it changes with every table.'),
        historyDays: whole('Days for which transaction ids are kept.'),
      }),
    }),
    codes: [0, 102, 110, 120, 121],
  },
  tablesInBin: { ...listBin, path: '/schemas/bin', codes: [0, 102, 110, 120, 121, 122] },
  describeInterface: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface in OpenAPI 3.1, with the tables of the application version',
    permission: 'table.read',
    answer: Type.Record(Type.String(), Type.Unknown(), { description: 'A document of OpenAPI 3.1.' }),
    codes: [0, 102, 110, 120, 121, 122],
  },
});

const ofVersionJob = Type.Object({ ...ofVersion.properties, ...jobId });

export const tableOperations = administrationOperations({ tag: 'tables', params: ofVersion, codes: [105, 106] })({
  listTables: {
    ...read,
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables',
    summary: 'The table definitions of a version',
  },
  defineVersionTables: {
    method: 'POST',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables',
    summary: 'Define tables, as clients do: adds new ones, new columns and indexes; never drops any',
    permission: 'table.define',
    body: defineBody,
    answer: oneOf(tables),
  },
  changeVersionTables: {
    ...change,
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/changes',
  },
  versionTableJob: {
    ...tellJob,
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/jobs/:jobId',
    params: ofVersionJob,
  },
  cancelVersionTableJob: {
    ...cancelJob,
    method: 'DELETE',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/jobs/:jobId',
    params: ofVersionJob,
  },
  versionTablesInBin: {
    ...listBin,
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/bin',
  },
  tableJoins: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/joins',
    summary: 'The columns by which queries of clients joined the tables of a version in the past 31 days',
    permission: 'table.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          table: text('Name of a table.'),
          column: text('Its column.'),
          otherTable: text('The other table, or the same one if it is joined with itself.'),
          otherColumn: text('Its column, whose equality with the first one is a condition.'),
          queries: whole('Queries that were answered; each process adds its own once a minute.'),
        }),
        { description: 'The most frequent first, at most `joinsMax` of them; joins with dropped columns are omitted.' },
      ),
    ),
  },
  tableSizes: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/sizes',
    summary: 'The approximate sizes of the tables of a version',
    permission: 'table.read',
    params: ofVersion,
    answer: envelope({
      results: Type.Array(
        Type.Object({
          table: text('Name of the table.'),
          rows: whole('Records: counted up to 10 000, estimated beyond.'),
          bytes: whole('Estimated, including indexes, without the contents of the bin.'),
        }),
      ),
    }),
    codes: [105, 106],
  },
});

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

const revision = whole('The revision of the definition, counted up by each request that changes it.');

const changesBody = Type.Object({
  revision: whole('The one that the changes are based on; another one answers 130 with 409.', { minimum: 1 }),
  dryRun: optional(
    flag('Answers what the changes would come to, and the tables as they would be; writes and locks nothing.'),
  ),
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
    table: text('The table that it was on.'),
    column: optional(text('The column.')),
    binId: optional(whole('The number in the bin of what was dropped.')),
    rows: optional(whole('Of a dry run: records that it would read or write.')),
    lost: optional(whole('Of a dry run: records, or values of the column, that no request would find afterwards.')),
    timeMs: optional(whole('Of a dry run: how long it would take, estimated.')),
  }),
  { description: 'One for each change, in order.' },
);

const versions = Type.Array(Type.String(), { description: 'The versions that have these tables.' });

const jobId = { jobId: text('As the change answered it.') };

const job = Type.Object({
  jobId: text('As it was sent.'),
  state: choice(
    ['running', 'done', 'failed', 'unknown'],
    'Where it is unknown, no change was made yet: it was interrupted, or another instance is at it.',
  ),
  progress: whole('Percent, estimated from the time that it has taken.', { minimum: 0, maximum: 100 }),
  error: optional(text('Why it failed; nothing was changed.')),
  revision: optional(whole('The revision after the changes.')),
  changes: optional(changeResults),
});

const binEntries = Type.Array(
  Type.Object({
    id: whole('For `restore` and `purge`.'),
    table: text('The dropped table, or the one that the column is of.'),
    column: optional(text('The dropped column; absent where it is a table.')),
    droppedBy: text('Account.'),
    dropped: time('When it was dropped.'),
    until: time('Until when it is kept.'),
  }),
);

/** What both surfaces say of their operations on changes. */
const read = { permission: 'table.read', answer: envelope({ results: tables, revision }) } as const;
const change = {
  method: 'POST',
  summary: 'Change tables: rename, drop and restore them and their columns, change columns, add and drop indexes',
  permission: 'table.define',
  mayGoOn: envelope({ results: Type.Object({ jobId: text('Of the job.') }) }),
  body: changesBody,
  answer: envelope({ results: Type.Object({ revision, tables, changes: changeResults, versions }) }),
} as const;
const onJob = { permission: 'table.define', answer: oneOf(job) } as const;
const tellJob = {
  ...onJob,
  method: 'GET',
  summary: 'What became of a change of tables that was answered with a job',
} as const;
const cancelJob = { ...onJob, summary: 'Give up a change of tables that is under way' } as const;
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
    summary: 'Which definition the tables have, for any user',
    permission: null,
    answer: envelope({
      results: Type.Object({
        revision,
        hash: text('SHA-256 of the definitions, in hexadecimal: another one where a table is another one.'),
        historyDays: whole('For how many days a transaction id is known.'),
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
  tableSizes: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version/tables/sizes',
    summary: 'How large the tables of a version are, about',
    permission: 'table.read',
    params: ofVersion,
    answer: envelope({
      results: Type.Array(
        Type.Object({
          table: text('Name of the table.'),
          rows: whole('Records: counted up to 10 000, estimated beyond.'),
          bytes: whole('Estimated, with the indexes; without what is in the bin.'),
        }),
      ),
    }),
    codes: [105, 106],
  },
});

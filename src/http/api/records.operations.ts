/** Records of an application version, as administrators see and change them. */
import Type from 'typebox';
import { administrationOperations, faults } from '../../operations/define.ts';
import {
  putResult,
  selectBody,
  selectedRows,
  structuredQueryAnswer,
  structuredQueryBody,
  transactionId,
} from '../../operations/record-shapes.ts';
import {
  choice,
  companyId,
  envelope,
  filter,
  listOf,
  listQuery,
  ofCompany,
  ofVersion,
  oneOf,
  optional,
  orNull,
  orNullWhole,
  requiredText,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const version = '/companies/:companyId/applications/:appId/versions/:version';
const ofTable = Type.Object({ ...ofVersion.properties, objectName: requiredText('Table name.') });

const userId = whole('User id.', { minimum: 1 });

const ownOperations = Type.Array(
  Type.Object({
    op: choice(['add', 'update', 'delete'], 'What is done.'),
    objectName: requiredText('Table name.'),
    data: Type.Array(Type.Unknown(), { description: "As in the clients' `data/batch`.", minItems: 1 }),
  }),
  { description: 'In the order in which they take effect; `batchItemsMax` items in all.', minItems: 1 },
);

export const recordOperations = administrationOperations({ tag: 'records' })({
  selectRecords: {
    method: 'POST',
    path: `${version}/records/:objectName/select`,
    summary:
      'Select from all records of a table, whoever owns them; the first page leaves an entry in the audit trail, and so does every page an hour later or more',
    permission: 'record.read',
    params: ofTable,
    body: selectBody,
    answer: envelope(selectedRows),
    codes: [102, 105, 106, 132],
    faults: faults.adminRead,
    statuses: { 212: 413 },
  },
  queryRecords: {
    method: 'POST',
    path: `${version}/records/query`,
    summary:
      'Query records in the older form, whoever owns them, without its `scope`; every page leaves an entry in the audit trail',
    permission: 'record.read',
    params: ofVersion,
    body: structuredQueryBody,
    answer: envelope(structuredQueryAnswer),
    codes: [102, 105, 106, 132],
    faults: faults.adminRead,
    statuses: { 212: 413 },
  },
  explainRecords: {
    method: 'POST',
    path: `${version}/records/:objectName/explain`,
    summary:
      'The plan of a select query for an administrator, and the indexes that would help; the query is not run; leaves an entry in the audit trail',
    permission: 'record.read',
    params: ofTable,
    body: selectBody,
    answer: oneOf(
      Type.Object({
        steps: Type.Array(
          Type.Object({
            action: choice(
              ['walk', 'walkIndex', 'find', 'findByTerms', 'indexOnce', 'sort', 'group'],
              'What the database does: scan a table, or read it in the order of an index; find records by an index, or by full text; build an index for this query alone; sort or group the rows found before.',
            ),
            table: orNull(Type.String(), 'Table that it reads; null if it works on the rows found before.'),
            columns: Type.Array(Type.String(), {
              description: 'Columns of the index that it uses; empty without an index.',
            }),
            rows: orNullWhole('Approximate number of records in the table, if the step may read all; otherwise null.'),
          }),
          { description: 'In their order.' },
        ),
        advice: Type.Array(Type.Object({ table: text('Table that is scanned.'), columns: Type.Array(Type.String()) }), {
          description: 'Indexes that would help the conditions and the order; none for small tables.',
        }),
      }),
    ),
    codes: [102, 105, 106, 132],
    faults: faults.adminRead,
  },
  listBrowsableUsers: {
    method: 'GET',
    path: '/companies/:companyId/browse/users',
    summary: 'The users whose records may be browsed',
    permission: 'record.browse',
    params: ofCompany,
    query: listQuery({ account: filter('account'), search: search('account, e-mail address and names') }),
    answer: listOf(
      Type.Object({
        id: whole('User id.'),
        account: text('Account name.'),
        firstName: text('Given name.'),
        lastName: text('Family name.'),
        disabled: Type.Boolean({ description: 'Whether the user is disabled.' }),
      }),
    ),
  },
  listBrowsableVersions: {
    method: 'GET',
    path: '/companies/:companyId/browse/users/:userId/versions',
    summary: 'The versions of the applications that a user may use, to browse records as the user',
    permission: 'record.browse',
    params: Type.Object({ companyId, userId }),
    answer: oneOf(
      Type.Array(
        Type.Object({
          appId: text('Application id.'),
          name: text('Name of the application.'),
          version: text('Application version.'),
        }),
      ),
    ),
    codes: [122, 130],
  },
  listBrowsableTables: {
    method: 'GET',
    path: `${version}/users/:userId/tables`,
    summary: 'The tables that a user may read, with names and types of their columns, to browse records as the user',
    permission: 'record.browse',
    params: Type.Object({ ...ofVersion.properties, userId }),
    answer: oneOf(
      Type.Array(
        Type.Object({
          name: text('Table name.'),
          columns: Type.Array(Type.Object({ colName: text('Column name.'), type: text('Column type.') })),
        }),
      ),
    ),
    codes: [105, 106, 122, 130],
  },
  selectAsUser: {
    method: 'POST',
    path: `${version}/users/:userId/records/:objectName/select`,
    summary: 'Select records as a user would see them, and why; every page leaves an entry in the audit trail',
    permission: 'record.browse',
    params: Type.Object({
      ...ofVersion.properties,
      userId,
      objectName: ofTable.properties.objectName,
    }),
    body: Type.Object({
      why: requiredText('The reason for the access; recorded in the audit trail.', { maxLength: 500 }),
      query: selectBody,
    }),
    answer: envelope({
      ...selectedRows,
      groups: Type.Array(
        Type.Object({
          groupId: whole('Group of the user.'),
          groupName: text('Its name.'),
          roleName: text('Role that the user holds there.'),
        }),
        { description: "Groups whose records the user sees, besides the user's own records and those for everyone." },
      ),
      tableRights: orNull(
        Type.Record(Type.String(), Type.Array(Type.String())),
        'Rights by table name in lower case; null if the roles grant everything.',
      ),
      disabled: Type.Boolean({ description: 'Whether the user is disabled and cannot sign in.' }),
    }),
    codes: [102, 105, 106, 122, 132],
    faults: faults.adminRead,
    statuses: { 212: 413 },
  },
  writeRecords: {
    method: 'POST',
    path: `${version}/records/batch`,
    summary:
      'Add records for a user, change and delete records, all or nothing; the entry in the audit trail has the transaction id',
    permission: 'record.write',
    params: ofVersion,
    body: Type.Object({
      transactionId,
      ownerId: optional(whole("The user who will own added records, with the user's groups.", { minimum: 1 })),
      operations: ownOperations,
    }),
    answer: oneOf(
      Type.Object({
        transactionId: text('The sent id, or a generated one.'),
        records: Type.Array(putResult, { description: 'One for each item, in the order of the operations.' }),
      }),
    ),
    codes: [102, 105, 106, 130, 131, 210, 211, 212],
    statuses: { 130: 409, 131: 403 },
  },
  getTransaction: {
    method: 'GET',
    path: `${version}/transactions/:transactionId`,
    summary: 'The history of a batch: its time, user, tables and answer; leaves an entry in the audit trail',
    permission: 'record.read',
    params: Type.Object({ ...ofVersion.properties, transactionId: requiredText('As the client sent it.') }),
    answer: oneOf(
      Type.Object({
        transactionId: text('As it was sent.'),
        writeTime: time('When it was written.'),
        userId: orNullWhole(
          'Who sent it: 0 for an administrator, whoever owns the records (the audit trail has the name); null for batches older than this column.',
        ),
        account: orNull(Type.String(), 'Account of the user, if the user still exists.'),
        operations: orNull(
          Type.Array(
            Type.Object({
              operation: text('`add`, `update`, `delete` or `put`.'),
              table: orNull(Type.String(), 'Present name of the table; null if the table no longer exists.'),
            }),
          ),
          'What was done to which table, in order; null for batches older than this column.',
        ),
        records: Type.Array(
          Type.Object({
            objectId: text('Id of the record.'),
            serverCreateTime: time('When the record was added.'),
            serverUpdateTime: time('When this batch wrote it.'),
          }),
          { description: 'The answer: one for each item, in order.' },
        ),
      }),
    ),
    codes: [105, 106, 130],
  },
});

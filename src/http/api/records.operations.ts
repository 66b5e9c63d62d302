/** Records of an application version, as administrators see and change them. */
import Type from 'typebox';
import { administrationOperations, faults } from '../../operations/define.ts';
import { putResult, selectBody, selectedRows, transactionId } from '../../operations/record-shapes.ts';
import {
  choice,
  envelope,
  ofVersion,
  oneOf,
  optional,
  orNull,
  orNullWhole,
  requiredText,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const version = '/companies/:companyId/applications/:appId/versions/:version';
const ofTable = Type.Object({ ...ofVersion.properties, objectName: requiredText('Table name.') });

const ownOperations = Type.Array(
  Type.Object({
    op: choice(['add', 'update', 'delete'], 'What is done.'),
    objectName: requiredText('Table name.'),
    data: Type.Array(Type.Unknown(), { description: 'As in `data/batch` of clients.', minItems: 1 }),
  }),
  { description: 'In the order in which they take effect; `batchItemsMax` items in all.', minItems: 1 },
);

export const recordOperations = administrationOperations({ tag: 'records' })({
  selectRecords: {
    method: 'POST',
    path: `${version}/records/:objectName/select`,
    summary:
      'Select among all records of a table, whoever owns them; the first page leaves an entry in the audit trail',
    permission: 'record.read',
    params: ofTable,
    body: selectBody,
    answer: envelope(selectedRows),
    codes: [102, 105, 106, 132],
    faults: faults.adminRead,
    statuses: { 212: 413 },
  },
  selectAsUser: {
    method: 'POST',
    path: `${version}/users/:userId/records/:objectName/select`,
    summary: 'Select what a user would be answered, and why; every page leaves an entry in the audit trail',
    permission: 'record.browse',
    params: Type.Object({
      ...ofVersion.properties,
      userId: whole('User id.', { minimum: 1 }),
      objectName: ofTable.properties.objectName,
    }),
    body: Type.Object({
      why: requiredText('Why it has to be seen; kept in the audit trail.', { maxLength: 500 }),
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
        { description: 'Whose records are among those that the user sees, besides the own and those for all.' },
      ),
      tableRights: orNull(
        Type.Record(Type.String(), Type.Array(Type.String())),
        'Rights by table, in lower case; null where the roles grant everything.',
      ),
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
      ownerId: optional(whole('The user who owns what is added, in whose groups it is made.', { minimum: 1 })),
      operations: ownOperations,
    }),
    answer: oneOf(
      Type.Object({
        transactionId: text('As it was sent, or the one that was made.'),
        records: Type.Array(putResult, { description: 'One for each item, in the order of the operations.' }),
      }),
    ),
    codes: [102, 105, 106, 130, 131, 210, 211, 212],
    statuses: { 130: 409, 131: 403 },
  },
  getTransaction: {
    method: 'GET',
    path: `${version}/transactions/:transactionId`,
    summary: 'What the history keeps of a batch: when, by whom, on which tables, and what it was answered',
    permission: 'record.read',
    params: Type.Object({ ...ofVersion.properties, transactionId: requiredText('As the client sent it.') }),
    answer: oneOf(
      Type.Object({
        transactionId: text('As it was sent.'),
        writeTime: time('When it was written.'),
        userId: orNullWhole('Who sent it; 0 an administrator, null before the history kept it.'),
        account: orNull(Type.String(), 'Account of the user, where there still is one.'),
        operations: orNull(Type.Array(Type.Unknown()), 'Table and operation of each change, in order.'),
        answer: Type.Unknown({ description: 'The ids of the records, with their times, as the history keeps them.' }),
      }),
    ),
    codes: [105, 106, 130],
  },
});

/** Records: queries, single reads and batches (docs/reference/operations.md#records). */
import Type from 'typebox';
import { clientOperations, faults } from '../../operations/define.ts';
import {
  batchBody,
  batchResult,
  by,
  expressionQueryProperties,
  putResult,
  selectBody,
  selectedRows,
  structuredQueryAnswer,
  structuredQueryBody,
  transactionId,
} from '../../operations/record-shapes.ts';
import { boundedBy, envelope, ignoredMembers, optional, record, requiredText, text } from '../../operations/shapes.ts';

const readCodes = [0, 102, 110, 120, 121, 122, 132, 198, 212] as const;

const expressionQueryBody = Type.Object({
  ...expressionQueryProperties,
  range: optional(
    Type.Object({
      offset: Type.Integer({ description: 'Position of the first record, from 0.', minimum: 0 }),
      limit: Type.Integer({ description: 'Number of records, 1 or more.', minimum: 1 }),
    }),
  ),
});

/** Count ignores the range, even an invalid one (docs/reference/queries.md#counting). */
const countBody = Type.Object(expressionQueryProperties, { [ignoredMembers]: ['range'] });

const recordsBody = Type.Object({
  transactionId,
  objectName: requiredText('Table name.'),
  data: Type.Array(Type.Unknown(), {
    description: 'Records.',
    minItems: 1,
    [boundedBy]: { maxItems: 'batchItemsMax' },
  }),
});

const deleteBody = Type.Object({
  transactionId,
  objectName: requiredText('Table name.'),
  objectIds: Type.Array(Type.Unknown(), {
    description: 'Items {objectId, serverUpdateTime}.',
    minItems: 1,
    [boundedBy]: { maxItems: 'batchItemsMax' },
  }),
});

const putBody = Type.Object({ ...recordsBody.properties, by });

export const dataOperations = clientOperations({ tag: 'data' })({
  query: {
    method: 'POST',
    path: '/data/query',
    summary: 'Query records (older form)',
    body: structuredQueryBody,
    answer: envelope(structuredQueryAnswer),
    codes: readCodes,
    faults: faults.read,
    statuses: { 212: 413 },
  },
  addData: {
    method: 'POST',
    path: '/data/batch/addData',
    summary: 'Add records, all or nothing',
    body: recordsBody,
    answer: envelope({ results: Type.Array(batchResult) }),
    codes: [0, 102, 110, 120, 121, 122, 131, 210, 211, 212],
    statuses: { 131: 403 },
  },
  updateData: {
    method: 'POST',
    path: '/data/batch/updateData',
    summary: 'Update records under their optimistic lock, all or nothing',
    body: recordsBody,
    answer: envelope({ results: Type.Array(batchResult) }),
    codes: [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
    statuses: { 130: 409, 131: 403 },
  },
  deleteData: {
    method: 'POST',
    path: '/data/batch/deleteData',
    summary: 'Delete records under their optimistic lock, all or nothing',
    body: deleteBody,
    answer: envelope({ results: Type.Array(batchResult) }),
    codes: [0, 110, 120, 121, 122, 130, 198, 202, 210, 211, 212, 220],
    faults: faults.delete,
    statuses: { 130: 409 },
  },
  putData: {
    method: 'POST',
    path: '/data/batch/putData',
    summary: 'Add records, or update existing ones, all or nothing',
    alwaysStrict: true,
    body: putBody,
    answer: envelope({ results: Type.Array(putResult) }),
    codes: [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
    statuses: { 130: 409, 131: 403 },
  },
  batch: {
    method: 'POST',
    path: '/data/batch',
    summary: 'Add, update, delete and put records of several tables, all or nothing',
    alwaysStrict: true,
    body: batchBody,
    answer: envelope({
      results: Type.Array(putResult, { description: 'One for each item, in the order of the operations.' }),
    }),
    codes: [0, 102, 110, 120, 121, 122, 130, 131, 210, 211, 212],
    statuses: { 130: 409, 131: 403 },
  },
  getRecord: {
    method: 'GET',
    path: '/data/:objectName/:objectId',
    summary: 'Get one record by its id',
    tokenInQuery: true,
    query: Type.Object({ values: optional(text("'typed': JSON of each type; by default strings.")) }),
    answer: Type.Record(Type.String(), Type.Array(record), { description: 'The table name, and the record.' }),
    codes: [0, 102, 110, 120, 121, 122, 130, 198, 212],
    faults: faults.readOne,
  },
  expressionQuery: {
    method: 'POST',
    path: '/data/query/:objectName',
    summary: 'Query records with expressions',
    body: expressionQueryBody,
    answer: Type.Record(Type.String(), Type.Array(record), {
      description: 'Each alias with an array of one record per result row; entries at one index form a row.',
    }),
    codes: readCodes,
    faults: faults.read,
    statuses: { 212: 413 },
  },
  select: {
    method: 'POST',
    path: '/data/select/:objectName',
    summary: 'Select values or records, row by row',
    alwaysStrict: true,
    body: selectBody,
    answer: envelope(selectedRows),
    codes: readCodes,
    faults: faults.read,
    statuses: { 212: 413 },
  },
  count: {
    method: 'POST',
    path: '/data/query/:objectName/count',
    summary: 'Count the rows that a query matches',
    body: countBody,
    answer: envelope({ count: Type.Integer({ description: 'Number of matching rows.' }) }),
    codes: readCodes,
    faults: faults.read,
  },
});

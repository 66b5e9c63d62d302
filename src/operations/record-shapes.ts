/** Shapes of queries and batches of records, which clients and administrators send alike. */
import Type from 'typebox';
import {
  absentWhenEmpty,
  boundedBy,
  choice,
  code,
  expression,
  optional,
  record,
  requiredText,
  text,
} from './shapes.ts';

const joinTypes = ['INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN', 'FULL OUTER JOIN'];
joinTypes.push('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');

const sortDirection = optional(text("'ASC' (default) or 'DESC'.", { [boundedBy]: { enum: ['ASC', 'DESC'] } }));

export const expressionQueryProperties = {
  from: Type.Object({ phyName: requiredText('Table name.'), alias: requiredText('Alias of the table.') }),
  join: optional(
    Type.Array(
      Type.Object({
        entity: requiredText('Table to join.'),
        entityAlias: requiredText('Alias of the joined table.'),
        expression,
        type: requiredText("'INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN' or 'FULL OUTER JOIN'.", {
          [boundedBy]: { enum: joinTypes },
        }),
      }),
    ),
  ),
  where: optional(Type.Object({ expression })),
  orderBy: optional(
    Type.Array(
      Type.Object({
        column: requiredText("Column with its alias: '#alias.column'."),
        type: sortDirection,
      }),
    ),
  ),
};

export const selectBody = Type.Object({
  ...expressionQueryProperties,
  orderBy: optional(
    Type.Array(
      Type.Object({
        column: requiredText(
          "Column with its alias: '#alias.column'; with groups, the name of a value of `select`, or an expression on groups.",
        ),
        type: sortDirection,
      }),
    ),
  ),
  select: optional(
    Type.Array(Type.Object({ name: requiredText('Name of the value in each row.'), expression }), {
      description: 'The values of a row; by default whole records under their aliases.',
      minItems: 1,
    }),
  ),
  groupBy: optional(
    Type.Array(Type.String(), {
      description:
        'The values that the rows of a group share: names of values of `select`, or expressions without `?`.',
      minItems: 1,
    }),
  ),
  having: optional(Type.Object({ expression }, { description: 'Condition on groups.' })),
  distinct: optional(Type.Boolean({ description: 'Answers equal rows once; not with `groupBy`.' })),
  range: optional(
    Type.Object({
      offset: optional(Type.Integer({ description: 'Position of the first row, from 0.', minimum: 0 })),
      limit: Type.Integer({ description: 'Number of rows, 1 or more.', minimum: 1 }),
    }),
  ),
  after: optional(text("'' for the first page, then `next` of the previous page; needs `range.limit`.")),
  values: optional(
    text("'typed' (default): JSON of each type; 'text': strings, as in the other queries.", {
      [boundedBy]: { enum: ['typed', 'text'] },
    }),
  ),
});

/** The answer of a select query. */
export const selectedRows = {
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'One object per row: the selected values, or each alias with its record.',
  }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'The cursor of the next page; null if there is none.',
  }),
};

const whereGroup = Type.Object({
  searchConditions: Type.Array(
    Type.Object({
      type: Type.Integer({
        description: '1 equal, 2 not equal, 3 like, 4 >, 5 >=, 6 <, 7 <=, 8 in, 9 IS NULL.',
        minimum: 1,
        maximum: 9,
      }),
      tableName: requiredText('Table of the column.'),
      columnName: requiredText('Column to test.'),
      conditionValue: optional(
        Type.Array(Type.Unknown(), { description: 'One value; one or more for type 8; none for type 9.' }),
      ),
      isIgnoreCase: optional(Type.Boolean({ description: 'True compares text without regard to case.' })),
    }),
  ),
  type: optional(
    text("'AND' or 'OR': combines this group with the next one.", { [boundedBy]: { enum: ['AND', 'OR'] } }),
  ),
});

const joinCondition = Type.Object({
  joinType: Type.Integer({ description: '1 inner join, 2 left outer join.', minimum: 1, maximum: 2 }),
  joinObjectName: requiredText('Table to join.'),
  joinColumn: requiredText('Its column.'),
  baseObjectName: requiredText('Table that is in the query already.'),
  baseColumn: requiredText('Its column.'),
  whereConditions: optional(Type.Array(whereGroup)),
});

export const structuredQueryBody = Type.Object({
  objectNames: Type.Union([Type.String(), Type.Array(Type.String())], {
    description: 'Tables of the query; a single one may be given as a plain string.',
  }),
  returnedObjectNames: Type.Union([Type.String(), Type.Array(Type.String())], {
    description: 'Tables whose records are returned; a single one may be given as a plain string.',
  }),
  recordId: optional(text('Id of one record of the first table.', { [absentWhenEmpty]: true })),
  maxRecord: optional(
    Type.Integer({
      description: 'Records a page (1 000 unless sent).',
      minimum: 1,
      [boundedBy]: { maximum: 'maxRecordMax' },
    }),
  ),
  pageIndex: optional(Type.Integer({ description: 'Page, from 1.', minimum: 1 })),
  condition: optional(
    Type.Object({
      sortConditions: optional(
        Type.Array(
          Type.Object({
            conditionValue: Type.Integer({ description: '1 ascending, 2 descending.', minimum: 1, maximum: 2 }),
            tableName: requiredText('Table of the column.'),
            columnName: requiredText('Column to sort by.'),
          }),
        ),
      ),
      whereConditions: optional(Type.Array(whereGroup)),
      joinConditions: optional(Type.Array(joinCondition)),
      scope: optional(Type.Integer({ description: '1 user, 2 group, 3 all (default).', minimum: 1, maximum: 3 })),
    }),
  ),
});

export const structuredQueryAnswer = {
  results: Type.Array(Type.Record(Type.String(), Type.Array(record)), {
    description: 'One element per returned table: its name, and one record per row.',
  }),
  counter: Type.Integer({ description: 'All matching rows.' }),
  pageIndex: Type.Integer({ description: 'The page in this answer, from 1.' }),
  totalPage: Type.Integer({ description: 'Number of pages.' }),
};

export const batchResult = Type.Object({
  objectId: text("Id of the record, '-1' for an item that failed."),
  serverCreateTime: optional(
    Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601 with offset; null if nothing was written.' }),
  ),
  serverUpdateTime: optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Send it back with the next update or delete.' }),
  ),
  errCode: optional(code('Only for a failed item.')),
  description: optional(text('Only for a failed item.')),
});

export const transactionId = optional(
  text('Repeating a request with the same id never writes twice.', {
    [absentWhenEmpty]: true,
    [boundedBy]: { maxLength: 200 },
  }),
);

export const by = optional(
  Type.Array(Type.String(), {
    description: 'For a put: the columns of a unique index by which it finds records; objectId by default.',
    minItems: 1,
  }),
);

export const batchBody = Type.Object({
  transactionId,
  operations: Type.Array(
    Type.Object({
      op: choice(['add', 'update', 'delete', 'put'], 'What is done.'),
      objectName: requiredText('Table name.'),
      by,
      data: Type.Array(Type.Unknown(), {
        description: 'Records; for a delete, items {objectId, serverUpdateTime}.',
        minItems: 1,
      }),
    }),
    { description: 'In the order in which they take effect; `batchItemsMax` items in all.', minItems: 1 },
  ),
});

export const putResult = Type.Object({
  ...batchResult.properties,
  outcome: optional(choice(['added', 'updated'], 'Of a put.')),
});

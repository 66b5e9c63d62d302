/** Shapes of queries and batches of records, which clients and administrators send alike. */
import Type from 'typebox';
import { absentWhenEmpty, boundedBy, choice, expression, optional, requiredText, text } from './shapes.ts';

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
          "Column with its alias: '#alias.column'; where rows are grouped, the name of a value of `select`, or an expression about groups.",
        ),
        type: sortDirection,
      }),
    ),
  ),
  select: optional(
    Type.Array(Type.Object({ name: requiredText('Name of the value in each row.'), expression }), {
      description: 'What a row holds; whole records under their aliases unless sent.',
      minItems: 1,
    }),
  ),
  groupBy: optional(
    Type.Array(Type.String(), {
      description: 'What the rows of a group have in common: names of values of `select`, or expressions without `?`.',
      minItems: 1,
    }),
  ),
  having: optional(Type.Object({ expression }, { description: 'Condition on groups.' })),
  distinct: optional(Type.Boolean({ description: 'Answers rows of equal values once; not beside `groupBy`.' })),
  range: optional(
    Type.Object({
      offset: optional(Type.Integer({ description: 'Position of the first row, from 0.', minimum: 0 })),
      limit: Type.Integer({ description: 'Number of rows, 1 or more.', minimum: 1 }),
    }),
  ),
  after: optional(text("'' for the first page, `next` of the page before for the following one; needs `range.limit`.")),
  values: optional(
    text("'typed' (default): JSON of each type; 'text': strings, as in the other queries.", {
      [boundedBy]: { enum: ['typed', 'text'] },
    }),
  ),
});

/** What a select query answers. */
export const selectedRows = {
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'One object per row: the selected values, or each alias with its record.',
  }),
  next: Type.Union([Type.String(), Type.Null()], { description: 'Where the next page begins; null for none.' }),
};

export const batchResult = Type.Object({
  objectId: text("Id of the record, '-1' for an item that failed."),
  serverCreateTime: optional(
    Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601 with offset; null when nothing was written.' }),
  ),
  serverUpdateTime: optional(
    Type.Union([Type.String(), Type.Null()], { description: 'To be sent back with the next update or delete.' }),
  ),
  errCode: optional(Type.Integer({ description: 'Of an item that failed.' })),
  description: optional(text('Of an item that failed.')),
});

export const transactionId = optional(
  text('Repeating a request with the same id never writes twice.', {
    [absentWhenEmpty]: true,
    [boundedBy]: { maxLength: 200 },
  }),
);

export const by = optional(
  Type.Array(Type.String(), {
    description: 'Of a put: the columns of a unique index by which it finds records; objectId unless sent.',
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
        description: 'Records; items {objectId, serverUpdateTime} of a delete.',
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

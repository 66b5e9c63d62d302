/** The tables of the client's tests; `types.ts` is generated from them. */

export const tables = [
  {
    name: 'Author',
    columns: [
      { colName: 'name', type: 'varchar', fieldLength: 100, required: true },
      { colName: 'born', type: 'datetime' },
    ],
    indexes: [{ columns: ['name'], unique: true }],
  },
  {
    name: 'Book',
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 200, required: true, fullText: true },
      { colName: 'year', type: 'integer' },
      { colName: 'copies', type: 'long' },
      { colName: 'price', type: 'decimal', precision: 8, scale: 2 },
      { colName: 'weight', type: 'double' },
      { colName: 'sold', type: 'bool', default: false },
      { colName: 'added', type: 'datetime' },
      { colName: 'extra', type: 'json' },
      { colName: 'author', type: 'varchar', fieldLength: 60, references: 'Author' },
    ],
    indexes: [{ columns: ['author'], unique: false }],
  },
];

/** Texts on trying queries out, in English. */
export const playground = {
  title: 'Playground',
  what: 'Try a query. It sees every record, as the records screen does; a client’s sees what its user may see.',
  example: 'Begin with a table',
  choose: 'Choose …',
  query: 'Query',
  form: 'Form',
  forms: { select: 'Select query', older: 'Older query' },
  hints: {
    select: 'As a client sends it to data/select. Ctrl and Enter runs it.',
    older: 'As a client sends it to data/query, without scope. Ctrl and Enter runs it.',
  },
  run: 'Run',
  rows: 'Rows',
  took: (rows: string, milliseconds: string) => `${rows} rows in ${milliseconds} ms`,
  explain: 'Explain',
  plan: {
    title: 'What the database does',
    walk: (table: string, rows: string) => `walks all of ${table}, about ${rows} rows`,
    walkIndex: (table: string, index: string, rows: string) =>
      `walks ${table} in the order of the index (${index}), up to the end of the page or of about ${rows} rows`,
    find: (table: string, index: string) => `finds rows of ${table} by index (${index})`,
    findByTerms: (table: string, column: string) => `finds rows of ${table} by the full text of ${column}`,
    indexOnce: (table: string, columns: string) =>
      `makes an index of these rows of ${table} (${columns}) for this query alone`,
    sort: 'sorts the rows found',
    group: 'groups the rows found',
    advice: (table: string, columns: string) => `An index on ${table} (${columns}) would help.`,
  },
} as const;

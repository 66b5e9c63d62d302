/** Texts on trying out queries, in English. */
export const playground = {
  title: 'Playground',
  what: 'Try a query. Here it sees every record; sent by a client, it sees only what the user may see.',
  example: 'Start with a table',
  choose: 'Choose …',
  query: 'Query',
  form: 'Form',
  forms: { select: 'Select query', older: 'Older query' },
  hints: {
    select: 'As a client sends it to data/select. Ctrl+Enter runs it.',
    older: 'As a client sends it to data/query, without scope. Ctrl+Enter runs it.',
  },
  run: 'Run',
  rows: 'Rows',
  took: (rows: string, milliseconds: string) => `${rows} rows in ${milliseconds} ms`,
  explain: 'Explain',
  plan: {
    title: 'Query plan',
    walk: (table: string, rows: string) => `scans all of ${table}, about ${rows} rows`,
    walkIndex: (table: string, index: string, rows: string) =>
      `reads ${table} in the order of the index (${index}) until the page is full, or about ${rows} rows`,
    find: (table: string, index: string) => `finds rows of ${table} by index (${index})`,
    findByTerms: (table: string, column: string) => `finds rows of ${table} by the full text of ${column}`,
    indexOnce: (table: string, columns: string) => `builds a temporary index on ${table} (${columns}) for this query`,
    sort: 'sorts the rows found',
    group: 'groups the rows found',
    advice: (table: string, columns: string) => `An index on ${table} (${columns}) would help.`,
  },
} as const;

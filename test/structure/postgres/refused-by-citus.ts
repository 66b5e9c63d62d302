/**
 * Statements that a Citus cluster refuses, or executes with more than one command to one node: how each form is
 * recognised, with an example. `test/cluster/forms.ts` shows the effect of each example on a cluster (version 13.2).
 */

export interface RefusedForm {
  readonly name: string;
  /** The effect of the example on a cluster. */
  readonly leadsTo: 'an error' | 'two phases' | 'several commands';
  /** On the tables `record` (id text, time bigint) of data spaces 1 and 2 and of the directory. */
  readonly example: string;
  /** @param sql without quoted parts */
  has(sql: string): boolean;
}

const space = String.raw`rowhouse_space_\d+"?\.`;
const schemasIn = (sql: string) => new Set(sql.match(/\browhouse_(?:directory|logs|space_\d+)\b/g));
const spacesIn = (sql: string) => [...schemasIn(sql)].filter((schema) => schema.startsWith('rowhouse_space_'));

const insertSelect = new RegExp(
  String.raw`\bINSERT INTO "?${space}(?:"[^"]+"|\w+)(?: AS \w+)?\s*(?:\([^)]*\))?\s*(SELECT\b.*)`,
  'is',
);

/** The SELECT of an `INSERT` into a data space, if any. */
function selectedBy(sql: string): string | null {
  return insertSelect.exec(sql)?.[1] ?? null;
}

const readsSpace = (selected: string) => new RegExp(String.raw`(?:FROM|JOIN|,)\s*"?${space}`, 'i').test(selected);

const writingCte = new RegExp(
  String.raw`\bAS(?: MATERIALIZED)?\s*\(\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?${space}`,
  'i',
);

export const refusedForms: readonly RefusedForm[] = [
  {
    name: 'tables of two data spaces',
    leadsTo: 'an error',
    example:
      'UPDATE rowhouse_space_1.record SET time = o.time FROM rowhouse_space_2.record AS o WHERE o.id = record.id',
    has: (sql) => spacesIn(sql).length > 1,
  },
  {
    name: 'a table of a data space beside one of the directory or the logs',
    leadsTo: 'several commands',
    example: 'SELECT r.id FROM rowhouse_space_1.record AS r JOIN rowhouse_directory.record AS o ON o.id = r.id',
    has: (sql) => spacesIn(sql).length > 0 && schemasIn(sql).size > spacesIn(sql).length,
  },
  {
    name: 'an INSERT … SELECT that reads no table of its data space',
    leadsTo: 'two phases',
    example: "INSERT INTO rowhouse_space_1.record (id) SELECT id FROM unnest('{a}'::text[]) AS item(id)",
    has(sql) {
      const selected = selectedBy(sql);
      return selected !== null && !readsSpace(selected);
    },
  },
  {
    name: 'an INSERT … SELECT with the id of the transaction',
    leadsTo: 'an error',
    example: `INSERT INTO rowhouse_space_1.record (id, time)
      SELECT item.id, pg_current_xact_id()::text::bigint FROM rowhouse_space_1.record AS r, unnest('{a}'::text[]) AS item(id)`,
    has: (sql) => /\b(?:pg_current_xact_id|txid_current)\(/.test(selectedBy(sql) ?? ''),
  },
  {
    name: 'a CTE that writes',
    leadsTo: 'several commands',
    example: `WITH written AS (INSERT INTO rowhouse_space_1.record (id) VALUES ('b') RETURNING id) SELECT id FROM written`,
    has: (sql) => writingCte.test(sql),
  },
];

/** The names of the statement's forms. */
export function formsOf(statement: string): string[] {
  const sql = statement.replaceAll(/'(?:[^']|'')*'/g, "''");
  return refusedForms.filter((form) => form.has(sql)).map(({ name }) => name);
}

/** The names of the schemas of an installation, and how SQL written for any data space becomes that of one. */

export const directorySchema = 'rowhouse_directory';
export const logsSchema = 'rowhouse_logs';

/** What the schema of every data space begins with; the id of the data space follows. */
export const spaceSchemaPrefix = 'rowhouse_space_';

export function spaceSchema(spaceId: number): string {
  if (!Number.isSafeInteger(spaceId)) throw new Error(`${spaceId} is not the id of a data space.`);
  return `${spaceSchemaPrefix}${spaceId}`;
}

/** SQL for data spaces names the schema `"~"`, which no client's name can contain. */
export function inSpace(sql: string, spaceId: number): string {
  return sql.replaceAll('"~".', `"${spaceSchema(spaceId)}".`);
}

/** The schema of the data space that a statement is on; none touches two of them. */
export function schemaIn(sql: string): string | null {
  const start = sql.indexOf(`"${spaceSchemaPrefix}`);
  return start < 0 ? null : sql.slice(start + 1, sql.indexOf('"', start + 1));
}

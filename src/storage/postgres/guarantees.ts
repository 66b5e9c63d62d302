/**
 * The requirements on a server for the guarantees of this service, checked on every server that data are written to.
 */

/** The first outputs of a statement, for `brokenGuarantee`. */
export const guaranteeSql = `current_setting('server_version_num'), current_setting('server_encoding'),
      current_setting('synchronous_commit')`;

export interface BrokenGuarantee {
  readonly problem: string;
  /** How to fix it on that server. */
  readonly remedy: string;
}

const oldestVersion = 150_000;

/** @returns null when the server can give every guarantee */
export function brokenGuarantee([version, encoding, commit]: readonly unknown[]): BrokenGuarantee | null {
  if (Number(version) < oldestVersion) {
    return { problem: 'PostgreSQL 15 or newer is required.', remedy: 'Upgrade the server.' };
  }
  if (encoding !== 'UTF8') {
    const remedy = "Create the database again there with ENCODING 'UTF8'.";
    return { problem: `The database has the encoding ${encoding}; UTF8 is required.`, remedy };
  }
  if (commit !== 'on' && commit !== 'remote_apply') {
    const problem = `PostgreSQL has synchronous_commit = ${commit}; on or remote_apply is required.`;
    const remedy =
      'Run "ALTER SYSTEM SET synchronous_commit = on" and "SELECT pg_reload_conf()" there, and look for settings of the database and the role.';
    return { problem, remedy };
  }
  return null;
}

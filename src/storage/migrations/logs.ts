/** The layout of the client logs, step by step, for both engines. */
import type { Ddl, Steps } from './ddl.ts';

export function logsLayout(ddl: Ddl): Steps {
  const { id, number, text, named, table, tableByKey } = ddl;
  return [
    [
      table(
        'entry',
        id(),
        `time ${number} NOT NULL`,
        `company_id ${number} NOT NULL`,
        `app_id ${text} NOT NULL`,
        `version ${text} NOT NULL`,
        `user_id ${number} NOT NULL`,
        `device_udid ${text} NOT NULL`,
        `level ${text} NOT NULL`,
        `message ${text} NOT NULL`,
      ),
      `CREATE INDEX entry_of_version ON ${named('entry')} (company_id, app_id, version, id)`,
    ],
    // Entries are read by application, in order of arrival.
    [
      `CREATE INDEX entry_of_application ON ${named('entry')} (company_id, app_id, id)`,
      `DROP INDEX ${named('entry_of_version')}`,
    ],
    // Ids that entries name are never reused while the entries exist.
    [
      ...ddl.identityTable,
      `UPDATE ${named('_identity')} SET company_id_max = coalesce((SELECT max(company_id) FROM ${named('entry')}), 0)`,
      ...ddl.seeEntries,
    ],
    // The service's statistics, by step and process.
    [
      tableByKey(
        'service_step',
        `minutes ${number} NOT NULL`,
        `time ${number} NOT NULL`,
        `process ${text} NOT NULL`,
        `counts ${text} NOT NULL`,
        'PRIMARY KEY (minutes, time, process)',
      ),
    ],
    // The joins in the queries of each version, by day.
    [
      tableByKey(
        'version_join',
        `space_id ${number} NOT NULL`,
        `version ${text} NOT NULL`,
        `day ${number} NOT NULL`,
        `joined ${text} NOT NULL`,
        `queries ${number} NOT NULL`,
        'PRIMARY KEY (space_id, version, day, joined)',
      ),
    ],
  ];
}

/** The layout of `logs.db`, step by step: the file's `user_version` says how many of them it has behind it. */
import { identityTable } from './identity.ts';

export const logsSteps: readonly string[] = [
  `
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    company_id INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    version TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    device_udid TEXT NOT NULL,
    level TEXT NOT NULL,
    message TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entry_of_version ON entry (company_id, app_id, version, id);
  `,
  // Entries are read by application, in the order of their coming.
  `
  CREATE INDEX entry_of_application ON entry (company_id, app_id, id);
  DROP INDEX entry_of_version;
  `,
  // The ids that entries name never come again while they are there.
  `${identityTable}
  UPDATE _identity SET company_id_max = coalesce((SELECT max(company_id) FROM entry), 0);
  CREATE TRIGGER entry_is_seen AFTER INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM _identity WHERE company_id_max < NEW.company_id OR user_id_max < NEW.user_id)
    BEGIN
      UPDATE _identity SET company_id_max = max(company_id_max, NEW.company_id),
        user_id_max = max(user_id_max, NEW.user_id);
    END;
  `,
];

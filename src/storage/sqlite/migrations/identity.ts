/** Steps about identities: of the directory, which says who the installation is, and of the files that belong to it. */

/**
 * Who the installation is: every other file carries this id. `is_settled`: the files have their identities; one without is
 * refused from then on. `server`: who works on the folder (`server-lock.ts`). `secret_key`: the keys that secrets are or
 * were sealed with, by their ids, and when one was given up as lost.
 */
export const installation = `
  CREATE TABLE installation (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    is_settled INTEGER NOT NULL CHECK (is_settled IN (0, 1)),
    server TEXT
  ) STRICT;
  INSERT INTO installation (one, id, is_settled)
    SELECT 1, lower(hex(randomblob(16))), NOT EXISTS (SELECT 1 FROM data_space);

  CREATE TABLE secret_key (id TEXT NOT NULL PRIMARY KEY, lost INTEGER) STRICT;
  INSERT INTO secret_key (id)
    SELECT substr(secret_sealed, 4, 8) FROM oidc_client WHERE secret_sealed LIKE 'v1.%'
    UNION SELECT substr(push_token_sealed, 4, 8) FROM device WHERE push_token_sealed LIKE 'v1.%';
`;

/** The table of its identity that every other file has. */
export const identityTable = `
  CREATE TABLE _identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    installation TEXT,
    space_id INTEGER,
    company_id_max INTEGER NOT NULL DEFAULT 0,
    user_id_max INTEGER NOT NULL DEFAULT 0,
    group_id_max INTEGER NOT NULL DEFAULT 0,
    role_id_max INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO _identity (one) VALUES (1);
`;

/**
 * The layout of the directory, step by step, for both engines. Rows as in `storage/tables.ts`. Ids are never reused
 * (`Ddl.id`), because records and logs keep naming them.
 */
import { added, type Ddl, type Steps } from './ddl.ts';
import { recordIntents, runningJobs } from './under-way.ts';

const ofApplication = ({ number, text }: Ddl) => `company_id ${number} NOT NULL, app_id ${text} NOT NULL`;
const referencesApplication = ({ named }: Ddl) =>
  `FOREIGN KEY (company_id, app_id) REFERENCES ${named('application')} (company_id, app_id)`;

function people(ddl: Ddl): readonly string[] {
  const { id, number, text, flag, named, table, tableByKey } = ddl;
  return [
    table('company', id(), `name ${text} NOT NULL`, flag('disabled'), `created ${number} NOT NULL`),
    table(
      'user_group',
      id(),
      `company_id ${number} NOT NULL REFERENCES ${named('company')} (id)`,
      `name ${text} NOT NULL`,
      `created ${number} NOT NULL`,
      'UNIQUE (company_id, name)',
    ),
    table(
      'role',
      id(100),
      `company_id ${number} REFERENCES ${named('company')} (id)`,
      `name ${text} NOT NULL`,
      `description ${text} NOT NULL DEFAULT ''`,
      'UNIQUE (company_id, name)',
    ),
    `INSERT INTO ${named('role')} (id, company_id, name, description) VALUES
      (1, NULL, 'App Admin', 'Manages one application.'),
      (2, NULL, 'Super Admin', 'Manages the whole company.'),
      (3, NULL, 'Admin', 'Manages the users of the own groups.'),
      (4, NULL, 'Manager', 'Sees the users of the own groups.'),
      (5, NULL, 'User', 'Reads and writes records.'),
      (6, NULL, 'Developer', 'Defines the tables of the applications of the own groups.')`,
    ...ddl.afterRows('role', 99),
    table(
      'user',
      id(),
      `company_id ${number} NOT NULL REFERENCES ${named('company')} (id)`,
      `account ${text} NOT NULL`,
      `email ${text}`,
      `first_name ${text} NOT NULL DEFAULT ''`,
      `last_name ${text} NOT NULL DEFAULT ''`,
      flag('disabled'),
      `created ${number} NOT NULL`,
    ),
    // In the collation "C", `lower` changes ASCII letters only.
    `CREATE UNIQUE INDEX user_account ON ${named('user')} (company_id, lower(account))`,
    `CREATE UNIQUE INDEX user_email ON ${named('user')} (company_id, email)`,
    tableByKey(
      'identity',
      `company_id ${number} NOT NULL REFERENCES ${named('company')} (id)`,
      `issuer ${text} NOT NULL`,
      `subject ${text} NOT NULL`,
      `user_id ${number} NOT NULL REFERENCES ${named('user')} (id) ON DELETE CASCADE`,
      `created ${number} NOT NULL`,
      'PRIMARY KEY (company_id, issuer, subject)',
    ),
    `CREATE INDEX identity_of_user ON ${named('identity')} (user_id)`,
    tableByKey(
      'membership',
      `user_id ${number} NOT NULL REFERENCES ${named('user')} (id) ON DELETE CASCADE`,
      `group_id ${number} NOT NULL REFERENCES ${named('user_group')} (id) ON DELETE CASCADE`,
      `role_id ${number} NOT NULL REFERENCES ${named('role')} (id)`,
      'PRIMARY KEY (user_id, group_id, role_id)',
    ),
    `CREATE INDEX membership_of_group ON ${named('membership')} (group_id)`,
    `CREATE INDEX membership_of_role ON ${named('membership')} (role_id)`,
  ];
}

function applications(ddl: Ddl): readonly string[] {
  const { id, number, text, flag, named, table, tableByKey } = ddl;
  return [
    table(
      'application',
      `company_id ${number} NOT NULL REFERENCES ${named('company')} (id)`,
      `app_id ${text} NOT NULL`,
      `name ${text} NOT NULL`,
      `app_key_hash ${text} NOT NULL`,
      flag('disabled'),
      `account_policy ${text} NOT NULL DEFAULT 'refuse' CHECK (account_policy IN ('refuse', 'create'))`,
      `default_group_id ${number} REFERENCES ${named('user_group')} (id)`,
      `default_role_id ${number} REFERENCES ${named('role')} (id)`,
      `created ${number} NOT NULL`,
      'PRIMARY KEY (company_id, app_id)',
    ),
    table('data_space', id(), ofApplication(ddl), `created ${number} NOT NULL`, referencesApplication(ddl)),
    table(
      'app_version',
      ofApplication(ddl),
      `version ${text} NOT NULL`,
      `space_id ${number} NOT NULL REFERENCES ${named('data_space')} (id)`,
      `log_level ${text} NOT NULL DEFAULT 'MONITOR' CHECK (log_level IN ('ERROR', 'MONITOR'))`,
      flag('development'),
      flag('disabled'),
      `created ${number} NOT NULL`,
      'PRIMARY KEY (company_id, app_id, version)',
      referencesApplication(ddl),
    ),
    `CREATE INDEX app_version_of_space ON ${named('app_version')} (space_id)`,
    tableByKey(
      'app_group',
      ofApplication(ddl),
      `group_id ${number} NOT NULL REFERENCES ${named('user_group')} (id) ON DELETE CASCADE`,
      'PRIMARY KEY (company_id, app_id, group_id)',
      referencesApplication(ddl),
    ),
    `CREATE INDEX app_group_of_group ON ${named('app_group')} (group_id)`,
  ];
}

function signIn(ddl: Ddl): readonly string[] {
  const { id, number, text, flag, named, table, tableByKey } = ddl;
  return [
    tableByKey(
      'provider',
      ofApplication(ddl),
      `name ${text} NOT NULL`,
      `issuer ${text} NOT NULL`,
      `scopes ${text} NOT NULL DEFAULT 'openid email'`,
      `created ${number} NOT NULL`,
      'PRIMARY KEY (company_id, app_id, name)',
      referencesApplication(ddl),
    ),
    tableByKey(
      'oidc_client',
      ofApplication(ddl),
      `provider_name ${text} NOT NULL`,
      `client_id ${text} NOT NULL`,
      `secret_sealed ${text}`,
      `redirect_uri ${text} NOT NULL`,
      `created ${number} NOT NULL`,
      'PRIMARY KEY (company_id, app_id, provider_name, client_id)',
      `FOREIGN KEY (company_id, app_id, provider_name) REFERENCES ${named('provider')} (company_id, app_id, name)`,
    ),
    table(
      'device',
      id(),
      ofApplication(ddl),
      `udid ${text} NOT NULL`,
      `push_token_sealed ${text}`,
      `name ${text}`,
      `os_type ${text}`,
      `created ${number} NOT NULL`,
      `updated ${number} NOT NULL`,
      'UNIQUE (company_id, app_id, udid)',
      referencesApplication(ddl),
    ),
    table(
      'token',
      `hash ${text} NOT NULL PRIMARY KEY`,
      `session ${text} NOT NULL`,
      `kind ${text} NOT NULL CHECK (kind IN ('anonymous', 'user'))`,
      ofApplication(ddl),
      `version ${text} NOT NULL`,
      `device_udid ${text} NOT NULL`,
      `user_id ${number} REFERENCES ${named('user')} (id) ON DELETE CASCADE`,
      flag('is_push'),
      `created ${number} NOT NULL`,
      `last_used ${number} NOT NULL`,
      `valid_time ${number} NOT NULL`,
      `expires ${number} NOT NULL`,
      flag('revoked'),
      `CHECK ((kind = 'user') = (user_id IS NOT NULL))`,
      `FOREIGN KEY (company_id, app_id, version) REFERENCES ${named('app_version')} (company_id, app_id, version)`,
    ),
    `CREATE INDEX token_of_user ON ${named('token')} (user_id) WHERE user_id IS NOT NULL`,
    `CREATE INDEX token_session ON ${named('token')} (session)`,
    `CREATE INDEX token_expires ON ${named('token')} (expires)`,
    table(
      'login_flow',
      `token_hash ${text} NOT NULL PRIMARY KEY REFERENCES ${named('token')} (hash) ON DELETE CASCADE`,
      `device_udid ${text} NOT NULL`,
      `provider_name ${text} NOT NULL`,
      `issuer ${text} NOT NULL`,
      `client_id ${text} NOT NULL`,
      `redirect_uri ${text} NOT NULL`,
      `nonce ${text} NOT NULL`,
      `verifier_sealed ${text} NOT NULL`,
      `expires ${number} NOT NULL`,
      flag('used'),
    ),
    `CREATE INDEX login_flow_expires ON ${named('login_flow')} (expires)`,
  ];
}

/** Data that administrators change have a revision, which a change names as its base. */
const revised = ['company', 'application', 'app_version', 'user_group', 'user', 'role', 'provider', 'oidc_client'];
const revision = ({ number }: Ddl) => `revision ${number} NOT NULL DEFAULT 1`;

function administration(ddl: Ddl): readonly string[] {
  const { id, number, text, flag, named, table, tableByKey } = ddl;
  return [
    ...revised.map((name) => added(ddl, name, revision(ddl))),
    added(ddl, 'company', `storage_bytes_max ${number}`),
    added(ddl, 'company', `log_entries_max ${number}`),
    added(ddl, 'company', `requests_at_once_max ${number}`),
    added(ddl, 'application', flag('local_accounts')),
    added(ddl, 'application', `cors_origins ${text} NOT NULL DEFAULT ''`),
    added(ddl, 'user_group', `description ${text} NOT NULL DEFAULT ''`),
    added(ddl, 'user', `password_hash ${text}`),
    added(ddl, 'membership', `source ${text} NOT NULL DEFAULT ''`),
    added(ddl, 'provider', `claim_mapping ${text} NOT NULL DEFAULT '{}'`),
    added(ddl, 'provider', `account_policy ${text} CHECK (account_policy IN ('refuse', 'create'))`),
    `CREATE INDEX token_of_version ON ${named('token')} (company_id, app_id, version, device_udid)
      WHERE user_id IS NOT NULL`,
    tableByKey(
      'role_permission',
      `role_id ${number} NOT NULL REFERENCES ${named('role')} (id) ON DELETE CASCADE`,
      `app_id ${text} NOT NULL`,
      `table_name ${text} NOT NULL`,
      ...['read', 'add', 'update', 'delete'].map((right) => flag(`can_${right}`)),
      'PRIMARY KEY (role_id, app_id, table_name)',
    ),
    table(
      'administrator',
      id(),
      `account ${text} NOT NULL`,
      `email ${text} UNIQUE`,
      `name ${text} NOT NULL DEFAULT ''`,
      `password_hash ${text}`,
      `issuer ${text}`,
      `subject ${text}`,
      flag('disabled'),
      revision(ddl),
      `created ${number} NOT NULL`,
      'UNIQUE (issuer, subject)',
    ),
    `CREATE UNIQUE INDEX administrator_account ON ${named('administrator')} (lower(account))`,
    table(
      'admin_session',
      `hash ${text} NOT NULL PRIMARY KEY`,
      `csrf_hash ${text} NOT NULL`,
      `administrator_id ${number} REFERENCES ${named('administrator')} (id) ON DELETE CASCADE`,
      `user_id ${number} REFERENCES ${named('user')} (id) ON DELETE CASCADE`,
      `address ${text} NOT NULL DEFAULT ''`,
      `created ${number} NOT NULL`,
      `last_used ${number} NOT NULL`,
      `valid_time ${number} NOT NULL`,
      `expires ${number} NOT NULL`,
      flag('revoked'),
      'CHECK ((administrator_id IS NULL) <> (user_id IS NULL))',
    ),
    `CREATE INDEX admin_session_of_administrator ON ${named('admin_session')} (administrator_id)`,
    `CREATE INDEX admin_session_of_user ON ${named('admin_session')} (user_id)`,
    `CREATE INDEX admin_session_expires ON ${named('admin_session')} (expires)`,
    table(
      'admin_flow',
      `state_hash ${text} NOT NULL PRIMARY KEY`,
      `nonce ${text} NOT NULL`,
      `verifier_sealed ${text} NOT NULL`,
      `expires ${number} NOT NULL`,
      flag('used'),
    ),
    table(
      'setup_code',
      `code_hash ${text} NOT NULL PRIMARY KEY`,
      `created ${number} NOT NULL`,
      `expires ${number} NOT NULL`,
      flag('used'),
    ),
    tableByKey(
      'attempt',
      `key ${text} NOT NULL PRIMARY KEY`,
      `window_start ${number} NOT NULL`,
      `count ${number} NOT NULL`,
      `blocked_until ${number} NOT NULL DEFAULT 0`,
    ),
    `CREATE INDEX attempt_window ON ${named('attempt')} (window_start)`,
    table(
      'audit',
      id(),
      `time ${number} NOT NULL`,
      `actor_kind ${text} NOT NULL CHECK (actor_kind IN ('operator', 'administrator', 'user', 'nobody'))`,
      `actor_id ${number}`,
      `actor_name ${text} NOT NULL`,
      `company_id ${number}`,
      `app_id ${text}`,
      `address ${text}`,
      `action ${text} NOT NULL`,
      `target ${text} NOT NULL`,
      `outcome ${text} NOT NULL CHECK (outcome IN ('done', 'refused'))`,
      `detail ${text} NOT NULL DEFAULT '{}'`,
    ),
    `CREATE INDEX audit_of_company ON ${named('audit')} (company_id, id)`,
    ...ddl.appendOnly('audit'),
  ];
}

/** Before the flag existed, roles without permissions granted everything; they still do, and now have the flag. */
function unrestrictedRoles(ddl: Ddl): readonly string[] {
  const { named, flag } = ddl;
  return [
    added(ddl, 'role', flag('unrestricted')),
    `UPDATE ${named('role')} AS r SET unrestricted = 1
      WHERE NOT EXISTS (SELECT 1 FROM ${named('role_permission')} AS p WHERE p.role_id = r.id)`,
  ];
}

/**
 * The identity of the installation: every other store carries this id. `is_settled`: all stores have identities; from
 * then on a store without one is refused. `secret_key`: ids of the keys that secrets are or were sealed with, and when
 * one was given up as lost.
 */
function installation(ddl: Ddl): readonly string[] {
  const { number, text, named, table } = ddl;
  return [
    ...ddl.installation,
    table('secret_key', `id ${text} NOT NULL PRIMARY KEY`, `lost ${number}`),
    `INSERT INTO ${named('secret_key')} (id)
      SELECT substr(secret_sealed, 4, 8) FROM ${named('oidc_client')} WHERE secret_sealed LIKE 'v1.%'
      UNION SELECT substr(push_token_sealed, 4, 8) FROM ${named('device')} WHERE push_token_sealed LIKE 'v1.%'`,
  ];
}

/** The first step is that of the first release; each further one is added at the end. */
export function directoryLayout(ddl: Ddl): Steps {
  return [
    [...people(ddl), ...ddl.passedIds('company'), ...applications(ddl), ...signIn(ddl)],
    administration(ddl),
    unrestrictedRoles(ddl),
    // A role's position among its user's roles, as given; older ones are ordered by group and role.
    [added(ddl, 'membership', `position ${ddl.number} NOT NULL DEFAULT 0`)],
    [added(ddl, 'app_version', ddl.flag('strict_handling'))],
    installation(ddl),
    [recordIntents(ddl)],
    // Each application grants App Admins access to its records: none, read or write.
    [added(ddl, 'application', `record_access ${ddl.text} NOT NULL DEFAULT 'none'`)],
    [runningJobs(ddl)],
  ];
}

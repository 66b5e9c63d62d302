/**
 * The layout of `directory.db`, step by step: the file's `user_version` says how many of them it has behind it. Rows as
 * in `storage/tables.ts`. Ids are never used again (AUTOINCREMENT), because records and logs keep naming them.
 */
import { installation } from './identity.ts';

const flag = (name: string) => `${name} INTEGER NOT NULL DEFAULT 0 CHECK (${name} IN (0, 1))`;
const ofApplication = `
    company_id INTEGER NOT NULL,
    app_id TEXT NOT NULL`;
const referencesApplication = 'FOREIGN KEY (company_id, app_id) REFERENCES application (company_id, app_id)';

const tenants = `
  CREATE TABLE company (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    ${flag('disabled')},
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE application (
    company_id INTEGER NOT NULL REFERENCES company (id),
    app_id TEXT NOT NULL,
    name TEXT NOT NULL,
    app_key_hash TEXT NOT NULL,
    ${flag('disabled')},
    account_policy TEXT NOT NULL DEFAULT 'refuse' CHECK (account_policy IN ('refuse', 'create')),
    default_group_id INTEGER REFERENCES user_group (id),
    default_role_id INTEGER REFERENCES role (id),
    created INTEGER NOT NULL,
    PRIMARY KEY (company_id, app_id)
  ) STRICT;

  CREATE TABLE data_space (
    id INTEGER PRIMARY KEY AUTOINCREMENT,${ofApplication},
    created INTEGER NOT NULL,
    ${referencesApplication}
  ) STRICT;

  CREATE TABLE app_version (${ofApplication},
    version TEXT NOT NULL,
    space_id INTEGER NOT NULL REFERENCES data_space (id),
    log_level TEXT NOT NULL DEFAULT 'MONITOR' CHECK (log_level IN ('ERROR', 'MONITOR')),
    ${flag('development')},
    ${flag('disabled')},
    created INTEGER NOT NULL,
    PRIMARY KEY (company_id, app_id, version),
    ${referencesApplication}
  ) STRICT;
  CREATE INDEX app_version_of_space ON app_version (space_id);
`;

const people = `
  CREATE TABLE user_group (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES company (id),
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (company_id, name)
  ) STRICT;

  CREATE TABLE app_group (${ofApplication},
    group_id INTEGER NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    PRIMARY KEY (company_id, app_id, group_id),
    ${referencesApplication}
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX app_group_of_group ON app_group (group_id);

  CREATE TABLE user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES company (id),
    account TEXT NOT NULL,
    email TEXT,
    first_name TEXT NOT NULL DEFAULT '',
    last_name TEXT NOT NULL DEFAULT '',
    ${flag('disabled')},
    created INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX user_account ON user (company_id, lower(account));
  CREATE UNIQUE INDEX user_email ON user (company_id, email);

  CREATE TABLE identity (
    company_id INTEGER NOT NULL REFERENCES company (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created INTEGER NOT NULL,
    PRIMARY KEY (company_id, issuer, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identity_of_user ON identity (user_id);

  CREATE TABLE role (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER REFERENCES company (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    UNIQUE (company_id, name)
  ) STRICT;
  INSERT INTO role (id, company_id, name, description) VALUES
    (1, NULL, 'App Admin', 'Manages one application.'),
    (2, NULL, 'Super Admin', 'Manages the whole company.'),
    (3, NULL, 'Admin', 'Manages the users of the own groups.'),
    (4, NULL, 'Manager', 'Sees the users of the own groups.'),
    (5, NULL, 'User', 'Reads and writes records.'),
    (6, NULL, 'Developer', 'Defines the tables of the applications of the own groups.');
  UPDATE sqlite_sequence SET seq = 99 WHERE name = 'role';

  CREATE TABLE membership (
    user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    group_id INTEGER NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    role_id INTEGER NOT NULL REFERENCES role (id),
    PRIMARY KEY (user_id, group_id, role_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX membership_of_group ON membership (group_id);
  CREATE INDEX membership_of_role ON membership (role_id);
`;

const signIn = `
  CREATE TABLE provider (${ofApplication},
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    scopes TEXT NOT NULL DEFAULT 'openid email',
    created INTEGER NOT NULL,
    PRIMARY KEY (company_id, app_id, name),
    ${referencesApplication}
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE oidc_client (${ofApplication},
    provider_name TEXT NOT NULL,
    client_id TEXT NOT NULL,
    secret_sealed TEXT,
    redirect_uri TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (company_id, app_id, provider_name, client_id),
    FOREIGN KEY (company_id, app_id, provider_name) REFERENCES provider (company_id, app_id, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE device (
    id INTEGER PRIMARY KEY AUTOINCREMENT,${ofApplication},
    udid TEXT NOT NULL,
    push_token_sealed TEXT,
    name TEXT,
    os_type TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    UNIQUE (company_id, app_id, udid),
    ${referencesApplication}
  ) STRICT;

  CREATE TABLE token (
    hash TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('anonymous', 'user')),${ofApplication},
    version TEXT NOT NULL,
    device_udid TEXT NOT NULL,
    user_id INTEGER REFERENCES user (id) ON DELETE CASCADE,
    ${flag('is_push')},
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    valid_time INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    ${flag('revoked')},
    CHECK ((kind = 'user') = (user_id IS NOT NULL)),
    FOREIGN KEY (company_id, app_id, version) REFERENCES app_version (company_id, app_id, version)
  ) STRICT;
  CREATE INDEX token_of_user ON token (user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX token_session ON token (session);
  CREATE INDEX token_expires ON token (expires);

  CREATE TABLE login_flow (
    token_hash TEXT NOT NULL PRIMARY KEY REFERENCES token (hash) ON DELETE CASCADE,
    device_udid TEXT NOT NULL,
    provider_name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    nonce TEXT NOT NULL,
    verifier_sealed TEXT NOT NULL,
    expires INTEGER NOT NULL,
    ${flag('used')}
  ) STRICT;
  CREATE INDEX login_flow_expires ON login_flow (expires);
`;

/** What is changed by administrators has a revision, which the change names that was based on it. */
const revised = ['company', 'application', 'app_version', 'user_group', 'user', 'role', 'provider', 'oidc_client'];
const revision = 'revision INTEGER NOT NULL DEFAULT 1';
const permission = (right: string) => flag(`can_${right}`);

const administration = `
  ${revised.map((table) => `ALTER TABLE ${table} ADD COLUMN ${revision};`).join('\n  ')}
  ALTER TABLE company ADD COLUMN storage_bytes_max INTEGER;
  ALTER TABLE company ADD COLUMN log_entries_max INTEGER;
  ALTER TABLE company ADD COLUMN requests_at_once_max INTEGER;
  ALTER TABLE application ADD COLUMN ${flag('local_accounts')};
  ALTER TABLE application ADD COLUMN cors_origins TEXT NOT NULL DEFAULT '';
  ALTER TABLE user_group ADD COLUMN description TEXT NOT NULL DEFAULT '';
  ALTER TABLE user ADD COLUMN password_hash TEXT;
  ALTER TABLE membership ADD COLUMN source TEXT NOT NULL DEFAULT '';
  ALTER TABLE provider ADD COLUMN claim_mapping TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE provider ADD COLUMN account_policy TEXT CHECK (account_policy IN ('refuse', 'create'));

  CREATE INDEX token_of_version ON token (company_id, app_id, version, device_udid) WHERE user_id IS NOT NULL;

  CREATE TABLE role_permission (
    role_id INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    app_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    ${['read', 'add', 'update', 'delete'].map(permission).join(',\n    ')},
    PRIMARY KEY (role_id, app_id, table_name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE administrator (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL,
    email TEXT UNIQUE,
    name TEXT NOT NULL DEFAULT '',
    password_hash TEXT,
    issuer TEXT,
    subject TEXT,
    ${flag('disabled')},
    ${revision},
    created INTEGER NOT NULL,
    UNIQUE (issuer, subject)
  ) STRICT;
  CREATE UNIQUE INDEX administrator_account ON administrator (lower(account));

  CREATE TABLE admin_session (
    hash TEXT NOT NULL PRIMARY KEY,
    csrf_hash TEXT NOT NULL,
    administrator_id INTEGER REFERENCES administrator (id) ON DELETE CASCADE,
    user_id INTEGER REFERENCES user (id) ON DELETE CASCADE,
    address TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    valid_time INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    ${flag('revoked')},
    CHECK ((administrator_id IS NULL) <> (user_id IS NULL))
  ) STRICT;
  CREATE INDEX admin_session_of_administrator ON admin_session (administrator_id);
  CREATE INDEX admin_session_of_user ON admin_session (user_id);
  CREATE INDEX admin_session_expires ON admin_session (expires);

  CREATE TABLE admin_flow (
    state_hash TEXT NOT NULL PRIMARY KEY,
    nonce TEXT NOT NULL,
    verifier_sealed TEXT NOT NULL,
    expires INTEGER NOT NULL,
    ${flag('used')}
  ) STRICT;

  CREATE TABLE setup_code (
    code_hash TEXT NOT NULL PRIMARY KEY,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    ${flag('used')}
  ) STRICT;

  CREATE TABLE attempt (
    key TEXT NOT NULL PRIMARY KEY,
    window_start INTEGER NOT NULL,
    count INTEGER NOT NULL,
    blocked_until INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attempt_window ON attempt (window_start);

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('operator', 'administrator', 'user', 'nobody')),
    actor_id INTEGER,
    actor_name TEXT NOT NULL,
    company_id INTEGER,
    app_id TEXT,
    address TEXT,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
    detail TEXT NOT NULL DEFAULT '{}'
  ) STRICT;
  CREATE INDEX audit_of_company ON audit (company_id, id);
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END;
  CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
    BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END;
`;

/** Roles without permissions granted everything before there was a flag for it: they go on, marked. */
const unrestrictedRoles = `
  ALTER TABLE role ADD COLUMN ${flag('unrestricted')};
  UPDATE role SET unrestricted = 1
    WHERE NOT EXISTS (SELECT 1 FROM role_permission WHERE role_permission.role_id = role.id);
`;

/** Where a role stands among those of its user, as they were given; those of before stay in the order of group and role. */
const membershipOrder = 'ALTER TABLE membership ADD COLUMN position INTEGER NOT NULL DEFAULT 0;';
const strictHandling = `ALTER TABLE app_version ADD COLUMN ${flag('strict_handling')};`;

export const directorySteps: readonly string[] = [
  tenants + people + signIn,
  administration,
  unrestrictedRoles,
  membershipOrder,
  strictHandling,
  installation,
];

/**
 * The rows of our own relational databases, as Kysely types; their SQL is in `storage/migrations/`. Times are
 * milliseconds since 1970 UTC, flags 0 or 1, hashes SHA-256 in hex.
 */
import type { Generated } from 'kysely';
import type { Entity, SqlRowOf } from '../entities/entity.ts';
import type { administrator, group, role, user } from '../entities/people.ts';
import type { client, provider } from '../entities/providers.ts';
import type { application, company, version } from '../entities/tenants.ts';

/** The table of an entity. */
export type TableOf<Of extends Entity> = SqlRowOf<Of, 'own'> & {
  readonly [Name in keyof SqlRowOf<Of, 'given'>]: Generated<SqlRowOf<Of, 'given'>[Name]>;
};

export interface DirectoryTables {
  company: TableOf<typeof company>;
  application: TableOf<typeof application>;
  data_space: { id: Generated<number>; company_id: number; app_id: string; created: number };
  app_version: TableOf<typeof version>;
  app_group: { company_id: number; app_id: string; group_id: number };
  user: TableOf<typeof user>;
  /** An account at a provider, identified by (issuer, subject), never by the e-mail. */
  identity: { company_id: number; issuer: string; subject: string; user_id: number; created: number };
  user_group: TableOf<typeof group>;
  role: TableOf<typeof role>;
  /** What a custom role grants on a table of an application; `*` stands for every table. Flags. */
  role_permission: {
    role_id: number;
    app_id: string;
    table_name: string;
    can_read: Generated<number>;
    can_add: Generated<number>;
    can_update: Generated<number>;
    can_delete: Generated<number>;
  };
  membership: {
    user_id: number;
    group_id: number;
    role_id: number;
    /**
     * `<appId>/<provider>` when given by claims, which can also remove it (`auth/oidc/claims.ts`); '' when given by
     * hand.
     */
    source: Generated<string>;
    /** The order in which the roles were given to the user. */
    position: Generated<number>;
  };
  provider: TableOf<typeof provider>;
  oidc_client: TableOf<typeof client>;
  /** Keys that secrets are or were sealed with (`auth/secret-keys.ts`). */
  secret_key: {
    /** See `idOf` in `auth/seal.ts`. */
    id: string;
    /** When it was given up as lost, or null. */
    lost: number | null;
  };
  device: {
    id: Generated<number>;
    company_id: number;
    app_id: string;
    udid: string;
    /** The push token, sealed. */
    push_token_sealed: string | null;
    name: string | null;
    os_type: string | null;
    created: number;
    updated: number;
  };
  token: {
    hash: string;
    /** Hash of the first token of the session: renewed tokens share it, and end together. */
    session: string;
    /** 'anonymous' or 'user'. */
    kind: string;
    company_id: number;
    app_id: string;
    version: string;
    device_udid: string;
    user_id: number | null;
    is_push: Generated<number>;
    created: number;
    /** Lifetimes count from it; updated at most once a minute. */
    last_used: number;
    /** Lifetime in milliseconds, from the last use (user) or from creation (anonymous). */
    valid_time: number;
    /** End of life in any case. */
    expires: number;
    revoked: Generated<number>;
  };
  login_flow: {
    token_hash: string;
    device_udid: string;
    provider_name: string;
    issuer: string;
    client_id: string;
    redirect_uri: string;
    nonce: string;
    verifier_sealed: string;
    expires: number;
    used: Generated<number>;
  };
  /** Administrators of the installation; they are not users of a company. */
  administrator: TableOf<typeof administrator>;
  /**
   * A sign-in to the administration, of an administrator or of a user of a company; exactly one of the two ids is set.
   */
  admin_session: {
    /** SHA-256 of the cookie. */
    hash: string;
    csrf_hash: string;
    administrator_id: number | null;
    user_id: number | null;
    address: Generated<string>;
    created: number;
    last_used: number;
    valid_time: number;
    expires: number;
    revoked: Generated<number>;
  };
  /** An unfinished sign-in of an administrator through a provider. */
  admin_flow: {
    state_hash: string;
    nonce: string;
    verifier_sealed: string;
    expires: number;
    used: Generated<number>;
  };
  /** The one-time link for the first administrator. */
  setup_code: { code_hash: string; created: number; expires: number; used: Generated<number> };
  /** Attempts at actions that require a secret, by address or account, for rate limits that all instances share. */
  attempt: { key: string; window_start: number; count: number; blocked_until: Generated<number> };
  /**
   * Writes to records by administrators and changes of tables that are under way (`administration/intents.ts`).
   * `transaction_id`: of a change of tables the id of the job; `entry`: the JSON of their entry in the audit trail.
   */
  record_intent: { id: Generated<number>; time: number; space_id: number; transaction_id: string; entry: string };
  /** Long jobs that a process carries out or has carried out (`data/running-jobs.ts`). */
  running_job: {
    id: string;
    /** 'tables' or 'move'. */
    kind: string;
    /** Null for a rebalancing. */
    space_id: number | null;
    /** The node to which a data space is moved. */
    target: string | null;
    begun: number;
    /** JSON: percent, or what has been moved. */
    progress: string;
    /** 'running', 'done' or 'failed'. */
    state: string;
    error: string | null;
    /** When its process last updated it. */
    seen: number;
    /** Whether its process is to cancel it. */
    cancel: Generated<number>;
  };
  /** Who did what; the database refuses to change or delete a row. */
  audit: {
    id: Generated<number>;
    time: number;
    /** 'operator' (the command line), 'administrator', 'user' or 'nobody' (a refused sign-in). */
    actor_kind: string;
    actor_id: number | null;
    actor_name: string;
    company_id: number | null;
    app_id: string | null;
    address: string | null;
    /** `user.create`, `session.start`, … */
    action: string;
    target: string;
    /** 'done' or 'refused'. */
    outcome: string;
    /** JSON, without secrets. */
    detail: Generated<string>;
  };
}

export interface LogTables {
  entry: {
    id: Generated<number>;
    time: number;
    company_id: number;
    app_id: string;
    version: string;
    user_id: number;
    device_udid: string;
    level: string;
    message: string;
  };
  /** The counts of one process in one step of the statistics (`statistics/`). */
  service_step: {
    /** Length of the step. */
    minutes: number;
    /** When it began. */
    time: number;
    /** A random id of the process. */
    process: string;
    /** JSON. */
    counts: string;
  };
  /** How many queries of a version joined on two columns on each day (`statistics/joins.ts`). */
  version_join: {
    space_id: number;
    version: string;
    /** The start of the day in UTC. */
    day: number;
    /** As in `query/joined-columns.ts`. */
    joined: string;
    queries: number;
  };
}

/**
 * The rows of our own relational databases, as Kysely types; their SQL stands in `storage/<engine>/migrations/`.
 * Times are milliseconds since 1970 UTC, flags 0 or 1, hashes SHA-256 in hex.
 */
import type { Generated } from 'kysely';

export interface DirectoryTables {
  company: { id: Generated<number>; name: string; disabled: Generated<number>; created: number };
  application: {
    company_id: number;
    app_id: string;
    name: string;
    /** Of the app key; the key is shown once, when it is made. */
    app_key_hash: string;
    disabled: Generated<number>;
    /** What happens to an unknown identity at sign-in: 'refuse', or 'create' with the default group and role. */
    account_policy: Generated<string>;
    default_group_id: number | null;
    default_role_id: number | null;
    created: number;
  };
  data_space: { id: Generated<number>; company_id: number; app_id: string; created: number };
  app_version: {
    company_id: number;
    app_id: string;
    /** Dotted form. */
    version: string;
    space_id: number;
    log_level: Generated<string>;
    /** In development: `isResetDatabase` is allowed. */
    development: Generated<number>;
    disabled: Generated<number>;
    created: number;
  };
  app_group: { company_id: number; app_id: string; group_id: number };
  user: {
    id: Generated<number>;
    company_id: number;
    /** Unique in the company, without regard to case. */
    account: string;
    /** Lower case, unique in the company where not null. */
    email: string | null;
    first_name: Generated<string>;
    last_name: Generated<string>;
    disabled: Generated<number>;
    created: number;
  };
  /** An account at a provider: (issuer, subject) names it, never the e-mail. */
  identity: { company_id: number; issuer: string; subject: string; user_id: number; created: number };
  user_group: { id: Generated<number>; company_id: number; name: string; created: number };
  role: {
    /** Built-in 1 to 6, custom from 100. */
    id: Generated<number>;
    company_id: number | null;
    name: string;
    description: Generated<string>;
  };
  membership: { user_id: number; group_id: number; role_id: number };
  provider: {
    company_id: number;
    app_id: string;
    /** Path segment, `idp` for the default one. */
    name: string;
    issuer: string;
    /** Space-separated. */
    scopes: Generated<string>;
    created: number;
  };
  oidc_client: {
    company_id: number;
    app_id: string;
    provider_name: string;
    client_id: string;
    /** Sealed (`auth/seal.ts`), null for a public client. */
    secret_sealed: string | null;
    redirect_uri: string;
    created: number;
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
    /** Counted from; noted at most once a minute. */
    last_used: number;
    /** Milliseconds of life counted from the last use (user) or from creation (anonymous). */
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
}

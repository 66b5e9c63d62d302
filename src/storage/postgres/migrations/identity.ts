/** Steps about identities: of the directory, which says who the installation is, and of the schemas that belong to it. */
import { directorySchema } from '../schemas.ts';

const named = (table: string) => `${directorySchema}.${table}`;

/**
 * Who the installation is: every other schema carries this id. `is_settled`: the schemas have their identities; one without
 * is refused from then on. `secret_key`: the keys that secrets are or were sealed with, by their ids, and when one was
 * given up as lost.
 */
export const installation: readonly string[] = [
  `CREATE TABLE ${named('installation')} (
    one smallint PRIMARY KEY CHECK (one = 1),
    id text NOT NULL,
    is_settled smallint NOT NULL CHECK (is_settled IN (0, 1))
  )`,
  `INSERT INTO ${named('installation')} (one, id, is_settled)
    SELECT 1, replace(gen_random_uuid()::text, '-', ''), (NOT EXISTS (SELECT FROM ${named('data_space')}))::int`,
  `CREATE TABLE ${named('secret_key')} (id text COLLATE "C" PRIMARY KEY, lost bigint)`,
  `INSERT INTO ${named('secret_key')} (id)
    SELECT substr(secret_sealed, 4, 8) FROM ${named('oidc_client')} WHERE secret_sealed LIKE 'v1.%'
    UNION SELECT substr(push_token_sealed, 4, 8) FROM ${named('device')} WHERE push_token_sealed LIKE 'v1.%'`,
];

/** The table of its identity that every other schema has. */
export function identityTable(schema: string): readonly string[] {
  return [
    `CREATE TABLE ${schema}._identity (
      one smallint PRIMARY KEY CHECK (one = 1),
      installation text,
      space_id bigint,
      company_id_max bigint NOT NULL DEFAULT 0,
      user_id_max bigint NOT NULL DEFAULT 0,
      group_id_max bigint NOT NULL DEFAULT 0,
      role_id_max bigint NOT NULL DEFAULT 0
    )`,
    `INSERT INTO ${schema}._identity (one) VALUES (1)`,
  ];
}

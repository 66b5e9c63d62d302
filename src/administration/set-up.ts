/**
 * Creates the first administrator, through a one-time link that the service shows at its start while there is none. Its
 * secret follows the `#`, which browsers do not send, and is stored only as its SHA-256.
 */
import { hasTokenForm, newToken, tokenHash } from '../auth/tokens.ts';
import type { From } from '../caller.ts';
import { writeOrExplain } from '../directory/ownership.ts';
import { expectOne } from '../directory/revisions.ts';
import { missing, quoted, ServiceError } from '../errors.ts';
import { checkedColumns, hashOf, insertAdministrator } from './administrators.ts';
import { auditEntry } from './audited-action.ts';
import type { Administration } from './open.ts';
import type { StartedSession } from './sessions.ts';
import { refused, startSession } from './sign-in.ts';

export interface SetUp {
  readonly secret: string;
  readonly account: string;
  readonly password: string;
  readonly email?: string;
  readonly name?: string;
}

/**
 * The secret of a new link; null if there is an administrator. Earlier links stay valid until they expire, as other
 * instances may have shown theirs; the first use of any link ends them all.
 */
export async function beginSetUp({
  storage,
  settings,
  environment,
}: Pick<Administration, 'storage' | 'settings' | 'environment'>): Promise<string | null> {
  const db = storage.directory;
  if ((await db.read(anyAdministrator(db))).length > 0) return null;
  const secret = newToken(environment);
  const created = environment.now();
  await db.write([
    db.build.deleteFrom('setup_code').where('expires', '<', created),
    db.build
      .insertInto('setup_code')
      .values({ code_hash: tokenHash(secret), created, expires: created + settings.setUpLinkLifeMs }),
  ]);
  return secret;
}

/**
 * Creates the first administrator and signs in. The link ends then; an error leaves it unchanged.
 * @throws ServiceError 111 the link is unknown, expired or used · `missing`, `malformed` what was typed · `tooMany`
 */
export async function completeSetUp(deps: Administration, input: SetUp, from: From): Promise<StartedSession> {
  const { storage, environment, auth } = deps;
  const db = storage.directory;
  await auth.attempts.guard('setUp', from);
  if (input.secret === '') throw missing('secret');
  const codeHash = tokenHash(input.secret);
  const now = environment.now();
  const unused = db.build
    .selectFrom('setup_code')
    .select('code_hash')
    .where('code_hash', '=', codeHash)
    .where('used', '=', 0)
    .where('expires', '>', now);
  // Checked before the other input, and before a password is hashed.
  const served = hasTokenForm(input.secret) && (await db.read(unused)).length > 0;
  if (!served || (await db.read(anyAdministrator(db))).length > 0) throw await unknownLink(deps, input, from);
  const columns = checkedColumns(input);
  const passwordHash = await hashOf(deps, 'password', input.password, columns);

  const actor = { kind: 'nobody', account: columns.account, address: from.address } as const;
  const target = `administrator ${quoted(columns.account)}`;
  const statements = [
    expectOne(unused.where(({ not, exists }) => not(exists(anyAdministrator(db))))),
    db.build.updateTable('setup_code').set({ used: 1 }),
    insertAdministrator(db, columns, passwordHash, now),
    auditEntry(deps, actor, { action: 'administrator.setUp', target, companyId: null, appId: null }, now),
  ];
  await writeOrExplain(db, statements, async () => {
    throw await unknownLink(deps, input, from);
  });
  const [made] = await db.read(
    db.build.selectFrom('administrator').select(['id', 'account']).where('account', '=', columns.account),
  );
  if (made === undefined) throw new ServiceError('internal', 'The administrator who was just added was not found.');
  const person = { kind: 'administrator', administratorId: made.id, account: made.account, ...from } as const;
  return startSession(deps, person, 'setUpLink');
}

function anyAdministrator(db: Administration['storage']['directory']) {
  return db.build.selectFrom('administrator').select('id').limit(1);
}

/** One message for all reasons. */
function unknownLink(deps: Administration, { account }: SetUp, from: From): Promise<ServiceError> {
  const message =
    'The link is not valid: it was used, it expired, or there is an administrator. If there is none, a restart of the service shows a new link.';
  return refused(deps, from, { account, companyId: null }, new ServiceError(111, message));
}

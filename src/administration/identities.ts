/**
 * Lists the identities at providers that name accounts, and forgets one so that another can be linked: for a new
 * subject at the provider with the same verified e-mail address, or administrators whose provider was replaced.
 */
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import { type DirectoryDatabase, writeOrExplain } from '../directory/ownership.ts';
import { expectOne, refuseOtherRevision } from '../directory/revisions.ts';
import { changeUser } from '../directory/user-rows.ts';
import type { User } from '../directory/users.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { type Administrator, type AdministratorDeps, getAdministrator } from './administrators.ts';
import { auditEntry } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import type { AccountDeps } from './open.ts';
import { endOfSessions } from './sessions-of-users.ts';

export type IdentityDeps = Pick<AccountDeps, 'storage' | 'directory' | 'environment' | 'sessions'> & {
  readonly auth: Pick<AccountDeps['auth'], 'forget'>;
};

export interface UserIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Milliseconds. */
  readonly created: number;
}

/** By issuer. @throws ServiceError `forbidden` · 130 unknown */
export async function listIdentities(
  { storage, directory }: Pick<IdentityDeps, 'storage' | 'directory'>,
  _actor: Permitted<'identity.read'>,
  companyId: number,
  userId: number,
): Promise<UserIdentity[]> {
  await directory.users.get(companyId, userId);
  return storage.directory.read(
    identitiesOf(storage.directory, companyId, userId).select(['issuer', 'subject', 'created']).orderBy('issuer'),
  );
}

export interface Relink {
  readonly companyId: number;
  readonly userId: number;
  readonly issuer: string;
  readonly revision?: number;
}

/**
 * Forgets the user's identity at the issuer and ends the user's sessions, in other processes within `sessionCacheMs`.
 * The next sign-in there with the user's verified e-mail address is linked.
 * @throws ServiceError `forbidden` · 130 unknown, no identity at the issuer, or with 409 another revision · `malformed`
 * a user without an e-mail address
 */
export async function relinkUser(
  deps: IdentityDeps,
  actor: Permitted<'identity.change'>,
  relink: Relink,
): Promise<User> {
  const { companyId, userId, issuer, revision } = relink;
  const { directory } = deps;
  const user = await directory.users.get(companyId, userId);
  refuseOtherRevision(`user ${userId}`, user.revision, revision);
  if (user.email === null) throw withoutEmail(`user ${userId}`);
  const db = deps.storage.directory;
  const [identity] = await db.read(identitiesOf(db, companyId, userId).select('subject').where('issuer', '=', issuer));
  const none = new ServiceError(130, `User ${userId} has no identity at ${quoted(issuer)}.`);
  if (identity === undefined) throw none;

  const audited = {
    action: 'user.relink',
    target: `user ${userId} ${quoted(user.account)}`,
    companyId,
    appId: null,
    detail: { issuer, subject: identity.subject },
  };
  const unlink = db.build
    .deleteFrom('identity')
    .where('company_id', '=', companyId)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .where('subject', '=', identity.subject);
  const end = endOfSessions(deps, { companyId, userId });
  const statements = [
    expectOne(unlink),
    expectOne(changeUser(db, user, {}, user.revision)),
    ...end.statements,
    auditEntry(deps, actor, audited),
  ];
  await writeOrExplain(db, statements, async () => {
    refuseOtherRevision(`user ${userId}`, (await directory.users.get(companyId, userId)).revision, user.revision);
    throw none;
  });
  end.afterwards();
  return directory.users.get(companyId, userId);
}

/**
 * Forgets the administrator's identity and ends the sessions. The next sign-in through the provider with the verified
 * e-mail address is linked; a password stays valid.
 * @throws ServiceError `forbidden` · 130 unknown, or with 409 another revision · `malformed` without an identity or an
 * e-mail address
 */
export async function relinkAdministrator(
  deps: Pick<AdministratorDeps, 'storage' | 'environment' | 'sessions'>,
  actor: Permitted<'administrator.change'>,
  id: number,
  revision?: number,
): Promise<Administrator> {
  const present = await getAdministrator(deps, actor, id);
  refuseOtherRevision(`administrator ${id}`, present.revision, revision);
  if (!present.hasIdentity) throw malformed('administrator', `${quoted(present.account)} is linked to no identity.`);
  if (present.email === null) throw withoutEmail(`administrator ${quoted(present.account)}`);
  const target = `administrator ${quoted(present.account)}`;
  const audited = { action: 'administrator.relink', target, companyId: null, appId: null, detail: { id } };
  const db = deps.storage.directory;
  const unlink = db.build
    .updateTable('administrator')
    .set({ issuer: null, subject: null, revision: present.revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', present.revision);
  const end = deps.sessions.endAllOf({ administratorId: id });
  await writeOrExplain(db, [expectOne(unlink), end, auditEntry(deps, actor, audited)], async () =>
    refuseOtherRevision(`administrator ${id}`, (await getAdministrator(deps, actor, id)).revision, present.revision),
  );
  deps.sessions.forgetAll();
  return getAdministrator(deps, actor, id);
}

/**
 * Warns of enabled administrators linked to another provider than the configured one, who cannot sign in through it.
 */
export async function warnOfOtherIssuer(
  { directory: db }: Pick<Storage, 'directory'>,
  { adminIssuer }: Pick<Settings, 'adminIssuer'>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (adminIssuer === '') return;
  const rows = await db.read(
    db.build
      .selectFrom('administrator')
      .select(['id', 'issuer'])
      .where('issuer', 'is not', null)
      .where('disabled', '=', 0)
      .orderBy('id'),
  );
  const { href } = new URL(adminIssuer);
  const administratorIds = rows.filter(({ issuer }) => URL.parse(issuer ?? '')?.href !== href).map(({ id }) => id);
  if (administratorIds.length === 0) return;
  log.warn(
    { adminIssuer, administratorIds },
    'Administrators are linked to an identity provider other than adminIssuer and cannot sign in through it: "rowhouse administrator relink --account <account>" links one anew, "rowhouse administrator password" sets a password.',
  );
}

function identitiesOf(db: DirectoryDatabase, companyId: number, userId: number) {
  return db.build.selectFrom('identity').where('company_id', '=', companyId).where('user_id', '=', userId);
}

function withoutEmail(what: string): ServiceError {
  return malformed('email', `${what} has no e-mail address to link the next sign-in by; set one first.`);
}

/** Signs in to the administration with a password, as an administrator or as a user of a company, and signs out. */
import { type ActingUser, type Actor, type Administrator, actingUser } from '../actor.ts';
import { isRightPassword, userWithPassword } from '../auth/local/users.ts';
import type { From } from '../caller.ts';
import { isFolded } from '../directory/folded-text.ts';
import { ServiceError } from '../errors.ts';
import { isWellFormed } from '../text.ts';
import { auditEntry } from './audited-action.ts';
import type { Administration } from './open.ts';
import { passwordApplications, type SessionOwner, type StartedSession } from './sessions.ts';

export interface PasswordSignIn {
  readonly account: string;
  readonly password: string;
  /** The user's company; absent for an administrator. */
  readonly companyId?: number | undefined;
}

/** Who signed in. */
type Person = Administrator | ActingUser;

interface Found {
  readonly person: Person;
  readonly disabled: boolean;
}

/**
 * Starts a session. Users are known only where an application of their company takes passwords.
 * @throws ServiceError 111 account and password don't belong together · 119 the account is disabled · `tooMany`
 */
export async function signInWithPassword(
  deps: Administration,
  input: PasswordSignIn,
  from: From,
): Promise<StartedSession> {
  const { account, companyId } = input;
  const attempt = { address: from.address, account: { companyId: companyId ?? 0, name: account } };
  await deps.auth.attempts.guard('administration', attempt);
  const found = await find(deps, input, from);
  if (found === null) {
    const error = new ServiceError(111, 'account, password: there is no such account with this password.');
    throw await refused(deps, from, { account, companyId: companyId ?? null }, error);
  }
  await deps.auth.attempts.succeeded('administration', attempt);
  if (found.disabled) {
    const error = new ServiceError(119, 'The account is disabled.');
    throw await refused(deps, from, { account, companyId: companyId ?? null }, error);
  }
  return startSession(deps, found.person, 'password');
}

/** Whether the password belongs to the account. */
export async function isOwnPassword(deps: Administration, input: PasswordSignIn): Promise<boolean> {
  return (await find(deps, input, { address: null })) !== null;
}

async function find(deps: Administration, input: PasswordSignIn, from: From): Promise<Found | null> {
  if (!isStorable(input.account)) return null;
  const { companyId } = input;
  return companyId === undefined ? findAdministrator(deps, input, from) : findUser(deps, input, companyId, from);
}

/** Starts a session, with its entry in the audit trail. */
export function startSession(deps: Administration, person: Person, by: 'password' | 'provider' | 'setUpLink') {
  const owner: SessionOwner =
    person.kind === 'user' ? { userId: person.userId } : { administratorId: person.administratorId };
  return deps.sessions.start(owner, person.address, [entryOf(deps, person, 'administration.signIn', { by })]);
}

/** Ends the session at once. */
export function signOut(deps: Administration, actor: Actor, cookie: string): Promise<void> {
  return deps.sessions.end(cookie, [entryOf(deps, actor, 'administration.signOut', {})]);
}

/**
 * Ends the session whose cookie a sign-in replaced: only a person with a copy of the cookie could still use it. If it had not
 * ended yet, the audit trail gets an entry of its owner, with the address of the sign-in.
 */
export async function endReplaced(deps: Administration, cookie: string, { address }: From): Promise<void> {
  const owner = await deps.sessions.settle(cookie, undefined, 'GET', address).catch((error: unknown) => {
    // The session of a disabled account must not come back with the account.
    if (error instanceof ServiceError && isEnded.includes(error.reason)) return null;
    throw error;
  });
  const entries = owner === null ? [] : [entryOf(deps, owner, 'administration.signOut', { by: 'signIn' })];
  await deps.sessions.end(cookie, entries);
}

/** The reasons by which `AdminSessions.settle` refuses the cookie of an ended session or a disabled account. */
const isEnded: readonly ServiceError['reason'][] = [110, 120, 121];

/** Notes a refused sign-in in the audit trail. @returns the error to throw */
export async function refused(
  deps: Pick<Administration, 'auth'>,
  { address }: From,
  { account, companyId }: { readonly account: string; readonly companyId: number | null },
  error: ServiceError,
): Promise<ServiceError> {
  const code = String(error.reason);
  const action = 'administration.signIn';
  await deps.auth.refusals.note({ action, account, address, companyId, appId: null, code, reason: error.message });
  return error;
}

function entryOf(deps: Administration, actor: Actor, action: string, detail: Readonly<Record<string, unknown>>) {
  return auditEntry(deps, actor, {
    action,
    target: 'administration',
    companyId: actor.kind === 'user' ? actor.companyId : null,
    appId: null,
    detail,
  });
}

async function findAdministrator(
  deps: Administration,
  { account, password }: PasswordSignIn,
  { address }: From,
): Promise<Found | null> {
  const { storage, settings, passwords } = deps;
  const db = storage.directory;
  const [row] = await db.read(
    db.build
      .selectFrom('administrator')
      .select(['id', 'account', 'disabled', 'password_hash'])
      .where(isFolded('account', account.trim())),
  );
  const stored = row?.password_hash ?? null;
  const change = db.build.updateTable('administrator').where('id', '=', row?.id ?? 0);
  const right = await isRightPassword({ db, settings, passwords }, password, stored, (anew) =>
    change.set({ password_hash: anew }).where('password_hash', '=', stored),
  );
  if (row === undefined || !right) return null;
  const person = { kind: 'administrator', administratorId: row.id, account: row.account, address } as const;
  return { person, disabled: row.disabled === 1 };
}

async function findUser(
  deps: Administration,
  { account, password }: PasswordSignIn,
  companyId: number,
  from: From,
): Promise<Found | null> {
  const { storage, directory } = deps;
  const db = storage.directory;
  const applications = await db.read(passwordApplications(db, companyId).limit(1));
  const user = await userWithPassword({ ...deps, db }, companyId, account.trim(), password);
  if (user === null || applications.length === 0) return null;
  const memberships = await directory.users.memberships(user.id);
  const person = actingUser({ companyId, userId: user.id, account: user.account, memberships }, from);
  return { person, disabled: user.disabled };
}

/** False for a text that can be neither an account name nor stored. */
function isStorable(account: string): boolean {
  return account.length <= 200 && isWellFormed(account);
}

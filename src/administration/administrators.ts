/** Administrators of the installation: they manage every company and belong to none. At least one is always enabled. */
import type { Selectable } from 'kysely';
import { checkedPassword, type PasswordRules, type Passwords } from '../auth/local/passwords.ts';
import type { Settings } from '../config.ts';
import { isFolded } from '../directory/folded-text.ts';
import { changedMeanwhile, type DirectoryDatabase, notThere, writeOrExplain } from '../directory/ownership.ts';
import { type Page, type PageRequest, page } from '../directory/paging.ts';
import { expectOne, refuseOtherRevision } from '../directory/revisions.ts';
import { rowsOf } from '../directory/rows.ts';
import { checkedEmail, checkedName, checkedOptionalName } from '../directory/text.ts';
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { administrator } from '../entities/people.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { type AdministrationDeps, type AuditedAction, auditEntry } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import type { AdminSessions } from './sessions.ts';

export interface AdministratorDeps extends Pick<AdministrationDeps, 'storage' | 'environment'> {
  readonly settings: PasswordRules & Pick<Settings, 'listLimitMax'>;
  readonly passwords: Passwords;
  readonly sessions: Pick<AdminSessions, 'endAllOf' | 'forgetAll'>;
}

export interface Administrator extends RowOf<typeof administrator> {
  readonly hasPassword: boolean;
  /** Whether a sign-in through the provider has linked an identity; it names the account from then on. */
  readonly hasIdentity: boolean;
}

export interface NewAdministrator extends NewOf<typeof administrator> {
  readonly password?: string;
}

export type AdministratorChanges = ChangesOf<typeof administrator>;

const rows = rowsOf(administrator, { account: checkedName, email: checkedEmail });

/** @throws ServiceError `forbidden` · `malformed` as `page` */
export async function listAdministrators(
  { storage, settings }: Pick<AdministratorDeps, 'storage' | 'settings'>,
  _actor: Permitted<'administrator.read'>,
  request: PageRequest,
): Promise<Page<Administrator>> {
  const found = await page(storage.directory, selectAdministrators(storage.directory), rows.fields, request, settings);
  return { ...found, results: found.results.map(administratorOf) };
}

/** @throws ServiceError `forbidden` · 130 unknown */
export async function getAdministrator(
  { storage }: Pick<AdministratorDeps, 'storage'>,
  _actor: Permitted<'administrator.read' | 'administrator.change'>,
  id: number,
): Promise<Administrator> {
  return find(storage.directory, id);
}

/** Finds by account, ignoring case. @throws ServiceError as `getAdministrator` */
export async function administratorNamed(
  { storage }: Pick<AdministratorDeps, 'storage'>,
  _actor: Permitted<'administrator.read'>,
  account: string,
): Promise<Administrator> {
  const named = await byAccount(storage.directory, account);
  if (named === null) throw notThere('administrator', account);
  return named;
}

/** @throws ServiceError `forbidden` · `missing`, `malformed`, also for an account or e-mail that is taken */
export async function createAdministrator(
  deps: Omit<AdministratorDeps, 'sessions'>,
  actor: Permitted<'administrator.change'>,
  input: NewAdministrator,
): Promise<Administrator> {
  const columns = checkedColumns(input);
  const passwordHash = input.password === undefined ? null : await hashOf(deps, 'password', input.password, columns);
  const audited = auditedAction('create', columns.account, {
    email: columns.email,
    withPassword: passwordHash !== null,
  });
  const db = deps.storage.directory;
  const insert = insertAdministrator(db, columns, passwordHash, deps.environment.now());
  await writeOrExplain(db, [insert, auditEntry(deps, actor, audited)], () => refuseTaken(db, columns, null));
  const made = await byAccount(db, columns.account);
  if (made === null) throw changedMeanwhile();
  return made;
}

/**
 * Changes the given fields; disabling ends every session of the administrator.
 * @throws ServiceError as `createAdministrator` · 130 unknown, or with 409 another revision · `malformed` when no
 * enabled administrator would remain
 */
export async function updateAdministrator(
  deps: Pick<AdministratorDeps, 'storage' | 'environment' | 'sessions'>,
  actor: Permitted<'administrator.change'>,
  id: number,
  { revision, ...changes }: AdministratorChanges,
): Promise<Administrator> {
  const present = await find(deps.storage.directory, id);
  refuseOtherRevision(`administrator ${id}`, present.revision, revision);
  const columns = checkedColumns({ ...present, ...changes });
  const disabled = changes.disabled ?? present.disabled;
  const audited = auditedAction(switchOf(present, disabled), present.account, {
    id,
    ...(columns.account === present.account ? {} : { account: columns.account }),
    ...(columns.email === present.email ? {} : { email: columns.email }),
  });
  // A new address means another person at the provider.
  const identity = columns.email === present.email ? {} : { issuer: null, subject: null };
  const db = deps.storage.directory;
  const change = db.build
    .updateTable('administrator')
    .set({ ...columns, ...identity, disabled: Number(disabled), revision: present.revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', present.revision);
  const ends = disabled ? [deps.sessions.endAllOf({ administratorId: id })] : [];
  const anEnabledOne = db.build.selectFrom('administrator').select('id').where('disabled', '=', 0).limit(1);
  const statements = [expectOne(change), expectOne(anEnabledOne), ...ends, auditEntry(deps, actor, audited)];
  await writeOrExplain(db, statements, async () => {
    await refuseTaken(db, columns, id);
    await refuseLast(db, id, disabled);
    refuseOtherRevision(`administrator ${id}`, (await find(db, id)).revision, present.revision);
  });
  deps.sessions.forgetAll();
  return find(db, id);
}

/**
 * Sets a password and ends every session of the administrator except the one with `exceptCookie`.
 * @throws ServiceError `forbidden` · 130 · `malformed` a password that is too short, too long, or easily guessed
 */
export async function setAdministratorPassword(
  deps: AdministratorDeps,
  actor: Permitted<'administrator.change'>,
  id: number,
  input: { readonly password: string; readonly revision?: number; readonly exceptCookie?: string },
): Promise<void> {
  const present = await find(deps.storage.directory, id);
  refuseOtherRevision(`administrator ${id}`, present.revision, input.revision);
  const passwordHash = await hashOf(deps, 'password', input.password, present);
  const db = deps.storage.directory;
  const change = db.build
    .updateTable('administrator')
    .set({ password_hash: passwordHash, revision: present.revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', present.revision);
  const end = deps.sessions.endAllOf({ administratorId: id }, input.exceptCookie);
  const entry = auditEntry(deps, actor, auditedAction('password', present.account, { id }));
  await writeOrExplain(db, [expectOne(change), end, entry], async () =>
    refuseOtherRevision(`administrator ${id}`, (await find(db, id)).revision, present.revision),
  );
  deps.sessions.forgetAll();
}

export interface AdministratorColumns {
  readonly account: string;
  readonly email: string | null;
  readonly name: string;
}

/** @throws ServiceError `missing`, `malformed` */
export function checkedColumns(input: Omit<NewAdministrator, 'password'>): AdministratorColumns {
  return {
    account: checkedName('account', input.account),
    email: input.email === undefined || input.email === null ? null : checkedEmail('email', input.email),
    name: checkedOptionalName('name', input.name ?? ''),
  };
}

export function insertAdministrator(
  db: DirectoryDatabase,
  columns: AdministratorColumns,
  passwordHash: string | null,
  created: number,
) {
  return db.build.insertInto('administrator').values({ ...columns, password_hash: passwordHash, created });
}

/** @throws ServiceError as `checkedPassword`, and `busy` */
export function hashOf(
  { settings, passwords }: Pick<AdministratorDeps, 'settings' | 'passwords'>,
  field: string,
  password: string,
  { account, email }: Pick<AdministratorColumns, 'account' | 'email'>,
): Promise<string> {
  return passwords.hash(checkedPassword(field, password, settings, [account, email]));
}

function auditedAction(what: string, account: string, detail: Record<string, unknown>): AuditedAction {
  const target = `administrator ${quoted(account)}`;
  return { action: `administrator.${what}`, target, companyId: null, appId: null, detail };
}

function switchOf(present: Administrator, disabled: boolean): string {
  if (present.disabled === disabled) return 'update';
  return disabled ? 'disable' : 'enable';
}

function selectAdministrators(db: DirectoryDatabase) {
  return db.build.selectFrom('administrator').selectAll();
}

async function find(db: DirectoryDatabase, id: number): Promise<Administrator> {
  const [row] = await db.read(selectAdministrators(db).where('id', '=', id));
  if (row === undefined) throw notThere('administrator', id);
  return administratorOf(row);
}

async function byAccount(db: DirectoryDatabase, account: string): Promise<Administrator | null> {
  const [row] = await db.read(selectAdministrators(db).where(isFolded('account', account)));
  return row === undefined ? null : administratorOf(row);
}

async function refuseTaken(db: DirectoryDatabase, columns: AdministratorColumns, ownId: number | null): Promise<void> {
  const named = await byAccount(db, columns.account);
  if (named !== null && named.id !== ownId) {
    throw malformed('account', `there is already an administrator ${quoted(named.account)}.`);
  }
  if (columns.email === null) return;
  const [mailed] = await db.read(selectAdministrators(db).where('email', '=', columns.email));
  if (mailed !== undefined && mailed.id !== ownId) {
    throw malformed('email', `administrator ${quoted(mailed.account)} already has this e-mail address.`);
  }
}

async function refuseLast(db: DirectoryDatabase, id: number, disabled: boolean): Promise<void> {
  if (!disabled) return;
  const others = await db.read(selectAdministrators(db).where('disabled', '=', 0).where('id', '<>', id).limit(1));
  if (others.length > 0) return;
  throw new ServiceError('malformed', 'disabled: this is the last enabled administrator; enable another one first.');
}

function administratorOf(row: Selectable<DirectoryTables['administrator']>): Administrator {
  return { ...rows.read(row), hasPassword: row.password_hash !== null, hasIdentity: row.subject !== null };
}

/** The administration's face: what its features work with, and the sessions of those who sign in to it. */
import type { Passwords } from '../auth/local/passwords.ts';
import { openProviders, type Providers } from '../auth/oidc/providers.ts';
import type { Seal } from '../auth/seal.ts';
import type { AdministrationRooms } from './rooms.ts';
import { type AdminSessions, openAdminSessions } from './sessions.ts';

/** First argument of every feature of this room. */
export interface Administration extends AdministrationRooms {
  readonly sessions: AdminSessions;
  readonly passwords: Passwords;
  readonly seal: Seal;
  /** The administrators' own one. */
  readonly providers: Providers;
}

/** What the features on accounts need, which the command line has too. */
export interface AccountRooms
  extends Pick<Administration, 'storage' | 'directory' | 'settings' | 'environment' | 'sessions' | 'passwords'> {
  readonly auth: Pick<
    Administration['auth'],
    'attempts' | 'forget' | 'listSessions' | 'revokeSession' | 'revokeSessions'
  >;
}

export function openAccounts<Rooms extends Omit<AccountRooms, 'sessions'>>(rooms: Rooms) {
  const { storage, directory, settings, environment } = rooms;
  return { ...rooms, sessions: openAdminSessions({ db: storage.directory, directory, settings, environment }) };
}

export function openAdministration(rooms: AdministrationRooms & { readonly seal: Seal }): Administration {
  const { settings, environment, log, auth } = rooms;
  const providers = openProviders(settings, environment, log);
  return { ...rooms, ...openAccounts({ ...rooms, passwords: auth.passwords }), providers };
}

/** The administration's face: what its features work with, and the sessions of those who sign in to it. */
import { openPasswords, type Passwords } from '../auth/local/passwords.ts';
import type { AdministrationRooms } from './rooms.ts';
import { type AdminSessions, openAdminSessions } from './sessions.ts';

/** First argument of every feature of this room. */
export interface Administration extends AdministrationRooms {
  readonly sessions: AdminSessions;
  readonly passwords: Passwords;
}

export function openAdministration(rooms: AdministrationRooms): Administration {
  const { storage, directory, settings, environment } = rooms;
  return {
    ...rooms,
    sessions: openAdminSessions({ db: storage.directory, directory, settings, environment }),
    passwords: openPasswords(settings, environment),
  };
}

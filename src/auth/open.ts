/** Sign-in and sessions: the face of this room (interface.md §4.8, §4.9 and §5, decisions.md §3). */
import type { AnyCaller, Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from '../storage/contract.ts';
import { type AnonymousTokenInput, anonymousToken } from './anonymous.ts';
import { type DeviceInput, registerDevice } from './devices.ts';
import { openLastUse } from './last-use.ts';
import type { AuthLog } from './log.ts';
import { type AuthenticateInput, authenticate } from './oidc/authenticate.ts';
import { type LoginInput, login } from './oidc/login.ts';
import { openProviders } from './oidc/providers.ts';
import { startPruning } from './retention.ts';
import type { Seal } from './seal.ts';
import { openSessions, type Sessions, type TenantPath } from './sessions.ts';
import { type AuthInfo, endSession, refreshSession } from './user-tokens.ts';

export type { Allowed, DisabledCode, TenantPath } from './sessions.ts';
export type { AuthInfo } from './user-tokens.ts';

export interface Auth extends Pick<Sessions, 'settle' | 'settleCached'> {
  /** Errors: see each function's own file. */
  anonymousToken(path: TenantPath, input: AnonymousTokenInput): Promise<string>;
  registerDevice(caller: AnyCaller, input: DeviceInput): Promise<void>;
  authenticate(
    path: TenantPath,
    providerName: string,
    input: AuthenticateInput,
  ): Promise<{ readonly location: string }>;
  login(path: TenantPath, providerName: string, headerToken: string | undefined, body: LoginInput): Promise<AuthInfo>;
  refresh(caller: Caller): Promise<AuthInfo>;
  logout(caller: Caller): Promise<void>;
  /** Writes down the last uses that are kept in memory, and ends what runs in the background. */
  close(): Promise<void>;
}

export interface AuthRooms {
  readonly storage: Pick<Storage, 'directory'>;
  readonly directory: Directory;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly seal: Seal;
  readonly log: AuthLog;
}

export function openAuth({ storage, directory, settings, environment, seal, log }: AuthRooms): Auth {
  const db = storage.directory;
  const lastUse = openLastUse(db, log);
  const sessions = openSessions({ db, directory, settings, environment, lastUse });
  const providers = openProviders(settings, environment, log);
  const rooms = { db, directory, settings, environment, seal, log, providers };
  const pruning = startPruning(db, environment, log);

  return {
    settle: sessions.settle,
    settleCached: sessions.settleCached,
    anonymousToken: (path, input) => anonymousToken(rooms, path, input),
    registerDevice: (caller, input) => registerDevice(rooms, caller, input),
    authenticate: (path, providerName, input) => authenticate(rooms, path, providerName, input),
    login: (path, providerName, headerToken, body) => login(rooms, { path, providerName, headerToken, body }),
    refresh: (caller) => refreshSession(rooms, sessions, caller),
    logout: (caller) => endSession(rooms, sessions, caller),
    async close() {
      await pruning.stop();
      await lastUse.flush();
    },
  };
}

/** Sign-in and sessions: the module's interface (docs/reference/sign-in.md). */
import { openRefusals, type Refusals } from '../audit/refusals.ts';
import { type AnyCaller, type Caller, type From, unknownAddress } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from '../storage/contract.ts';
import { type AnonymousTokenInput, anonymousToken } from './anonymous.ts';
import { type Attempts, openAttempts, unlimited } from './attempts.ts';
import { type DeviceInput, registerDevice } from './devices.ts';
import { openLastUse } from './last-use.ts';
import { forgetOld } from './limits/store.ts';
import { type LocalLoginInput, localLogin } from './local/login.ts';
import { openPasswords, type Passwords } from './local/passwords.ts';
import type { AuthLog } from './log.ts';
import { type AuthenticateInput, authenticate, type EndSessionInput, endSessionAddress } from './oidc/addresses.ts';
import { type LoginInput, login } from './oidc/login.ts';
import { openProviders } from './oidc/providers.ts';
import { startPruning } from './pruning.ts';
import { noted } from './refused.ts';
import {
  endAllSessions,
  endOwnSession,
  endSession,
  forget,
  type Revocation,
  revokeOne,
  revokeSessions,
} from './revocation.ts';
import type { Seal } from './seal.ts';
import { listSessions, type OwnSession, ownSessions, type SessionInfo } from './session-list.ts';
import { openSessions, type Sessions, type TenantPath } from './sessions.ts';
import { pruneEnded, type TokenSelection } from './token-rows.ts';
import { type AuthInfo, refreshSession } from './user-tokens.ts';

export type { Allowed, DisabledCode, TenantPath } from './sessions.ts';
export type { AuthInfo } from './user-tokens.ts';

export interface Auth extends Pick<Sessions, 'settle' | 'settleCached'> {
  /** To be called before any function below that takes a secret. */
  readonly attempts: Attempts;
  /** Records refused sign-ins of modules with a sign-in of their own. */
  readonly refusals: Refusals;
  /** Hashes and verifies passwords. The process does only a few at a time. */
  readonly passwords: Passwords;
  /** Errors: see each function's own file. */
  anonymousToken(path: TenantPath, input: AnonymousTokenInput): Promise<string>;
  registerDevice(caller: AnyCaller, input: DeviceInput): Promise<void>;
  authenticate(
    path: TenantPath,
    providerName: string,
    input: AuthenticateInput,
  ): Promise<{ readonly location: string }>;
  endSessionAddress(caller: AnyCaller, providerName: string, input: EndSessionInput): Promise<string | null>;
  login(
    path: TenantPath,
    providerName: string,
    headerToken: string | undefined,
    body: LoginInput,
    from?: From,
  ): Promise<AuthInfo>;
  localLogin(path: TenantPath, headerToken: string | undefined, body: LocalLoginInput, from: From): Promise<AuthInfo>;
  refresh(caller: Caller): Promise<AuthInfo>;
  logout(caller: Caller, from?: From): Promise<void>;
  /** Ends all sessions of the user in the company; returns how many. */
  logoutEverywhere(caller: Caller, from?: From): Promise<number>;
  ownSessions(caller: Caller): Promise<OwnSession[]>;
  endOwnSession(caller: Caller, sessionId: string, from?: From): Promise<void>;
  /** For administrators, as the next two; callers check rights. */
  listSessions(companyId: number, request: PageRequest): Promise<Page<SessionInfo>>;
  revokeSession(selection: TokenSelection & { readonly sessionId: string }, by: Revocation): Promise<void>;
  revokeSessions(selection: TokenSelection, by: Revocation): Promise<number>;
  /** For callers that revoke tokens in their own transaction: makes the change effective here at once. */
  forget(selection: TokenSelection): void;
  /** Saves the last uses kept in memory, and ends background work. */
  close(): Promise<void>;
}

export interface AuthDeps {
  readonly storage: Pick<Storage, 'directory'>;
  readonly directory: Directory;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly seal: Seal;
  readonly log: AuthLog;
  /** False for the demo, whatever the setting `attemptLimits` says. */
  readonly limited?: boolean;
}

export function openAuth({ storage, directory, settings, environment, seal, log, limited = true }: AuthDeps): Auth {
  const db = storage.directory;
  const lastUse = openLastUse(db, log);
  const sessions = openSessions({ db, settings, environment, lastUse });
  const providers = openProviders(settings, environment, log);
  const deps = { db, directory, settings, environment, seal, log, providers };
  const ending = { db, environment, sessions };
  const attempts = limited && settings.attemptLimits ? openAttempts({ db, settings, environment, log }) : unlimited;
  const refusals = openRefusals(db, settings, environment, log);
  const passwords = openPasswords(settings, environment);
  const pruning = startPruning(
    {
      'Ended tokens': () => pruneEnded(db, environment.now()),
      'Old attempts': () => forgetOld(db, settings, environment.now()),
    },
    log,
  );

  return {
    attempts,
    refusals,
    passwords,
    settle: sessions.settle,
    settleCached: sessions.settleCached,
    anonymousToken: (path, input) => anonymousToken(deps, path, input),
    registerDevice: (caller, input) => registerDevice(deps, caller, input),
    authenticate: (path, providerName, input) => authenticate(deps, path, providerName, input),
    endSessionAddress: (caller, providerName, input) => endSessionAddress(deps, caller, providerName, input),
    login: (path, providerName, headerToken, body, from = unknownAddress) =>
      noted(refusals, { path, from }, () => login(deps, { path, providerName, headerToken, body, from })),
    localLogin: (path, headerToken, body, from) =>
      noted(refusals, { path, account: body.username, from }, () =>
        localLogin({ ...deps, passwords, attempts }, { path, headerToken, body, from }),
      ),
    refresh: (caller) => refreshSession(deps, sessions, caller),
    logout: (caller, from = unknownAddress) => endSession(ending, caller, from),
    logoutEverywhere: (caller, from = unknownAddress) => endAllSessions(ending, caller, from),
    ownSessions: (caller) => ownSessions(deps, caller),
    endOwnSession: (caller, sessionId, from = unknownAddress) => endOwnSession(ending, caller, sessionId, from),
    listSessions: (companyId, request) => listSessions(deps, companyId, request),
    revokeSession: (selection, by) => revokeOne(ending, selection, by),
    revokeSessions: (selection, by) => revokeSessions(ending, selection, by),
    forget: (selection) => forget(sessions, selection),
    async close() {
      await pruning.stop();
      await attempts.close();
      await refusals.close();
      await lastUse.flush();
    },
  };
}

/** Opens the administration: what its features work with, and the sessions of those who sign in to it. */
import type { Passwords } from '../auth/local/passwords.ts';
import { openProviders, type Providers } from '../auth/oidc/providers.ts';
import type { Seal } from '../auth/seal.ts';
import type { AdministrationDeps } from './audited-action.ts';
import { NodeMoves } from './node-moves.ts';
import { type AdminSessions, openAdminSessions } from './sessions.ts';

/** First argument of every feature of this module. */
export interface Administration extends AdministrationDeps {
  readonly sessions: AdminSessions;
  readonly passwords: Passwords;
  readonly seal: Seal;
  /** For the administrators' provider. */
  readonly providers: Providers;
  readonly nodeMoves: NodeMoves;
}

/** Dependencies of the features on accounts; the command line has them too. */
export interface AccountDeps
  extends Pick<Administration, 'storage' | 'directory' | 'settings' | 'environment' | 'sessions' | 'passwords'> {
  readonly auth: Pick<
    Administration['auth'],
    'attempts' | 'forget' | 'listSessions' | 'revokeSession' | 'revokeSessions'
  >;
}

export function openAccounts<Deps extends Omit<AccountDeps, 'sessions'>>(deps: Deps) {
  const { storage, directory, settings, environment } = deps;
  return { ...deps, sessions: openAdminSessions({ db: storage.directory, directory, settings, environment }) };
}

export function openAdministration(deps: AdministrationDeps & { readonly seal: Seal }): Administration {
  const { settings, environment, log, auth } = deps;
  const providers = openProviders(settings, environment, log);
  return { ...deps, ...openAccounts({ ...deps, passwords: auth.passwords }), providers, nodeMoves: new NodeMoves() };
}

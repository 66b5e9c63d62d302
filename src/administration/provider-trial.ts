/**
 * Trial of a sign-in at an application's provider: the result of each check, and the claims received. It creates no
 * session and stores nothing: the state between the two steps is sealed, given to the caller and sent back.
 */
import type { Actor } from '../actor.ts';
import { actorNameOf } from '../audit/trail.ts';
import { type BegunTrial, beginTrial, type FinishedTrial, finishTrial, type TrialFlow } from '../auth/oidc/trial.ts';
import type { Client } from '../directory/clients.ts';
import { notThere, requireApplication } from '../directory/ownership.ts';
import { malformed, quoted } from '../errors.ts';
import { auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import type { Administration } from './open.ts';
import type { ApplicationRef } from './providers.ts';

type TrialDeps = ChangeDeps & Deps<'settings' | 'log'> & Pick<Administration, 'seal'> & { readonly requestId: string };

/** Names a client of an application at a provider. */
export interface ClientRef extends ApplicationRef {
  readonly provider: string;
  readonly clientId: string;
}

export interface BegunTrialResponse extends Pick<BegunTrial, 'checks'> {
  /** Where to sign in, and the sealed state for the second step; null where a check failed. */
  readonly location: string | null;
  readonly trial: string | null;
}

/** What is sealed. */
interface Sealed {
  readonly of: string;
  readonly expires: number;
  readonly flow: TrialFlow;
}

/** @throws ServiceError `forbidden` · 105, 130 unknown */
export async function beginProviderTrial(
  deps: TrialDeps,
  actor: Permitted<'provider.change'>,
  ref: ClientRef,
): Promise<BegunTrialResponse> {
  const { checks, begun } = await beginTrial(deps, await clientFound(deps, ref));
  await note(deps, actor, ref, checks);
  if (begun === null) return { checks, location: null, trial: null };
  const expires = deps.environment.now() + deps.settings.loginFlowLifeMs;
  const sealed: Sealed = { of: trialOf(actor, ref), expires, flow: begun.flow };
  return { checks, location: begun.location, trial: deps.seal.seal(JSON.stringify(sealed)) };
}

/**
 * @param address to which the provider redirected
 * @throws ServiceError `forbidden` · 105, 130 unknown · `malformed` for a trial that was not begun, or has expired
 */
export async function finishProviderTrial(
  deps: TrialDeps,
  actor: Permitted<'provider.change'>,
  ref: ClientRef,
  { trial, address }: { readonly trial: string; readonly address: string },
): Promise<FinishedTrial> {
  const client = await clientFound(deps, ref);
  const finished = await finishTrial(deps, client, flowIn(deps, actor, ref, client, trial), address);
  await note(deps, actor, ref, finished.checks);
  return finished;
}

function flowIn(
  { seal, environment }: Pick<TrialDeps, 'seal' | 'environment'>,
  actor: Actor,
  ref: ClientRef,
  { issuer }: Pick<Client, 'issuer'>,
  trial: string,
): TrialFlow {
  const unknown = malformed('trial', 'expected a trial that you recently began for this client.');
  let sealed: Sealed;
  try {
    sealed = JSON.parse(seal.open(trial));
  } catch {
    throw unknown;
  }
  const { of, expires, flow } = sealed;
  // The secret belongs to the present issuer; an earlier one must not get it.
  if (of !== trialOf(actor, ref) || environment.now() >= expires || flow.issuer !== issuer) throw unknown;
  return flow;
}

/** Binds the sealed state to one actor and one client. */
function trialOf(actor: Actor, { companyId, appId, provider, clientId }: ClientRef): string {
  return JSON.stringify(['trial', actor.kind, actorNameOf(actor), companyId, appId, provider, clientId]);
}

async function clientFound(deps: Deps<'storage' | 'directory'>, ref: ClientRef): Promise<Client> {
  const { companyId, appId, provider, clientId } = ref;
  await requireApplication(deps.storage.directory, companyId, appId);
  const client = await deps.directory.clients.find(companyId, appId, provider, clientId);
  if (client === null)
    throw notThere('client', clientId, `provider ${quoted(provider)} of application ${quoted(appId)}`);
  return client;
}

/** Which check failed, if any; never a claim. */
async function note(deps: ChangeDeps, actor: Actor, ref: ClientRef, checks: BegunTrial['checks']): Promise<void> {
  const { companyId, appId, provider, clientId } = ref;
  const target = `client ${quoted(clientId)} of provider ${quoted(provider)} of application ${quoted(appId)}`;
  const failed = checks.find(({ failure }) => failure !== null)?.check ?? null;
  const detail = { checks: checks.length, failed };
  const entry = auditEntry(deps, actor, { action: 'client.try', target, companyId, appId, detail });
  await deps.storage.directory.write([entry]);
}

/**
 * Signs in to the administration through the administrators' identity provider (settings `adminIssuer`,
 * `adminClientId`, `adminClientSecret`). Administrators are registered beforehand: the first sign-in finds them by an
 * e-mail address that the provider has verified, later ones by the identity (issuer, subject).
 */
import { hash } from 'node:crypto';
import { noChecks } from '../auth/chain.ts';
import { notVerified } from '../auth/oidc/accounts.ts';
import type { Claims } from '../auth/oidc/claims.ts';
import type { Flow } from '../auth/oidc/flow.ts';
import type { LoginDeps } from '../auth/oidc/login.ts';
import { acceptedCode, validIdToken, wholeClaims } from '../auth/oidc/provider-checks.ts';
import { hasTokenForm, newToken, sameText, tokenHash } from '../auth/tokens.ts';
import type { From } from '../caller.ts';
import { noClaimMapping } from '../directory/claim-mapping.ts';
import { writeOrExplain } from '../directory/ownership.ts';
import { expectOne } from '../directory/revisions.ts';
import { quoted, ServiceError } from '../errors.ts';
import { auditEntry } from './audited-action.ts';
import type { Administration } from './open.ts';
import type { StartedSession } from './sessions.ts';
import { refused, startSession } from './sign-in.ts';

export interface BegunSignIn {
  /** Where the browser goes. */
  readonly location: string;
  /** Value of the cookie that binds the redirect back to this browser; the `state` in addresses is its SHA-256. */
  readonly flowCookie: string;
}

export interface ProviderAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string | undefined;
}

/** The checks of Login that concern the provider, unchanged. */
const providerChecks = noChecks<LoginDeps, ReturnType<typeof startOf>>()
  .check(111, acceptedCode)
  .check(116, validIdToken)
  .check(116, wholeClaims);

/** @throws ServiceError 119 no provider is configured · 117 it can't be reached · `tooMany` */
export async function beginProviderSignIn(deps: Administration, redirectUri: string, from: From): Promise<BegunSignIn> {
  const { storage, settings, environment, seal, providers } = deps;
  await deps.auth.attempts.guard('administration', from);
  if (settings.adminIssuer === '') throw notConfigured();
  const { server } = await providers.find(settings.adminIssuer);
  const flowCookie = newToken(environment);
  const state = tokenHash(flowCookie);
  const nonce = environment.random(32).toString('base64url');
  const verifier = environment.random(32).toString('base64url');
  const now = environment.now();
  const db = storage.directory;
  await db.write([
    db.build.deleteFrom('admin_flow').where('expires', '<', now),
    db.build.insertInto('admin_flow').values({
      state_hash: tokenHash(state),
      nonce,
      verifier_sealed: seal.seal(verifier),
      expires: now + settings.loginFlowLifeMs,
    }),
  ]);
  const location = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: settings.adminClientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location: location.href, flowCookie };
}

/**
 * Completes the sign-in: a new session.
 * @throws ServiceError 115 no sign-in is under way in this browser, or it expired or was used · 111 the provider
 * refused · 116 ID token not valid · 117 not reachable · 119 no such administrator, or disabled · `tooMany`
 */
export async function finishProviderSignIn(
  deps: Administration,
  redirectUri: string,
  flowCookie: string | undefined,
  answer: ProviderAnswer,
  from: From,
): Promise<StartedSession> {
  const { storage, directory, settings, environment, seal, providers, log } = deps;
  await deps.auth.attempts.guard('administration', from);
  if (settings.adminIssuer === '') throw notConfigured();
  try {
    const flow = await takeFlow(deps, redirectUri, flowCookie, answer);
    if (answer.code === undefined || answer.code === '') {
      throw new ServiceError(111, 'The identity provider refused the sign-in.');
    }
    const asked = { db: storage.directory, directory, settings, environment, seal, log, providers };
    const { claims } = await providerChecks.run(asked, startOf(deps, flow, answer.code));
    const person = await administratorOf(deps, claims, from);
    return await startSession(deps, person, 'provider');
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason === 'busy' || error.reason === 'internal') throw error;
    throw await refused(deps, from, { account: '', companyId: null }, error);
  }
}

function startOf({ settings, seal }: Administration, flow: Flow, authzCode: string) {
  const secretSealed = settings.adminClientSecret === '' ? null : seal.seal(settings.adminClientSecret);
  const client = { secretSealed, claimMapping: noClaimMapping };
  return { fields: { authzCode }, client, flow };
}

/** Takes this browser's flow, once: one atomic update, before the provider is called. */
async function takeFlow(
  { storage, settings, environment, seal }: Administration,
  redirectUri: string,
  flowCookie: string | undefined,
  { state, iss }: ProviderAnswer,
): Promise<Flow> {
  const none = new ServiceError(
    115,
    'No sign-in is under way in this browser, or it expired or was used. Sign in again.',
  );
  if (flowCookie === undefined || state === undefined || !hasTokenForm(flowCookie)) throw none;
  if (!sameText(tokenHash(flowCookie), state)) throw none;
  const db = storage.directory;
  const [written] = await db.write([
    db.build
      .updateTable('admin_flow')
      .set({ used: 1 })
      .where('state_hash', '=', tokenHash(state))
      .where('used', '=', 0)
      .where('expires', '>', environment.now())
      .returning(['nonce', 'verifier_sealed']),
  ]);
  const row = written?.rows[0];
  if (row === undefined) throw none;
  // RFC 9207: a response of another provider belongs to another flow.
  if (iss !== undefined && URL.parse(iss)?.href !== new URL(settings.adminIssuer).href) throw none;
  return {
    issuer: settings.adminIssuer,
    clientId: settings.adminClientId,
    redirectUri,
    nonce: String(row.nonce),
    codeVerifier: seal.open(String(row.verifier_sealed)),
  };
}

async function administratorOf(deps: Administration, claims: Claims, { address }: From) {
  const db = deps.storage.directory;
  const { issuer, subject, verifiedEmail } = claims;
  const columns = db.build.selectFrom('administrator').select(['id', 'account', 'disabled', 'issuer', 'subject']);
  const [linked] = await db.read(columns.where('issuer', '=', issuer).where('subject', '=', subject));
  const [mailed] =
    linked !== undefined || verifiedEmail === null ? [] : await db.read(columns.where('email', '=', verifiedEmail));
  const row = linked ?? mailed;
  // The same address with another subject is another person, who got the address later.
  if (row === undefined || (linked === undefined && row.subject !== null) || row.disabled === 1) {
    const reason = whyNot(row, claims);
    deps.log.info({ issuer, administratorId: row?.id ?? null, reason }, 'A sign-in of an administrator was refused.');
    throw new ServiceError(119, 'The account at the identity provider does not belong to an administrator here.');
  }
  const person = { kind: 'administrator', administratorId: row.id, account: row.account, address } as const;
  if (linked !== undefined) return person;

  const link = db.build
    .updateTable('administrator')
    .set({ issuer, subject })
    .where('id', '=', row.id)
    .where('subject', 'is', null)
    .where('email', '=', verifiedEmail);
  const statements = [
    expectOne(link),
    auditEntry(deps, person, {
      action: 'administrator.link',
      target: `administrator ${quoted(row.account)}`,
      companyId: null,
      appId: null,
      detail: { issuer, subject },
    }),
  ];
  await writeOrExplain(db, statements, async () => {
    throw new ServiceError(119, 'The account at the identity provider was changed at this moment. Sign in again.');
  });
  return person;
}

/** For the log: why it was refused, and what an operator can do. */
function whyNot(row: { disabled: number; issuer: string | null; account: string } | undefined, claims: Claims): string {
  if (row === undefined)
    return claims.unverifiedEmail === null ? 'no administrator has this e-mail address' : notVerified;
  if (row.disabled === 1) return 'the administrator is disabled';
  const identity = row.issuer === claims.issuer ? 'another identity at the provider' : `an identity at ${row.issuer}`;
  return `the administrator with this e-mail address has ${identity}; "rowhouse administrator relink" links it anew`;
}

function notConfigured(): ServiceError {
  return new ServiceError(119, 'No identity provider is configured for administrators (setting adminIssuer).');
}

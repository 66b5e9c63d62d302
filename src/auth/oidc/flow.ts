/**
 * Login flows under way: one per token, for a few minutes, used once (docs/reference/sign-in.md#the-login-flow). Login
 * takes the flow's issuer, client, redirect address, nonce and verifier from here, never from the request.
 */
import { hash } from 'node:crypto';
import type { Client } from '../../directory/clients.ts';
import type { Environment } from '../../environment.ts';
import type { Relational } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import type { Seal } from '../seal.ts';

export interface FlowDeps {
  readonly db: Relational<DirectoryTables>;
  readonly environment: Environment;
  readonly seal: Seal;
}

export interface FlowStart {
  readonly nonce: string;
  /** S256 of the verifier, which is kept here (RFC 7636). */
  readonly codeChallenge: string;
}

export interface Flow {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Begins a flow for the token; an earlier one of the same token is replaced. */
export async function beginFlow(
  { db, environment, seal }: FlowDeps,
  token: { readonly hash: string; readonly deviceUdid: string },
  client: Client,
  lifeMs: number,
): Promise<FlowStart> {
  const nonce = environment.random(32).toString('base64url');
  const verifier = environment.random(32).toString('base64url');
  const row = {
    device_udid: token.deviceUdid,
    provider_name: client.providerName,
    issuer: client.issuer,
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    nonce,
    verifier_sealed: seal.seal(verifier),
    expires: environment.now() + lifeMs,
    used: 0,
  };
  const upsert = db.build
    .insertInto('login_flow')
    .values({ token_hash: token.hash, ...row })
    .onConflict((conflict) => conflict.column('token_hash').doUpdateSet(row));
  await db.write([upsert]);
  return { nonce, codeChallenge: hash('sha256', verifier, 'base64url') };
}

/** Takes the token's flow with this client in one atomic update, so only one of several takers gets it. Null: none. */
export async function takeFlow(
  { db, environment, seal }: FlowDeps,
  tokenHash: string,
  client: Client,
): Promise<Flow | null> {
  const take = db.build
    .updateTable('login_flow')
    .set({ used: 1 })
    .where('token_hash', '=', tokenHash)
    .where('provider_name', '=', client.providerName)
    .where('client_id', '=', client.clientId)
    .where('used', '=', 0)
    .where('expires', '>', environment.now())
    .returning(['issuer', 'client_id', 'redirect_uri', 'nonce', 'verifier_sealed']);
  const [written] = await db.write([take]);
  const row = written?.rows[0];
  if (row === undefined) return null;
  return {
    issuer: String(row.issuer),
    clientId: String(row.client_id),
    redirectUri: String(row.redirect_uri),
    nonce: String(row.nonce),
    codeVerifier: seal.open(String(row.verifier_sealed)),
  };
}

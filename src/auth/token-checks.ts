/** The checks on the token of a sign-in, and on path and body against it; every sign-in of a client makes them. */
import { normalVersion } from '../directory/versions.ts';
import type { Environment } from '../environment.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import type { Refuse } from './chain.ts';
import type { TenantPath } from './sessions.ts';
import { type FoundToken, findToken } from './token-rows.ts';
import { endOf, hasTokenForm, tokenHash } from './tokens.ts';

interface Known {
  readonly token: FoundToken;
  readonly request: { readonly path: TenantPath };
  readonly fields: TenantPath & { readonly deviceUDID: string };
}

/** 121: the header's token is active. An expired one is refused with 121 too: Login does not list 120. */
export async function activeToken(
  { db, environment }: { readonly db: Relational<DirectoryTables>; readonly environment: Pick<Environment, 'now'> },
  { request: { headerToken } }: { readonly request: { readonly headerToken: string | undefined } },
  refuse: Refuse,
): Promise<{ readonly token: FoundToken }> {
  if (headerToken === undefined || headerToken === '') {
    throw refuse('service-token: expected a token in this header, got none.');
  }
  const token = hasTokenForm(headerToken) ? await findToken(db, tokenHash(headerToken)) : null;
  if (token === null || token.revoked || token.userGone) throw refuse('The token does not exist here.');
  if (environment.now() >= endOf(token)) throw refuse('The token has expired. Get a new anonymous token.');
  return { token };
}

/** 104: the token belongs to the company, application and version that path and body name. */
export function sameTenant(_deps: unknown, { token, fields, request }: Known, refuse: Refuse): void {
  for (const { companyId, appId, appVersion } of [request.path, fields]) {
    const same =
      companyId.trim() === String(token.companyId) &&
      appId === token.appId &&
      normalVersion(appVersion) === token.version;
    if (!same) throw refuse('The token belongs to another company, application or version.');
  }
}

/** 106: the application version exists and is not disabled (nor its application or company). */
export function existingVersion(_deps: unknown, { token }: Pick<Known, 'token'>, refuse: Refuse): void {
  if (token.appDisabled) throw refuse('There is no such application version.');
}

/** 160: the device is the one that the token was given to. */
export function sameDevice(_deps: unknown, { token, fields }: Pick<Known, 'token' | 'fields'>, refuse: Refuse): void {
  if (fields.deviceUDID !== token.deviceUdid) {
    throw refuse('deviceUDID: the token was given to another device.');
  }
}

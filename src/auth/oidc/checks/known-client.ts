/** 113: the application has this client at the provider that the path names. */
import type { Client } from '../../../directory/clients.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LoginDeps, LoginRequest } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export async function knownClient(
  { directory }: LoginDeps,
  known: { readonly token: FoundToken; readonly fields: LoginFields; readonly request: LoginRequest },
  refuse: Refuse,
): Promise<{ readonly client: Client }> {
  const { token, fields, request } = known;
  const client = await directory.clients.find(token.companyId, token.appId, request.providerName, fields.clientId);
  if (client === null) throw refuse('clientId: the application has no such client at this provider.');
  return { client };
}

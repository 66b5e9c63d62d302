/** 115: a login flow is under way for this token and client. It is taken here, before the provider is asked, so that a code is tried once. */
import type { Client } from '../../../directory/clients.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import { type Flow, takeFlow } from '../flow.ts';
import type { LoginDeps } from '../login.ts';

export async function openFlow(
  deps: LoginDeps,
  { token, client }: { readonly token: FoundToken; readonly client: Client },
  refuse: Refuse,
): Promise<{ readonly flow: Flow }> {
  const flow = await takeFlow(deps, token.hash, client);
  if (flow === null)
    throw refuse('No login flow is under way for this token, or it expired or was used. Authenticate again.');
  // The secret and the claim mapping are those of the issuer of now; an earlier one must get neither.
  if (flow.issuer !== client.issuer) throw refuse('The provider has another issuer by now. Authenticate again.');
  return { flow };
}

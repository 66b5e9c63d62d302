/** 115: a forwarded `iss` names the provider that the flow went to (RFC 9207); it is optional, for Login has no field for it. */
import type { Refuse } from '../../chain.ts';
import type { Flow } from '../flow.ts';
import type { LoginDeps, LoginRequest } from '../login.ts';

export function sameIssuer(
  _deps: LoginDeps,
  { request, flow }: { readonly request: LoginRequest; readonly flow: Flow },
  refuse: Refuse,
): void {
  const { iss } = request.body;
  if (iss === undefined || iss === '') return;
  if (URL.parse(iss)?.href !== new URL(flow.issuer).href) {
    throw refuse('iss: the login flow under way is with another provider. Authenticate again.');
  }
}

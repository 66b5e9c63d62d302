/** One negative case: what is wrong, the code that answers it, and what becomes of the flow. */
import type { FlowState, House, Registered, Sent } from './house.ts';
import type { IdTokenLie, SignInLies, TenantLies } from './proxy.ts';

export interface NegativeCase {
  readonly what: string;
  readonly code: number;
  /** What the proxy says about this sign-in. */
  readonly lies?: SignInLies;
  /** The provider of this case is a tenant of its own, with these lies. */
  readonly tenant?: TenantLies;
  /** How that one is registered. */
  readonly registered?: Registered;
  /** Refused at Authenticate already: no flow begins. */
  readonly atStart?: true;
  /** The provider itself does not let the browser go on: no code is made. */
  readonly noCode?: true;
  /** Between the provider and Login. */
  readonly meanwhile?: (context: CaseContext) => Promise<void>;
  /** What the client sends instead of the right request. */
  readonly request?: (right: Sent, context: CaseContext) => Sent | Promise<Sent>;
  readonly flow: FlowState;
}

export interface CaseContext {
  readonly house: House;
  readonly token: string;
  readonly device: string;
  readonly person: string;
}

/** 116, and the flow is used up. */
export function badIdToken(what: string, idToken: IdTokenLie): NegativeCase {
  return { what, code: 116, lies: { idToken }, flow: 'used' };
}

/** One negative case: the fault, the expected code, and the state of the flow afterwards. */
import type { FlowState, House, Registered, Sent } from './house.ts';
import type { IdTokenLie, SignInLies, TenantLies } from './proxy.ts';

export interface NegativeCase {
  readonly what: string;
  readonly code: number;
  /** What the proxy falsifies in this sign-in. */
  readonly lies?: SignInLies;
  /** The provider of this case is a separate tenant, with these falsifications. */
  readonly tenant?: TenantLies;
  /** How that provider is registered. */
  readonly registered?: Registered;
  /** Already refused at Authenticate, so that no flow begins. */
  readonly atStart?: true;
  /** The provider itself refuses the browser and issues no code. */
  readonly noCode?: true;
  /** Called between the provider and Login. */
  readonly meanwhile?: (context: CaseContext) => Promise<void>;
  /** The client's request instead of the valid one. */
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

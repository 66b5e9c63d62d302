/** The caller: the interface between requests and sign-in. */

/** Gives each request its token. */
export interface Session {
  /** The token of the next request. @throws SignInRequired if nobody is signed in */
  token(): Promise<string>;
  /** Another token of the same user to replace one that the service refused; null if there is none. */
  refused(token: string): Promise<string | null>;
  /** Gets a new token, once for all waiting callers. @throws SignInRequired */
  refresh(): Promise<string>;
}

/** A session with a single token that is managed elsewhere, for example in scripts. */
export function tokenSession(token: string): Session {
  const same = async () => token;
  return { token: same, refused: async () => null, refresh: same };
}

/** Who is calling: the seam between requests and sign-in. */

/** Gives each request its token. */
export interface Session {
  /** The token of the next request. @throws SignInRequired if nobody is signed in */
  token(): Promise<string>;
  /** Another token of the same user in place of one that the service refused; null if there is none. */
  refused(token: string): Promise<string | null>;
  /** Makes a new token, once for all that wait for it. @throws SignInRequired */
  refresh(): Promise<string>;
}

/** A session with a single token that is managed elsewhere, for example in scripts. */
export function tokenSession(token: string): Session {
  const same = async () => token;
  return { token: same, refused: async () => null, refresh: same };
}

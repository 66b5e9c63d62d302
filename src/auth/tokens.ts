/**
 * Tokens: 256 random bits as 64 hex digits, stored only as their SHA-256 (docs/reference/sign-in.md#tokens), and their
 * lifetime. A *user* token lives for `valid_time` after its last use, an *anonymous* one after its creation; both end
 * at `expires`.
 */
import * as crypto from 'node:crypto';
import type { Environment } from '../environment.ts';

export type TokenKind = 'anonymous' | 'user';

export interface TokenLife {
  readonly kind: TokenKind;
  /** Lifetime in milliseconds from the last use. */
  readonly validTime: number;
  readonly lastUsed: number;
  /** End of life in any case. */
  readonly expires: number;
}

export function newToken(environment: Environment): string {
  return environment.random(32).toString('hex');
}

/** The hash that is stored and identifies the token. */
export function tokenHash(token: string): string {
  return crypto.hash('sha256', token);
}

/** False for a text that cannot be a token, which saves a look-up. */
export function hasTokenForm(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** When the token ends, milliseconds since 1970. */
export function endOf(token: TokenLife): number {
  return token.kind === 'user' ? Math.min(token.lastUsed + token.validTime, token.expires) : token.expires;
}

/** Compares in a time that does not reveal how much is equal. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => crypto.hash('sha256', text, 'buffer');
  return crypto.timingSafeEqual(digest(left), digest(right));
}

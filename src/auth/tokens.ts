/**
 * Tokens: 256 random bits as 64 hex digits, stored only as their SHA-256 (docs/reference/sign-in.md#tokens), and how long
 * they live. A *user* token lives for `valid_time` after its last use, an *anonymous* one after it was made; both end at
 * `expires`.
 */
import * as crypto from 'node:crypto';
import type { Environment } from '../environment.ts';

export type TokenKind = 'anonymous' | 'user';

export interface TokenLife {
  readonly kind: TokenKind;
  /** Milliseconds of life counted from the last use. */
  readonly validTime: number;
  readonly lastUsed: number;
  /** End of life in any case. */
  readonly expires: number;
}

export function newToken(environment: Environment): string {
  return environment.random(32).toString('hex');
}

/** What is stored of a token, and what it is looked up by. */
export function tokenHash(token: string): string {
  return crypto.hash('sha256', token);
}

/** False for a text that no token can be, so that it costs no look-up. */
export function hasTokenForm(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** When the token ends, milliseconds since 1970. */
export function endOf(token: TokenLife): number {
  return token.kind === 'user' ? Math.min(token.lastUsed + token.validTime, token.expires) : token.expires;
}

/** Compares without telling by its duration how much is equal. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => crypto.hash('sha256', text, 'buffer');
  return crypto.timingSafeEqual(digest(left), digest(right));
}

/** What sign-in reads of a provider's claims, whatever else they hold. */
import type { ClaimMapping } from '../../directory/claim-mapping.ts';
import type { GroupRole } from '../../directory/users.ts';
import { type ClaimSet, claimsElsewhere, membershipsOf, valueAt } from './claim-mapping.ts';

export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; null when there is none, or the provider does not say that it is verified. */
  readonly verifiedEmail: string | null;
  /** The address that the provider names without saying that it is verified: never matched, only a reason for the log. */
  readonly unverifiedEmail: string | null;
  /** '' where there is none, as the names. */
  readonly account: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly memberships: readonly GroupRole[];
  /** Mapped claims that the provider did not send but says stand elsewhere. */
  readonly elsewhere: readonly string[];
}

const nameLengthMax = 200;
const emailLengthMax = 254;

/** Some providers send `email_verified` as text, and claims of their own that say the same (Entra's `xms_edov`) as 1. */
export function claimsOf(
  claims: { readonly iss: string; readonly sub: string } & ClaimSet,
  mapping: ClaimMapping,
): Claims {
  const { names } = mapping;
  const email = emailOf(valueAt(claims, names.email ?? 'email'));
  const yes: readonly unknown[] = names.emailVerified === undefined ? [true, 'true'] : [true, 'true', 1, '1'];
  const verified = yes.includes(valueAt(claims, names.emailVerified ?? 'email_verified'));
  return {
    issuer: claims.iss,
    subject: claims.sub,
    verifiedEmail: verified ? email : null,
    unverifiedEmail: verified ? null : email,
    account: names.account === undefined ? '' : textOf(valueAt(claims, names.account)),
    firstName: textOf(valueAt(claims, names.given ?? 'given_name')),
    lastName: textOf(valueAt(claims, names.family ?? 'family_name')),
    memberships: membershipsOf(mapping, claims),
    elsewhere: claimsElsewhere(mapping, claims),
  };
}

/**
 * Null for what is no address, and for one with a letter that only becomes a-z in lower case (the Kelvin sign): that is
 * another mailbox than the one it would be taken for.
 */
function emailOf(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.length > emailLengthMax || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(claim))
    return null;
  const posesAsOther = [...claim].some((letter) => letter > '\x7f' && /[a-z]/.test(letter.toLowerCase()));
  return posesAsOther ? null : claim.toLowerCase();
}

/** Printable text of a length that the directory takes; '' for anything else: a strange name keeps nobody out. */
function textOf(claim: unknown): string {
  if (typeof claim !== 'string' || /\p{Cc}|\p{Cs}/u.test(claim)) return '';
  return [...claim.trim()].slice(0, nameLengthMax).join('');
}

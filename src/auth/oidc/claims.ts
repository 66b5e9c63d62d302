/** What sign-in reads of a provider's claims, whatever else they hold. */

export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; null when there is none, or the provider does not say that it is verified. */
  readonly verifiedEmail: string | null;
  readonly firstName: string;
  readonly lastName: string;
}

const nameLengthMax = 200;

/** Some providers send `email_verified` as text. */
export function claimsOf(claims: {
  readonly iss: string;
  readonly sub: string;
  readonly [name: string]: unknown;
}): Claims {
  const email = textOf(claims.email).toLowerCase();
  const verified = claims.email_verified === true || claims.email_verified === 'true';
  return {
    issuer: claims.iss,
    subject: claims.sub,
    verifiedEmail: verified && email !== '' ? email : null,
    firstName: textOf(claims.given_name),
    lastName: textOf(claims.family_name),
  };
}

/** Printable text of a length that the directory takes; '' for anything else: a strange name keeps nobody out. */
function textOf(claim: unknown): string {
  if (typeof claim !== 'string' || /\p{Cc}|\p{Cs}/u.test(claim)) return '';
  return [...claim.trim()].slice(0, nameLengthMax).join('');
}

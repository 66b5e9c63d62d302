/** What sign-in reads of a provider's claims, whatever else they hold, by its mapping (`directory/claim-mapping.ts`). */
import type { ClaimMapping } from '../../directory/claim-mapping.ts';
import type { GroupRole } from '../../directory/users.ts';
import { isPrintable } from '../../text.ts';

export type ClaimSet = Readonly<Record<string, unknown>>;

export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; null when there is none, or the provider does not say that it is verified. */
  readonly verifiedEmail: string | null;
  /** An address that the provider does not mark as verified: never matched, only logged as a reason. */
  readonly unverifiedEmail: string | null;
  /** '' when absent, like the names. */
  readonly account: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly memberships: readonly GroupRole[];
  /** Mapped claims that the provider only refers to and did not send. */
  readonly elsewhere: readonly string[];
}

const nameLengthMax = 200;
const emailLengthMax = 254;

/** Some providers send `email_verified` as text, and equivalent claims of their own (Entra's `xms_edov`) as 1. */
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
 * Null for an invalid address, and for one with a letter that only lower-casing turns into a-z (the Kelvin sign): that
 * is another mailbox than the one it would match.
 */
function emailOf(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.length > emailLengthMax || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(claim))
    return null;
  const posesAsOther = [...claim].some((letter) => letter > '\x7f' && /[a-z]/.test(letter.toLowerCase()));
  return posesAsOther ? null : claim.toLowerCase();
}

/** Printable text of a length that the directory accepts, otherwise '': an odd name does not stop a sign-in. */
function textOf(claim: unknown): string {
  if (typeof claim !== 'string' || !isPrintable(claim)) return '';
  return [...claim.trim()].slice(0, nameLengthMax).join('');
}

/** Limit on the values read from one claim; an honest provider lists fewer groups. */
const listedMax = 10_000;

/** Without repeats, in the order of the mapping's claims. Unmapped values are ignored. */
function membershipsOf(mapping: ClaimMapping, claims: ClaimSet): GroupRole[] {
  const wanted = new Map<string, GroupRole>();
  for (const value of mapping.claims.flatMap((path) => listedAt(claims, path))) {
    if (!Object.hasOwn(mapping.values, value)) continue;
    for (const { group: groupId, role: roleId = mapping.defaultRole } of mapping.values[value] ?? []) {
      wanted.set(`${groupId} ${roleId}`, { groupId, roleId });
    }
  }
  return [...wanted.values()];
}

/** False if mapped claims are missing, so that UserInfo must be requested. */
export function hasEveryClaim(mapping: ClaimMapping, claims: ClaimSet): boolean {
  return [...mapping.claims, ...Object.values(mapping.names)].every((path) => valueAt(claims, path) !== undefined);
}

/** Mapped claims that the provider says are elsewhere (OIDC Core §5.6.2), as Entra does for people in many groups. */
function claimsElsewhere(mapping: ClaimMapping, claims: ClaimSet): string[] {
  const elsewhere = claims._claim_names;
  if (!isObject(elsewhere)) return [];
  return mapping.claims.filter((path) => Object.hasOwn(elsewhere, path));
}

/**
 * The value at a dotted path. A name may itself have dots (`https://example.com/groups`): the longest existing name
 * counts.
 */
function valueAt(claims: unknown, path: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(claims, name)) return valueAt(claims[name], path.slice(dot + 1));
  }
  return undefined;
}

/** An array of texts, or one text with spaces between; anything else lists nothing. */
function listedAt(claims: ClaimSet, path: string): string[] {
  const value = valueAt(claims, path);
  const listed = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return listed.slice(0, listedMax).filter((item): item is string => typeof item === 'string' && item !== '');
}

function isObject(value: unknown): value is ClaimSet {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

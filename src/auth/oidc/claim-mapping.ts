/** Reads a provider's claims by its mapping (`directory/claim-mapping.ts`): groups with roles, and names. */
import type { ClaimMapping } from '../../directory/claim-mapping.ts';
import type { GroupRole } from '../../directory/users.ts';

export type ClaimSet = Readonly<Record<string, unknown>>;

/** Values of one claim that are looked at; an honest provider lists fewer groups. */
const listedMax = 10_000;

/** Each once, in the order of the mapping's claims. What is not listed is not given. */
export function membershipsOf(mapping: ClaimMapping, claims: ClaimSet): GroupRole[] {
  const wanted = new Map<string, GroupRole>();
  for (const value of mapping.claims.flatMap((path) => listedAt(claims, path))) {
    if (!Object.hasOwn(mapping.values, value)) continue;
    for (const { group: groupId, role: roleId = mapping.defaultRole } of mapping.values[value] ?? []) {
      wanted.set(`${groupId} ${roleId}`, { groupId, roleId });
    }
  }
  return [...wanted.values()];
}

/** Mapped claims that these do not have, so that UserInfo is worth asking. */
export function hasEveryClaim(mapping: ClaimMapping, claims: ClaimSet): boolean {
  return [...mapping.claims, ...Object.values(mapping.names)].every((path) => valueAt(claims, path) !== undefined);
}

/** Mapped claims which the provider says stand elsewhere (OIDC Core §5.6.2), as Entra does for people in many groups. */
export function claimsElsewhere(mapping: ClaimMapping, claims: ClaimSet): string[] {
  const elsewhere = claims._claim_names;
  if (!isObject(elsewhere)) return [];
  return mapping.claims.filter((path) => Object.hasOwn(elsewhere, path));
}

/**
 * What stands at a dotted path. A name may have dots itself (`https://example.com/groups`): the longest one that is there
 * counts.
 */
export function valueAt(claims: unknown, path: string): unknown {
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

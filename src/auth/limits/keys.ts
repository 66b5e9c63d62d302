/**
 * Keys under which attempts are counted. Addresses and accounts are stored hashed; the prefix before the colon gives
 * the kind of row, and so how long it is kept.
 */
import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Attempt, AttemptKind } from '../attempts.ts';

export interface AccountKeys {
  /** The account, from this address. */
  readonly pair: string;
  /** The account, from anywhere. */
  readonly account: string;
  /** An earlier sign-in to the account from this address. */
  readonly known: string;
}

export interface Keys {
  /** Null when it is not known. */
  readonly address: string | null;
  /** Null when no account is named. */
  readonly account: AccountKeys | null;
}

export function keysOf(kind: AttemptKind, { address, account }: Attempt): Keys {
  const network = address === null ? '' : networkOf(address);
  const ofAddress = address === null ? null : keyOf('address', kind, network);
  if (account === undefined) return { address: ofAddress, account: null };
  const name = account.name.normalize('NFKC').trim().toLowerCase();
  const who = [String(account.companyId), name] as const;
  return {
    address: ofAddress,
    account: {
      pair: keyOf('pair', ...who, network),
      account: keyOf('account', ...who),
      known: keyOf('known', ...who, network),
    },
  };
}

export type KeyKind = 'address' | 'pair' | 'account' | 'known';

function keyOf(kind: KeyKind, ...parts: readonly string[]): string {
  return `${kind}:${hash('sha256', JSON.stringify(parts))}`;
}

/** Some proxies add the port, which differs for every connection. */
const withPort = /^(?:\[([^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/;

/**
 * An IPv4 address unchanged, also from its IPv6 form; an IPv6 address by its first 64 bits, as one client has all
 * addresses under them (RFC 6177 §2).
 */
export function networkOf(address: string): string {
  const [, ofIpv6, ofIpv4] = withPort.exec(address) ?? [];
  const plain = (ofIpv6 ?? ofIpv4 ?? address).replace(/%.*$/, '');
  if (isIP(plain) !== 6) return plain;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address; a URL writes one in its shortest form, without dots. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const first = read(head);
  const last = read(tail ?? '');
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

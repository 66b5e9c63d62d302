/**
 * Orders to a service by the proof of revocation: to sign users in, and to end sessions by session, user, device,
 * application, version or company, by disabling one of these, or by removing a user.
 */
import { operator } from '../../../src/actor.ts';
import { endUserSessions } from '../../../src/administration/sessions-of-users.ts';
import { sessionId } from '../../../src/auth/session-list.ts';
import type { TokenSelection } from '../../../src/auth/token-rows.ts';
import { tokenHash } from '../../../src/auth/tokens.ts';
import { startSession } from '../../../src/auth/user-tokens.ts';
import { role } from '../../../src/caller.ts';
import { systemEnvironment as environment } from '../../../src/environment.ts';
import type { Rowhouse } from '../../../src/main.ts';
import type { Orders } from '../../machine/child.ts';

/** The user, device and application of a session. */
export interface Seat {
  readonly companyId: number;
  readonly appId: string;
  readonly version: string;
  readonly deviceUdid: string;
  readonly userId: number;
}

export interface SignedIn extends Seat {
  readonly id: string;
  readonly token: string;
}

/** The ending: `sessionId` by its owner or an administrator, all others by an administrator. */
export type Act =
  | { readonly kind: 'revoke'; readonly selection: TokenSelection }
  | { readonly kind: 'switch'; readonly of: Partial<Seat> & { readonly companyId: number }; readonly disabled: boolean }
  | { readonly kind: 'remove'; readonly companyId: number; readonly userId: number };

export const world = { companies: [1, 2], appIds: ['crm', 'shop'], versions: ['1.0.0', '2.0.0'] } as const;

export function ordersOf(rowhouse: () => Rowhouse): Orders {
  return {
    makeCompanies: () => makeCompanies(rowhouse()),
    signIn: (seats: readonly Seat[]) => Promise.all(seats.map((seat) => signIn(rowhouse(), seat))),
    newUser: (companyId: number) => newUser(rowhouse(), companyId),
    act: (wanted: Act) => act(rowhouse(), wanted),
  };
}

async function makeCompanies({ directory }: Rowhouse): Promise<void> {
  for (const id of world.companies) {
    await directory.companies.create({ id, name: `Company ${id}` });
    await directory.groups.create({ companyId: id, name: 'All' });
    for (const appId of world.appIds) {
      await directory.applications.create({ companyId: id, appId });
      for (const version of world.versions) await directory.versions.create({ companyId: id, appId, version });
    }
  }
}

let users = 0;

async function newUser({ directory }: Rowhouse, companyId: number): Promise<number> {
  const [group] = await directory.groups.list(companyId);
  const account = `user-${process.pid}-${users++}`;
  const memberships = group === undefined ? [] : [{ groupId: group.id, roleId: role.user }];
  return (await directory.users.create({ companyId, account, memberships })).id;
}

async function signIn({ storage, directory, settings }: Rowhouse, seat: Seat): Promise<SignedIn> {
  const user = await directory.users.find(seat.companyId, seat.userId);
  if (user === null) throw new Error(`There is no user ${seat.userId}.`);
  const deps = { db: storage.directory, directory, settings, environment };
  const { userTokens: token } = await startSession(deps, { ...seat, isPush: false }, user);
  return { ...seat, token, id: sessionId(tokenHash(token)) };
}

async function act({ administration, directory }: Rowhouse, wanted: Act): Promise<void> {
  switch (wanted.kind) {
    case 'revoke':
      await endUserSessions(administration, operator, wanted.selection);
      return;
    case 'remove':
      return directory.users.remove(wanted.companyId, wanted.userId);
    case 'switch': {
      const { companyId, userId, appId, version } = wanted.of;
      const { disabled } = wanted;
      if (userId !== undefined) await directory.users.update(companyId, userId, { disabled });
      else if (version !== undefined)
        await directory.versions.update(companyId, appId as string, version, { disabled });
      else if (appId !== undefined) await directory.applications.update(companyId, appId, { disabled });
      else await directory.companies.update(companyId, { disabled });
    }
  }
}

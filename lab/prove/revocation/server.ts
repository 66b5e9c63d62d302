/**
 * The service as a process that is told by its parent to sign users in and to end that: by session, user, device,
 * application, version and company, by disabling these, and by taking a user away.
 */
import { pino } from 'pino';
import type { Operator } from '../../../src/actor.ts';
import { endUserSessions } from '../../../src/administration/sessions-of-users.ts';
import type { SessionSelection } from '../../../src/auth/revocation.ts';
import { sessionId } from '../../../src/auth/session-list.ts';
import { tokenHash } from '../../../src/auth/tokens.ts';
import { startSession } from '../../../src/auth/user-tokens.ts';
import { role } from '../../../src/caller.ts';
import { defaults, type Settings } from '../../../src/config.ts';
import { systemEnvironment as environment } from '../../../src/environment.ts';
import { type Rowhouse, startRowhouse } from '../../../src/main.ts';

/** Whom and where a session is of. */
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

/** What is ended: `sessionId` by its owner or an administrator, all others by an administrator. */
export type Act =
  | { readonly kind: 'revoke'; readonly selection: SessionSelection }
  | { readonly kind: 'switch'; readonly of: Partial<Seat> & { readonly companyId: number }; readonly disabled: boolean }
  | { readonly kind: 'remove'; readonly companyId: number; readonly userId: number };

export type Order =
  | { readonly open: Partial<Settings>; readonly make: boolean }
  | { readonly signIn: readonly Seat[] }
  | { readonly newUser: { readonly companyId: number } }
  | { readonly act: Act }
  | { readonly stop: true };

/** What an order is answered with, under the number it came with. */
export type Report =
  | { readonly port: number }
  | { readonly sessions: readonly SignedIn[] }
  | { readonly userId: number }
  | { readonly done: true }
  | { readonly failed: string };

export const world = { companies: [1, 2], appIds: ['crm', 'shop'], versions: ['1.0.0', '2.0.0'] } as const;

const operator: Operator = { kind: 'operator' };
let rowhouse: Rowhouse | undefined;

process.on('message', ({ number, order }: { number: number; order: Order }) => {
  const report = (answer: Report) => process.send?.({ number, answer });
  carryOut(order).then(report, (error: unknown) => report({ failed: String(error) }));
});
process.on('disconnect', () => process.exit(0));

async function carryOut(order: Order): Promise<Report> {
  if ('open' in order) {
    const settings = { ...defaults, port: 0, ...order.open };
    rowhouse = await startRowhouse(settings, { demo: false, log: pino({ level: 'silent' }) });
    if (order.make) await makeCompanies(rowhouse);
    return { port: Number(new URL(rowhouse.url).port) };
  }
  if (rowhouse === undefined) throw new Error('The service is not open.');
  if ('signIn' in order) return { sessions: await Promise.all(order.signIn.map((seat) => signIn(rowhouse!, seat))) };
  if ('newUser' in order) return { userId: await newUser(rowhouse, order.newUser.companyId) };
  if ('act' in order) await act(rowhouse, order.act);
  else await rowhouse.close();
  return { done: true };
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

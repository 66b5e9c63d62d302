/** `rowhouse user`: users of a company, and the roles that they hold in groups. */
import { listIdentities, relinkUser, type UserIdentity } from '../administration/identities.ts';
import { setUserPassword } from '../administration/user-passwords.ts';
import type { Membership } from '../caller.ts';
import type { Directory } from '../directory/directory.ts';
import type { User } from '../directory/users.ts';
import { shown } from '../errors.ts';
import { aligned, line, table } from './answer.ts';
import { action, type Command, clearable, id, optional, text, toggle, UsageError } from './command.ts';
import { groupFlag, groupOf, roleFlag, roleOf, userFlag, userOf } from './references.ts';
import { switches } from './switches.ts';

const operator = { kind: 'operator' } as const;
const company = id('The company.');

export const userCommand: Command = {
  name: 'user',
  summary: 'Users of a company, and the roles that they hold in groups.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the users of a company.',
      flags: { company },
      async run({ company: companyId }, workplace) {
        const users = await (await workplace.directory()).users.list(companyId);
        const columns = {
          id: (one: User) => one.id,
          account: (one: User) => one.account,
          'e-mail': (one: User) => one.email,
          'first name': (one: User) => one.firstName,
          'last name': (one: User) => one.lastName,
          disabled: (one: User) => one.disabled,
        };
        return table(users, columns, `Company ${companyId} has no users.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a user, who then signs in at the identity provider with the same e-mail address.',
      flags: {
        company,
        account: text('<account>', 'The account name, unique in the company.'),
        email: optional(text('<address>', 'The e-mail address that the provider vouches for.')),
        firstName: optional(text('<name>', 'The given name.')),
        lastName: optional(text('<name>', 'The family name.')),
        group: optional(groupFlag),
        role: optional(roleFlag),
      },
      async run({ company: companyId, account, email, firstName, lastName, group, role }, workplace) {
        if ((group === undefined) !== (role === undefined)) throw new UsageError('Give --group and --role together.');
        const directory = await workplace.directory();
        const memberships =
          group === undefined || role === undefined ? [] : [await membershipOf(directory, companyId, group, role)];
        const target = `user ${shown(account)}`;
        const acting = await workplace.acting({ action: 'user.create', target, companyId, detail: { memberships } });
        const made = await acting.users.create({
          companyId,
          account,
          ...(email === undefined ? {} : { email }),
          ...(firstName === undefined ? {} : { firstName }),
          ...(lastName === undefined ? {} : { lastName }),
          memberships,
        });
        return line(`User ${made.id} "${made.account}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'show',
      summary: 'Shows a user with the roles held in groups.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, workplace) {
        const directory = await workplace.directory();
        const user = await userOf(directory, companyId, named);
        return shownUser(user, await directory.users.memberships(user.id));
      },
    }),
    action({
      name: 'update',
      summary: 'Changes what is given of a user.',
      flags: {
        company,
        user: userFlag,
        account: optional(text('<account>', 'The new account name.')),
        email: clearable('<address>', 'The new e-mail address; --email= takes it away.'),
        firstName: clearable('<name>', 'The new given name.'),
        lastName: clearable('<name>', 'The new family name.'),
      },
      async run({ company: companyId, user: named, account, email, firstName, lastName }, workplace) {
        const directory = await workplace.directory();
        const user = await userOf(directory, companyId, named);
        const changes = {
          ...(account === undefined ? {} : { account }),
          ...(email === undefined ? {} : { email: email === '' ? null : email }),
          ...(firstName === undefined ? {} : { firstName }),
          ...(lastName === undefined ? {} : { lastName }),
        };
        const acting = await workplace.acting(deedOn('update', user, { changed: Object.keys(changes) }));
        const changed = await acting.users.update(companyId, user.id, changes);
        return line(`User ${changed.id} "${changed.account}" was changed.`, changed);
      },
    }),
    action({
      name: 'join',
      summary: 'Gives a user a role in a group.',
      flags: { company, user: userFlag, group: groupFlag, role: roleFlag },
      async run({ company: companyId, user: named, group, role }, workplace) {
        const directory = await workplace.directory();
        const user = await userOf(directory, companyId, named);
        const membership = await membershipOf(directory, companyId, group, role);
        const acting = await workplace.acting(deedOn('update', user, { given: [membership] }));
        await acting.users.join(companyId, user.id, membership);
        return shownUser(user, await directory.users.memberships(user.id));
      },
    }),
    action({
      name: 'leave',
      summary: 'Takes a role in a group from a user, or all of them there.',
      flags: { company, user: userFlag, group: groupFlag, role: optional(roleFlag) },
      async run({ company: companyId, user: named, group, role }, workplace) {
        const directory = await workplace.directory();
        const user = await userOf(directory, companyId, named);
        const { id: groupId } = await groupOf(directory, companyId, group);
        const which = role === undefined ? {} : { roleId: (await roleOf(directory, companyId, role)).roleId };
        const acting = await workplace.acting(deedOn('update', user, { taken: [{ groupId, ...which }] }));
        await acting.users.leave(companyId, user.id, { groupId, ...which });
        return shownUser(user, await directory.users.memberships(user.id));
      },
    }),
    action({
      name: 'password',
      summary:
        'Sets a password, asked for or read from the standard input, for applications with local accounts; ends every session.',
      flags: { company, user: userFlag, remove: toggle('Take the password away instead.') },
      async run({ company: companyId, user: named, remove }, workplace) {
        const rooms = await workplace.accounts();
        const { id: userId, account } = await userOf(rooms.directory, companyId, named);
        const password = remove ? null : await workplace.secret(`New password of ${account}`);
        await setUserPassword(rooms, operator, { companyId, userId, password });
        return line(`User ${userId} "${account}" has ${remove ? 'no' : 'a new'} password now.`, { id: userId });
      },
    }),
    action({
      name: 'identities',
      summary: 'Lists the identities at providers by which a user is known.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, workplace) {
        const rooms = await workplace.accounts();
        const { id: userId } = await userOf(rooms.directory, companyId, named);
        const columns = {
          issuer: (one: UserIdentity) => one.issuer,
          subject: (one: UserIdentity) => one.subject,
          linked: (one: UserIdentity) => new Date(one.created).toISOString(),
        };
        return table(await listIdentities(rooms, operator, companyId, userId), columns, 'There are no identities.');
      },
    }),
    action({
      name: 'relink',
      summary:
        'Has a user linked anew at the next sign-in, by the verified e-mail address, where the provider gave the person another subject; ends every session.',
      flags: { company, user: userFlag, issuer: text('<address>', 'The issuer, as "user identities" shows it.') },
      async run({ company: companyId, user: named, issuer }, workplace) {
        const rooms = await workplace.accounts();
        const { id: userId } = await userOf(rooms.directory, companyId, named);
        const user = await relinkUser(rooms, operator, { companyId, userId, issuer });
        return line(`User ${userId} "${user.account}" is linked at the next sign-in, as ${user.email}.`, user);
      },
    }),
    ...switches(
      'a user',
      { company, user: userFlag },
      async ({ company: companyId, user: named }, workplace, disabled) => {
        const user = await userOf(await workplace.directory(), companyId, named);
        const acting = await workplace.acting(deedOn('update', user, { disabled }));
        const now = await acting.users.update(companyId, user.id, { disabled });
        return { called: `User ${user.id} "${now.account}"`, now };
      },
    ),
    action({
      name: 'delete',
      summary: 'Removes a user with sessions and roles; the records stay, and the id is not used again.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, workplace) {
        const user = await userOf(await workplace.directory(), companyId, named);
        const acting = await workplace.acting(deedOn('delete', user));
        await acting.users.remove(companyId, user.id);
        return line(`User ${user.id} "${user.account}" was removed.`, user);
      },
    }),
  ],
};

function deedOn(
  what: 'update' | 'delete',
  { id: userId, companyId, account }: User,
  detail: Readonly<Record<string, unknown>> = {},
) {
  return { action: `user.${what}`, target: `user ${userId} ${shown(account)}`, companyId, detail };
}

async function membershipOf(directory: Directory, companyId: number, group: string, role: string) {
  const { id: groupId } = await groupOf(directory, companyId, group);
  const { roleId } = await roleOf(directory, companyId, role);
  return { groupId, roleId };
}

function shownUser(user: User, memberships: readonly Membership[]) {
  const { id: userId, account, email, firstName, lastName, disabled } = user;
  const roles = memberships.map(({ groupId, groupName, roleId, roleName }) => [
    'member',
    `group ${groupId} "${groupName}" as ${roleName} (${roleId})`,
  ]);
  const name = `${firstName} ${lastName}`.trim();
  const fields = [
    ['user', userId],
    ['account', account],
    ['e-mail', email],
    ['name', name],
    ['disabled', disabled],
  ] as const;
  return line(aligned([...fields, ...roles]), { ...user, memberships });
}

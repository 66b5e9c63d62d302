/** `rowhouse user`: a company's users, and their roles in groups. */
import { operator } from '../actor.ts';
import { listIdentities, relinkUser, type UserIdentity } from '../administration/identities.ts';
import { setUserPassword } from '../administration/user-passwords.ts';
import {
  createUser,
  deleteUser,
  getUser,
  type UserInput,
  type UserWithRoles,
  updateUser,
} from '../administration/users.ts';
import type { Directory } from '../directory/directory.ts';
import type { GroupRole } from '../directory/users.ts';
import { user } from '../entities/people.ts';
import { ServiceError } from '../errors.ts';
import { aligned, line, table } from './answer.ts';
import { action, type Command, id, optional, text, toggle, UsageError } from './command.ts';
import type { CommandContext } from './context.ts';
import { flagsOf, inputOf, listOf } from './entities.ts';
import { groupFlag, groupOf, roleFlag, roleOf, userFlag, userOf } from './references.ts';
import { switches } from './switches.ts';

const company = id('The company.');

export const userCommand: Command = {
  name: 'user',
  summary: 'Users of a company, and the roles that they hold in groups.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the users of a company.',
      flags: { company },
      async run({ company: companyId }, context) {
        const users = await (await context.directory()).users.list(companyId);
        return listOf(user, users, `Company ${companyId} has no users.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a user, who then signs in at the identity provider with the same e-mail address.',
      flags: {
        company,
        ...flagsOf(user, 'add'),
        group: optional(groupFlag),
        role: optional(roleFlag),
      },
      async run({ company: companyId, group, role, ...values }, context) {
        if ((group === undefined) !== (role === undefined)) throw new UsageError('Give --group and --role together.');
        const deps = await context.accounts();
        const { memberships: _, ...made } = await createUser(deps, operator, companyId, {
          ...inputOf(user, 'add', values),
          ...(group === undefined || role === undefined
            ? {}
            : { memberships: [await membershipOf(deps.directory, companyId, group, role)] }),
        });
        return line(`User ${made.id} "${made.account}" was added to company ${companyId}.`, made);
      },
    }),
    action({
      name: 'show',
      summary: 'Shows a user with the roles held in groups.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, context) {
        const deps = await context.accounts();
        const { id } = await userOf(deps.directory, companyId, named);
        return userResponse(await getUser(deps, operator, companyId, id));
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the given values of a user.',
      flags: {
        company,
        user: userFlag,
        ...flagsOf(user, 'update'),
      },
      async run({ company: companyId, user: named, ...values }, context) {
        const wanted = inputOf(user, 'update', values);
        const { memberships: _, ...changed } = await change(context, companyId, named, () => wanted);
        return line(`User ${changed.id} "${changed.account}" was changed.`, changed);
      },
    }),
    action({
      name: 'join',
      summary: 'Gives a user a role in a group.',
      flags: { company, user: userFlag, group: groupFlag, role: roleFlag },
      async run({ company: companyId, user: named, group, role }, context) {
        const given = await membershipOf(await context.directory(), companyId, group, role);
        // Given by hand, whatever its earlier source.
        const byHand = { ...given, source: '' };
        const changed = await change(context, companyId, named, ({ memberships }) => ({
          memberships: memberships.some((held) => isIn(held, given))
            ? memberships.map((held) => (isIn(held, given) ? byHand : held))
            : [...memberships, byHand],
        }));
        return userResponse(changed);
      },
    }),
    action({
      name: 'leave',
      summary: "Removes a user's role in a group, or all of the user's roles there.",
      flags: { company, user: userFlag, group: groupFlag, role: optional(roleFlag) },
      async run({ company: companyId, user: named, group, role }, context) {
        const directory = await context.directory();
        const { id: groupId } = await groupOf(directory, companyId, group);
        const roleId = role === undefined ? undefined : (await roleOf(directory, companyId, role)).roleId;
        const changed = await change(context, companyId, named, ({ id, memberships }) => {
          const left = memberships.filter((held) => !isIn(held, { groupId, roleId }));
          if (left.length < memberships.length) return { memberships: left };
          const what = roleId === undefined ? `group ${groupId}` : `role ${roleId} in group ${groupId}`;
          throw new ServiceError(130, `User ${id} does not have ${what}.`);
        });
        return userResponse(changed);
      },
    }),
    action({
      name: 'password',
      summary:
        'Sets a password, prompted for or read from the standard input, for applications with local accounts; ends every session.',
      flags: { company, user: userFlag, remove: toggle('Remove the password instead.') },
      async run({ company: companyId, user: named, remove }, context) {
        const deps = await context.accounts();
        const { id: userId, account } = await userOf(deps.directory, companyId, named);
        const password = remove ? null : await context.secret(`New password of ${account}`);
        await setUserPassword(deps, operator, { companyId, userId, password });
        return line(`User ${userId} "${account}" has ${remove ? 'no' : 'a new'} password now.`, { id: userId });
      },
    }),
    action({
      name: 'identities',
      summary: 'Lists the identities at providers that are linked to a user.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, context) {
        const deps = await context.accounts();
        const { id: userId } = await userOf(deps.directory, companyId, named);
        const columns = {
          issuer: (one: UserIdentity) => one.issuer,
          subject: (one: UserIdentity) => one.subject,
          linked: (one: UserIdentity) => new Date(one.created).toISOString(),
        };
        return table(await listIdentities(deps, operator, companyId, userId), columns, 'There are no identities.');
      },
    }),
    action({
      name: 'relink',
      summary:
        'Removes the link between a user and an identity at a provider, and ends every session. The next sign-in links the user again, by the verified e-mail address.',
      flags: { company, user: userFlag, issuer: text('<address>', 'The issuer, as "user identities" shows it.') },
      async run({ company: companyId, user: named, issuer }, context) {
        const deps = await context.accounts();
        const { id: userId } = await userOf(deps.directory, companyId, named);
        const linked = await relinkUser(deps, operator, { companyId, userId, issuer });
        return line(`User ${userId} "${linked.account}" is linked at the next sign-in, as ${linked.email}.`, linked);
      },
    }),
    ...switches(
      'a user',
      { company, user: userFlag },
      async ({ company: companyId, user: named }, context, disabled) => {
        const { memberships: _, ...now } = await change(context, companyId, named, () => ({ disabled }));
        return { called: `User ${now.id} "${now.account}"`, now };
      },
    ),
    action({
      name: 'delete',
      summary: 'Removes a user with sessions and roles; the records stay, and the id is not reused.',
      flags: { company, user: userFlag },
      async run({ company: companyId, user: named }, context) {
        const deps = await context.accounts();
        const removed = await userOf(deps.directory, companyId, named);
        await deleteUser(deps, operator, companyId, removed.id);
        return line(`User ${removed.id} "${removed.account}" was removed.`, removed);
      },
    }),
  ],
};

/** @param wanted makes the changes from the stored user */
async function change(
  context: CommandContext,
  companyId: number,
  named: string,
  wanted: (user: UserWithRoles) => UserInput,
): Promise<UserWithRoles> {
  const deps = await context.accounts();
  const { id } = await userOf(deps.directory, companyId, named);
  const present = await getUser(deps, operator, companyId, id);
  return updateUser(deps, operator, companyId, id, { ...wanted(present), revision: present.revision });
}

/** Whether it is that role in the group, or any there where none is named. */
function isIn(
  held: GroupRole,
  { groupId, roleId = held.roleId }: { readonly groupId: number; readonly roleId?: number | undefined },
): boolean {
  return held.groupId === groupId && held.roleId === roleId;
}

async function membershipOf(directory: Directory, companyId: number, group: string, role: string) {
  const { id: groupId } = await groupOf(directory, companyId, group);
  const { roleId } = await roleOf(directory, companyId, role);
  return { groupId, roleId };
}

function userResponse(user: UserWithRoles) {
  const { id: userId, account, email, firstName, lastName, disabled, memberships } = user;
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
  return line(aligned([...fields, ...roles]), user);
}

/** The reference of who may do what, made from the table in `administration/permissions.ts`. */
import { type Holder, type PermissionRow, permissions, type Reach } from '../../src/administration/permissions.ts';
import { code, generatedNote, page, table } from './markdown.ts';

const holders: readonly (readonly [Holder, string])[] = [
  ['superAdmin', 'Super Admin'],
  ['appAdmin', 'App Admin'],
  ['admin', 'Admin'],
  ['manager', 'Manager'],
  ['developer', 'Developer'],
  ['everybody', 'everybody'],
];

const reaches: Readonly<Record<Reach, string>> = {
  company: 'all such objects in the own company',
  application: 'an application that one of the own groups may use; one without groups is open to all',
  granted: 'an application that one of the own groups may use and that grants this (`recordAccess`)',
  group: 'an own group, and roles in it other than Super Admin, App Admin and Admin',
  member: 'a user who is in an own group',
  subordinate: 'a user who is only in own groups, and is not Super Admin, App Admin or Admin there',
  self: 'the own user',
};

export function permissionsPage(): string {
  return page(
    '# Who may do what',
    generatedNote('src/administration/permissions.ts'),
    [
      'The service enforces this table for clients with a user token and for users who sign in to the administration alike.',
      'The command line and the administrators of the installation may do everything.',
    ].join('\n'),
    [
      'A role applies only to the groups in which it is held, called *own groups* below. Super Admin counts for the whole',
      'company. *Everybody* means anyone who has signed in, whatever the role; User and custom roles permit nothing else here.',
      'For a user, objects of another company do not exist (130); objects of the own company that are out of reach are refused (122).',
    ].join('\n'),
    [
      'Which *records* a user sees and changes is decided elsewhere, by [visibility](queries.md#visibility) and by the permissions',
      'on tables of [custom roles](roles.md#custom-roles). No role on this page widens either for a client.',
    ].join('\n'),
    '## How far a role reaches',
    table(
      ['reach', 'what it is'],
      Object.entries(reaches).map(([reach, meaning]) => [code(reach), meaning]),
    ),
    '## Operations',
    table(['operation', 'what it is', ...holders.map(([, name]) => name)], Object.entries(permissions).map(rowOf)),
    '## What follows from it',
    [
      '- Only Super Admins may change providers, their clients, and the group and role of new accounts, because control over',
      '  sign-in would allow signing in as anybody.',
      '- In the administration, Super Admins may see and change every record of an application, whoever owns it. `recordAccess` of an',
      '  application grants it to the App Admins of its groups: `read` to see records, `write` to change them too. Clients see the same as before.',
      '- An Admin changes no user who is in another group too, or who is an Admin: a new password or e-mail address would give',
      "  access to that user's permissions. The Admin can still give such a user roles in the Admin's own groups, and remove them.",
      '- The last Super Admin of a company who may sign in cannot be removed, disabled or demoted.',
    ].join('\n'),
  );
}

function rowOf([operation, { meaning, holders: who }]: [string, PermissionRow]): string[] {
  return [code(operation), meaning, ...holders.map(([holder]) => (who[holder] === undefined ? '' : code(who[holder])))];
}

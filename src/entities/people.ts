/** Groups of users, and the roles that users hold in them. */
import { entity, revisionColumn } from './entity.ts';

const name = {
  type: 'text',
  meaning: 'Its name.',
  required: true,
  sorts: true,
  filters: 'name',
  searches: true,
} as const;
const description = {
  type: 'text',
  default: '',
  meaning: 'What it is for.',
  given: true,
  searches: true,
} as const;

export const group = entity({
  table: 'user_group',
  key: ['id'],
  searched: 'name and description',
  columns: {
    id: { type: 'id', meaning: 'Group id.', sorts: true, filters: 'id', heading: 'id', listed: true },
    companyId: { type: 'whole', meaning: 'Company.' },
    name: {
      ...name,
      add: true,
      change: 'Another name.',
      flag: { placeholder: '<name>', add: 'Its name, unique in the company.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    description: {
      ...description,
      flag: { placeholder: '<text>', add: 'What it is for.', update: 'The new description.', clearable: true },
      heading: 'description',
      listed: true,
    },
    revision: revisionColumn,
    created: { type: 'time', unread: true },
  },
});

export const role = entity({
  table: 'role',
  key: ['roleId'],
  searched: 'name and description',
  columns: {
    roleId: {
      type: 'id',
      column: 'id',
      meaning: 'Role id: built-in ones from 1 to 6, custom ones from 100.',
      sorts: true,
      filters: 'id',
    },
    roleName: { ...name, column: 'name', add: true, change: 'Another name.' },
    description,
    companyId: { type: 'whole', nullable: true, meaning: 'Company; null for a built-in role.' },
    unrestricted: {
      type: 'flag',
      default: false,
      meaning:
        'Whether it grants everything on every table: built-in roles do, and custom ones that were made without permissions before these were required, until permissions are set.',
      filters: 'reach, `true` or `false`',
    },
    revision: revisionColumn,
  },
});

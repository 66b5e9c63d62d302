/** The row of a user: what is checked before it is written, and what is read from it. */
import type { DirectoryDatabase } from './ownership.ts';
import type { PageFields } from './paging.ts';
import { checkedEmail, checkedName, checkedOptionalName } from './text.ts';

export interface User {
  readonly id: number;
  readonly companyId: number;
  readonly account: string;
  /** Lower case. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly disabled: boolean;
  /** Whether a password is stored, so that the user could sign in with one. */
  readonly hasPassword: boolean;
  readonly revision: number;
}

export interface UserNames {
  readonly account: string;
  readonly email?: string | null;
  readonly firstName?: string;
  readonly lastName?: string;
}

export const userFields: PageFields = {
  id: { column: 'user.id', kind: 'whole', key: true, sortable: true, filterable: true },
  account: { column: 'user.account', kind: 'text', sortable: true, filterable: true, searchable: true },
  email: {
    column: 'user.email',
    kind: 'text',
    nullable: true,
    sortable: true,
    filterable: true,
    searchable: true,
  },
  firstName: { column: 'user.first_name', kind: 'text', sortable: true, filterable: true, searchable: true },
  lastName: { column: 'user.last_name', kind: 'text', sortable: true, filterable: true, searchable: true },
  disabled: { column: 'user.disabled', kind: 'flag', filterable: true },
};

export function selectUsers(db: DirectoryDatabase) {
  return db.build
    .selectFrom('user')
    .select(['user.id', 'user.company_id as companyId', 'user.account', 'user.email'])
    .select(['user.first_name as firstName', 'user.last_name as lastName', 'user.disabled'])
    .select(['user.password_hash as passwordHash', 'user.revision']);
}

/** The hash itself goes no further: it is read by who checks a password. */
export function userOf({ passwordHash, ...row }: UserRow): User {
  return { ...row, disabled: row.disabled === 1, hasPassword: passwordHash !== null };
}

type UserRow = Omit<User, 'disabled' | 'hasPassword'> & {
  readonly disabled: number;
  readonly passwordHash: string | null;
};

export function checkedColumns({ account, email, firstName, lastName }: UserNames) {
  return {
    account: checkedName('account', account),
    email: email === undefined || email === null ? null : checkedEmail('email', email),
    first_name: checkedOptionalName('firstName', firstName ?? ''),
    last_name: checkedOptionalName('lastName', lastName ?? ''),
  };
}

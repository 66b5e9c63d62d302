/** Finds groups, roles and users named on the command line by id, or by the name that people know. */
import type { Directory } from '../directory/directory.ts';
import type { Group } from '../directory/groups.ts';
import { notThere } from '../directory/ownership.ts';
import type { Role } from '../directory/roles.ts';
import type { User } from '../directory/users.ts';
import { text } from './command.ts';

export const groupFlag = text('<id or name>', 'The group.');
export const roleFlag = text('<id or name>', 'The role, built-in or custom.');
export const userFlag = text('<account or id>', 'The user.');

/** @throws ServiceError 130 */
export async function groupOf(directory: Directory, companyId: number, named: string): Promise<Group> {
  const group = isId(named)
    ? await directory.groups.find(companyId, Number(named))
    : await directory.groups.byName(companyId, named);
  return group ?? missingIn('group', named, companyId);
}

/** @throws ServiceError 130 */
export async function roleOf(directory: Directory, companyId: number, named: string): Promise<Role> {
  const role = isId(named)
    ? await directory.roles.find(companyId, Number(named))
    : await directory.roles.byName(companyId, named);
  return role ?? missingIn('role', named, companyId);
}

/** A digits-only account takes precedence over an id of that form. @throws ServiceError 130 */
export async function userOf(directory: Directory, companyId: number, named: string): Promise<User> {
  const byAccount = await directory.users.byAccount(companyId, named);
  const user = byAccount ?? (isId(named) ? await directory.users.find(companyId, Number(named)) : null);
  return user ?? missingIn('user', named, companyId);
}

function isId(named: string): boolean {
  return /^\d{1,15}$/.test(named);
}

function missingIn(what: string, named: string, companyId: number): never {
  throw notThere(what, named, `company ${companyId}`);
}

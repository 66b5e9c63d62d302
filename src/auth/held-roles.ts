/**
 * Reads the roles that a user holds, and the rights to tables that follow from them
 * (docs/reference/roles.md#roles-in-groups): a built-in role grants everything, and so does a custom role marked as
 * unrestricted; any other custom role grants its permissions, in the applications that they name.
 */
import { type Membership, role, type TableRight, type TableRights } from '../caller.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import type { FoundToken } from './token-rows.ts';

export interface HeldRoles {
  /** In the order in which roles were given. */
  readonly memberships: readonly Membership[];
  readonly tableRights: TableRights | null;
}

/** One statement, so that memberships and rights are consistent. */
export async function heldRoles(
  db: Relational<DirectoryTables>,
  token: Pick<FoundToken, 'companyId' | 'appId' | 'userId' | 'isForGroups'>,
): Promise<HeldRoles> {
  const { companyId, appId, userId } = token;
  const query = db.build
    .selectFrom('membership as m')
    .innerJoin('user_group as g', 'g.id', 'm.group_id')
    .innerJoin('role as r', 'r.id', 'm.role_id')
    .leftJoin('app_group as a', (on) =>
      on.onRef('a.group_id', '=', 'm.group_id').on('a.company_id', '=', companyId).on('a.app_id', '=', appId),
    )
    .leftJoin('role_permission as p', (on) => on.onRef('p.role_id', '=', 'm.role_id').on('p.app_id', '=', appId))
    .select(['g.id as groupId', 'g.name as groupName', 'r.id as roleId', 'r.name as roleName', 'r.unrestricted'])
    .select(['a.group_id as appGroup', 'p.table_name as tableName'])
    .select(['p.can_read as read', 'p.can_add as add', 'p.can_update as update', 'p.can_delete as delete'])
    .where('m.user_id', '=', userId)
    .orderBy('m.position')
    .orderBy('g.id')
    .orderBy('r.id');
  const rows = await db.read(query);
  const memberships = new Map(rows.map((row) => [`${row.groupId} ${row.roleId}`, membershipOf(row)]));
  return { memberships: [...memberships.values()], tableRights: rightsOf(rows, token.isForGroups) };
}

function membershipOf({ groupId, groupName, roleId, roleName }: Membership): Membership {
  return { groupId, groupName, roleId, roleName };
}

const rightNames: readonly TableRight[] = ['read', 'add', 'update', 'delete'];

/** A held role, with one table that it has a permission on; the table is null if it has none here. */
export interface HeldRow extends Readonly<Record<TableRight, number | null>> {
  readonly roleId: number;
  readonly appGroup: number | null;
  readonly tableName: string | null;
  /** 1 where the role grants everything on every table. */
  readonly unrestricted: number;
}

/** A role counts where its group may use the application; Super Admin in the whole company. */
export function rightsOf(rows: readonly HeldRow[], isForGroups: boolean): TableRights | null {
  const counting = rows.filter((row) => !isForGroups || row.appGroup !== null || row.roleId === role.superAdmin);
  if (counting.some((row) => row.unrestricted === 1)) return null;
  // A user without groups has the rights of the role User, except in applications that are limited to groups.
  if (counting.length === 0 && !isForGroups) return null;
  const rights = new Map<string, Set<TableRight>>();
  for (const row of counting) {
    if (row.tableName === null) continue;
    const table = row.tableName.toLowerCase();
    const granted = rights.get(table) ?? new Set();
    for (const right of rightNames) if (row[right] === 1) granted.add(right);
    rights.set(table, granted);
  }
  return rights;
}

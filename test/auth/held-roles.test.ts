/** The rights to tables from a user's roles, against an oracle that follows the rules one by one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type HeldRow, heldRoles, rightsOf } from '../../src/auth/held-roles.ts';
import { role, type TableRight, type TableRights } from '../../src/caller.ts';
import { requireTableRight } from '../../src/data/table-rights.ts';
import { ServiceError } from '../../src/errors.ts';
import { type AuthWorld, openWorld } from './world.ts';

const rights: readonly TableRight[] = ['read', 'add', 'update', 'delete'];
const apps = ['notes', 'open'];
const tables = ['Cup', 'shelf', 'Box', '*'];
const customRoles = [100, 101, 102];
/** Marked as granting everything, like custom roles without permissions since the upgrade. */
const unrestricted = 102;
const groups = [1, 2];
const userId = 1;

interface Permission {
  readonly roleId: number;
  readonly appId: string;
  readonly table: string;
  readonly granted: readonly TableRight[];
}
interface Scene {
  /** Pairs of group and role. */
  readonly held: readonly (readonly [number, number])[];
  readonly permissions: readonly Permission[];
  /** Groups that may use `notes`; none means all. */
  readonly appGroups: readonly number[];
}

let world: AuthWorld;
before(async () => {
  world = await openWorld();
  for (const id of customRoles)
    await world.directory.roles.create({ companyId: 1, name: `Custom ${id}`, permissions: [] });
  await world.db.write([world.db.build.updateTable('role').set({ unrestricted: 1 }).where('id', '=', unrestricted)]);
});
after(() => world.close());

async function arrange({ held, permissions, appGroups }: Scene): Promise<void> {
  const { build } = world.db;
  const flag = (granted: readonly TableRight[], right: TableRight) => Number(granted.includes(right));
  await world.db.write([
    build.deleteFrom('membership').where('user_id', '=', userId),
    build.deleteFrom('role_permission'),
    build.deleteFrom('app_group').where('app_id', '=', 'notes').where('company_id', '=', 1),
    ...held.map(([group_id, role_id]) => build.insertInto('membership').values({ user_id: userId, group_id, role_id })),
    ...appGroups.map((group_id) => build.insertInto('app_group').values({ company_id: 1, app_id: 'notes', group_id })),
    ...permissions.map(({ roleId, appId, table, granted }) =>
      build.insertInto('role_permission').values({
        role_id: roleId,
        app_id: appId,
        table_name: table,
        can_read: flag(granted, 'read'),
        can_add: flag(granted, 'add'),
        can_update: flag(granted, 'update'),
        can_delete: flag(granted, 'delete'),
      }),
    ),
  ]);
}

/** The rules of docs/reference/roles.md and on permissions of custom roles, taken literally. */
function mayByTheWords(scene: Scene, appId: string, table: string, right: TableRight): boolean {
  const isForGroups = appId === 'notes' && scene.appGroups.length > 0;
  if (scene.held.length === 0) return !isForGroups;
  return scene.held.some(([group, held]) => {
    if (isForGroups && !scene.appGroups.includes(group) && held !== role.superAdmin) return false;
    if (held < 100 || held === unrestricted) return true;
    const own = scene.permissions.filter(({ roleId }) => roleId === held);
    return own.some(
      (permission) =>
        permission.appId === appId &&
        (permission.table === '*' || permission.table.toUpperCase() === table.toUpperCase()) &&
        permission.granted.includes(right),
    );
  });
}

function may(tableRights: TableRights | null, table: string, right: TableRight): boolean {
  try {
    requireTableRight({ tableRights }, right, table);
    return true;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.reason === 'forbidden');
    return false;
  }
}

const permission = fc.record({
  roleId: fc.constantFrom(...customRoles),
  appId: fc.constantFrom(...apps),
  table: fc.constantFrom(...tables),
  granted: fc.subarray([...rights]),
});
const anyRole = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...customRoles) }, fc.constantFrom(1, 2, 3, 4, 5, 6));
const scene: fc.Arbitrary<Scene> = fc.record({
  held: fc.uniqueArray(fc.tuple(fc.constantFrom(...groups), anyRole), { maxLength: 3, selector: String }),
  permissions: fc.uniqueArray(permission, {
    maxLength: 8,
    selector: ({ roleId, appId, table }) => `${roleId} ${appId} ${table}`,
  }),
  appGroups: fc.subarray([...groups]),
});

/** Compares all rights in one application. @returns their number */
function compare(each: Scene, appId: string, tableRights: TableRights | null): number {
  for (const table of asked) {
    for (const right of rights) {
      const expected = mayByTheWords(each, appId, table, right);
      if (may(tableRights, table, right) !== expected) {
        assert.fail(`${right} ${table} of ${appId}: ${expected} was expected of ${JSON.stringify(each)}`);
      }
    }
  }
  return asked.length * rights.length;
}
const asked = ['CUP', 'Shelf', 'Other'];
const isForGroups = (each: Scene, appId: string) => appId === 'notes' && each.appGroups.length > 0;

test('rights are as the rules state', async () => {
  const seen = { limited: 0, unlimited: 0 };
  const property = fc.asyncProperty(scene, async (each) => {
    await arrange(each);
    for (const appId of apps) {
      const token = { companyId: 1, appId, userId, isForGroups: isForGroups(each, appId) };
      const { tableRights, memberships } = await heldRoles(world.db, token);
      assert.deepEqual(memberships, await world.directory.users.memberships(userId));
      seen[tableRights === null ? 'unlimited' : 'limited']++;
      compare(each, appId, tableRights);
    }
  });
  await fc.assert(property, { numRuns: 150 });
  assert.ok(seen.limited > 20 && seen.unlimited > 20, JSON.stringify(seen));
});

/** The rows that the statement of `heldRoles` reads. */
function rowsOf({ held, permissions, appGroups }: Scene, appId: string): HeldRow[] {
  return held.flatMap(([group, roleId]): HeldRow[] => {
    const own = permissions.filter((each) => each.roleId === roleId);
    const appGroup = appId === 'notes' && appGroups.includes(group) ? group : null;
    const row = { roleId, appGroup, unrestricted: Number(roleId < 100 || roleId === unrestricted) };
    const here = own.filter((each) => each.appId === appId);
    if (here.length === 0) return [{ ...row, tableName: null, read: null, add: null, update: null, delete: null }];
    return here.map(({ table, granted }) => {
      const [read, add, update, remove] = rights.map((right) => Number(granted.includes(right))) as [
        number,
        number,
        number,
        number,
      ];
      return { ...row, tableName: table, read, add, update, delete: remove };
    });
  });
}

test('and in many more cases, without the database', () => {
  const wanted = Number(process.env.ROWHOUSE_CASES ?? 100_000);
  let cases = 0;
  const property = fc.property(scene, (each) => {
    for (const appId of apps) cases += compare(each, appId, rightsOf(rowsOf(each, appId), isForGroups(each, appId)));
  });
  fc.assert(property, { numRuns: Math.ceil(wanted / (apps.length * asked.length * rights.length)) });
  assert.ok(cases >= wanted);
});

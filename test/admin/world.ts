/**
 * A running service with two companies, an administrator of the installation and one user for each role, all of them
 * signed in to the administration; answers are checked against the shape that the operation declares.
 */
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { role } from '../../src/caller.ts';
import type { Settings } from '../../src/config.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import type { Operation } from '../../src/operations/define.ts';
import { type Browser, type House, openHouse } from '../administration/house.ts';
import type { Answer } from '../harness/client.ts';
import { assertDocumented } from '../harness/documented.ts';
import { isRecord, valueAt } from '../harness/match.ts';

/** Users hold their role in the group North of company 1; `stranger` is Super Admin of company 2. */
export const roles = ['superAdmin', 'appAdmin', 'admin', 'manager', 'developer', 'user', 'custom'] as const;
export type Role = (typeof roles)[number];
export type Who = Role | 'root' | 'stranger';

/** Members of an answer whose shape has been checked. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly params?: Fields;
  readonly query?: Fields;
  readonly body?: unknown;
}

export interface AdminWorld {
  readonly house: House;
  /** Group North, the only one that may use the application `shop`. */
  readonly north: number;
  readonly south: number;
  /** Of company 2. */
  readonly foreign: number;
  readonly customRole: number;
  userId(who: Exclude<Who, 'root'>): number;
  browser(who: Who): Browser;
  /** Returns any answer; a success must have the declared shape. */
  ask(who: Who, name: string, asked?: Asked): Promise<Answer>;
  /** Requires success. @returns `results`, an object */
  result(who: Who, name: string, asked?: Asked): Promise<Fields>;
  /** Requires success. @returns `results`, a list */
  results(who: Who, name: string, asked?: Asked): Promise<Fields[]>;
  /** Requires the code, and the status if given. @returns the description */
  refused(who: Who, name: string, asked: Asked, code: number, status?: number): Promise<string>;
  /** Names of the operations that have succeeded so far. */
  readonly succeeded: Set<string>;
  close(): Promise<void>;
}

export function operationNamed(name: string): Operation {
  const operation = operationsOf('administration').find((one) => one.name === name);
  assert.ok(operation !== undefined, `There is no operation ${name}.`);
  return operation;
}

/** Below `/admin/api`. */
export function pathOf(operation: Operation, { params = {}, query = {} }: Asked): string {
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    assert.ok(name in params, `${operation.name} needs ${name}.`);
    return encodeURIComponent(String(params[name]));
  });
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? path : `${path}?${search}`;
}

export async function openAdminWorld(settings: Partial<Settings> = {}): Promise<AdminWorld> {
  const house = await openHouse(settings);
  const browsers = new Map<Who, Browser>([['root', await house.setUp()]]);
  const { directory, administration } = house.server;
  const { companies, groups, applications, versions, users, roles: allRoles } = directory;
  for (const name of ['One', 'Two']) await companies.create({ name });
  const [north, south] = [
    await groups.create({ companyId: 1, name: 'North' }),
    await groups.create({ companyId: 1, name: 'South' }),
  ];
  const foreign = await groups.create({ companyId: 2, name: 'Foreign' });
  await applications.create({ companyId: 1, appId: 'shop', groupIds: [north.id] });
  await applications.create({ companyId: 1, appId: 'south', groupIds: [south.id], localAccounts: true });
  await applications.create({ companyId: 2, appId: 'secret-app', localAccounts: true });
  await versions.create({ companyId: 1, appId: 'shop', version: '1.0', development: true });
  await versions.create({ companyId: 2, appId: 'secret-app', version: '1.0' });
  const custom = await allRoles.create({ companyId: 1, name: 'Auditor', permissions: [] });

  const ids = new Map<Who, number>();
  const enter = async (who: Who, companyId: number, groupId: number, roleId: number) => {
    const { id } = await users.create({ companyId, account: who, memberships: [{ groupId, roleId }] });
    ids.set(who, id);
    const started = await administration.sessions.start({ userId: id }, null, []);
    const browser = house.browser();
    browser.cookies.set('rowhouse_admin', started.cookie);
    browser.csrfToken = started.csrfToken;
    browsers.set(who, browser);
  };
  for (const who of roles) await enter(who, 1, north.id, who === 'custom' ? custom.roleId : role[who]);
  await enter('stranger', 2, foreign.id, role.superAdmin);

  const succeeded = new Set<string>();
  const browser = (who: Who) => {
    const found = browsers.get(who);
    assert.ok(found !== undefined);
    return found;
  };
  async function ask(who: Who, name: string, asked: Asked = {}): Promise<Answer> {
    const operation = operationNamed(name);
    const answer = await browser(who).call(operation.method, pathOf(operation, asked), asked.body);
    if (answer.status === 200) {
      if (operation.exports === undefined) assertFits(operation.answer, answer.json, name);
      succeeded.add(name);
    } else {
      assert.equal(valueAt(answer.json, 'status'), 'error', `${name}: ${answer.text}`);
      assertDocumented(operation, answer, '');
    }
    return answer;
  }
  async function answered(who: Who, name: string, asked?: Asked): Promise<Answer> {
    const answer = await ask(who, name, asked);
    assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    return answer;
  }

  return {
    house,
    north: north.id,
    south: south.id,
    foreign: foreign.id,
    customRole: custom.roleId,
    userId: (who) => ids.get(who) ?? 0,
    browser,
    ask,
    async result(who, name, asked) {
      const results = valueAt((await answered(who, name, asked)).json, 'results');
      return isRecord(results) ? results : {};
    },
    async results(who, name, asked) {
      const results = valueAt((await answered(who, name, asked)).json, 'results');
      assert.ok(Array.isArray(results));
      return results;
    },
    async refused(who, name, asked, code, status) {
      const answer = await ask(who, name, asked);
      assert.equal(valueAt(answer.json, 'errCode'), code, `${name} by ${who}: ${answer.text}`);
      if (status !== undefined) assert.equal(answer.status, status, `${name}: ${answer.text}`);
      return String(valueAt(answer.json, 'description'));
    },
    succeeded,
    close: () => house.close(),
  };
}

/** Requires the shape, and no other members. */
export function assertFits(shape: TSchema, value: unknown, path: string): void {
  const wrong = Check(shape, value) ? [] : [...Errors(shape, value)];
  assert.deepEqual(wrong, [], `${path}: ${JSON.stringify(value).slice(0, 500)}`);
  assertNothingMore(shape as Shape, value, path);
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

function assertNothingMore({ properties, items }: Shape, value: unknown, path: string): void {
  if (properties !== undefined && isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      const shape: Shape | undefined = properties[name];
      assert.ok(shape !== undefined, `${path}.${name} is answered, and declared nowhere.`);
      assertNothingMore(shape, member, `${path}.${name}`);
    }
  }
  if (items !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertNothingMore(items, item, `${path}[${index}]`);
  }
}

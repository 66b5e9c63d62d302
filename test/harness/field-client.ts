/**
 * Sends the requests of a public JavaScript client of this interface's family, with all relevant details: its token
 * header, the token also in the query of some calls, a Content-Type on a DELETE without a body, its formats of values,
 * and its empty members. It reads answers like that client, so that anything missing fails here.
 */
import assert from 'node:assert/strict';
import { type Client, openClient } from './client.ts';

export interface FieldClientOptions {
  readonly url: string;
  readonly companyId: number;
  readonly appId: string;
  readonly appKey: string;
  readonly appVersion: string;
  readonly tokenHeader: string;
}

export type ColumnKind = 'Varchar' | 'Integer' | 'Long' | 'Bool' | 'DateTime' | 'Double';
export type Columns = Readonly<Record<string, { readonly kind: ColumnKind; readonly length?: number }>>;
export type FieldRecord = Record<string, string | number | boolean | Date | null | undefined>;

export interface HeldRole {
  readonly groupId: number;
  readonly groupName: string;
  readonly roleName: string;
}

export interface FieldUser {
  readonly userId: number;
  readonly account: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groupsRoles: readonly HeldRole[];
}

/** An answer with `status: "error"`, or one that is not 2xx. */
export class FieldError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The same for every installation of that client. */
const deviceUDID = 'fixed-by-the-client';

type Json = Record<string, unknown>;

export function openFieldClient(options: FieldClientOptions) {
  const { companyId, appId, appKey, appVersion, tokenHeader } = options;
  const http: Client = openClient(options.url);
  const entryPoint = `/api/${companyId}/${appId}/${appVersion}/`;
  const tables = new Map<string, Columns>();
  let token = '';

  async function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Json> {
    const headers: Record<string, string> = {};
    // A DELETE has a Content-Type although it has no body.
    if (method !== 'GET') headers['content-type'] = 'application/json';
    if (token !== '') headers[tokenHeader] = token;
    const answer = await http.call(method, entryPoint + path, body === undefined ? { headers } : { headers, body });
    const json = answer.json as Json;
    if (answer.status >= 300 || json.status === 'error') throw new FieldError(Number(json.errCode), answer.text);
    return json;
  }
  /** Some of its calls also have the token in the query. */
  const withToken = (path: string, more: Record<string, string> = {}) =>
    `${path}?${new URLSearchParams({ token, ...more })}`;

  const columnsOf = (table: string) => {
    const columns = tables.get(table);
    assert.ok(columns !== undefined, `${table} is not defined.`);
    return columns;
  };
  const formatted = (table: string, record: FieldRecord, isNew: boolean) => {
    const sent: Json = {};
    for (const [name, { kind }] of Object.entries(columnsOf(table))) {
      const value = record[name];
      if (value === null || value === undefined) sent[name] = value;
      else if (kind === 'Bool') sent[name] = value ? 1 : 0;
      else if (kind === 'DateTime') sent[name] = (value as Date).getTime();
      else if (kind === 'Double') sent[name] = `${value}`;
      else sent[name] = value;
    }
    const { objectId, scopeType = 2, serverCreateTime, serverUpdateTime } = record;
    const times = isNew ? { createTime: Date.now() / 1000 } : { createTime: record.createTime };
    return {
      ...sent,
      objectId,
      scopeType,
      serverCreateTime,
      serverUpdateTime,
      ...times,
      updateTime: Date.now() / 1000,
    };
  };
  const parsed = (table: string, record: Json): FieldRecord => {
    const { groupIds: _, ...rest } = record as FieldRecord;
    for (const [name, { kind }] of Object.entries(columnsOf(table))) {
      const text = rest[name];
      if (text === null || text === undefined || text === '') continue;
      if (kind === 'Integer' || kind === 'Long') rest[name] = Number.parseInt(String(text), 10);
      else if (kind === 'Bool') rest[name] = Boolean(Number.parseInt(String(text), 10));
      else if (kind === 'DateTime') rest[name] = new Date(Number.parseInt(String(text), 10));
      else if (kind === 'Double') rest[name] = Number.parseFloat(String(text));
    }
    return rest;
  };

  return {
    close: () => http.close(),
    ask,

    async login(username: string, password: string) {
      token = '';
      const anonymous = await ask('GET', `anonymousTokens?appKey=${appKey}&deviceUDID=${deviceUDID}`);
      token = String(anonymous.results);
      const place = { appId, deviceUDID, isPush: false, appVersion, companyId };
      const json = await ask('POST', 'auth/login', { username, password, ...place });
      // The older spelling takes precedence.
      const authInfo = (json.authInfor ?? json.authInfo) as Json;
      token = String(authInfo.userTokens);
      return userOf({ ...authInfo, ...(authInfo.userInfo as Json) });
    },
    async logout() {
      await ask('POST', 'auth/logout', {});
      token = '';
    },

    async createDatabase(models: Readonly<Record<string, Columns>>, reset = false) {
      for (const [name, columns] of Object.entries(models)) tables.set(name, columns);
      const definitions = Object.entries(models).map(([name, columns]) => definitionOf(name, columns));
      return ask('POST', 'schemas', { appId, appVersion, isResetDatabase: reset, companyId, tables: definitions });
    },

    async insertAll(table: string, records: readonly FieldRecord[]): Promise<FieldRecord[]> {
      const data = records.map((record) => formatted(table, record, true));
      const { results } = await ask('POST', 'data/batch/addData', { objectName: table, data });
      return (results as Json[]).map((result, index) => ({ ...records[index], ...parsed(table, result) }));
    },
    async update(table: string, record: FieldRecord): Promise<FieldRecord> {
      const data = [formatted(table, record, false)];
      const { results } = await ask('POST', 'data/batch/updateData', { objectName: table, data });
      return { ...record, ...parsed(table, (results as Json[])[0] ?? {}) };
    },
    async remove(table: string, { objectId, serverUpdateTime }: FieldRecord) {
      await ask('POST', 'data/batch/deleteData', { objectName: table, objectIds: [{ objectId, serverUpdateTime }] });
    },
    async findById(table: string, objectId: unknown): Promise<FieldRecord> {
      const json = await ask('GET', `data/${table}/${objectId}`);
      return parsed(table, (json[table] as Json[])[0] ?? {});
    },
    /** @param query members of `select` besides its table; the answer has an array under each alias */
    async findList(table: string, query: object, aliases: Readonly<Record<string, string>> = { [table]: table }) {
      const json = await ask('POST', `data/query/${table}`, { from: { phyName: table, alias: table }, ...query });
      const found: Record<string, FieldRecord[]> = {};
      for (const [alias, of] of Object.entries(aliases)) {
        found[alias] = (json[alias] as Json[]).map((record) => parsed(of, record));
      }
      return found;
    },
    async count(table: string, query: object = {}) {
      return ask('POST', `data/query/${table}/count`, { from: { phyName: table, alias: table }, ...query });
    },
    log: (message: string, logLevel = 'MONITOR') => ask('POST', 'logs', { message, logLevel }),

    users: {
      async list(groupId?: number): Promise<FieldUser[]> {
        const { users } = await ask('GET', withToken('users', groupId === undefined ? {} : { groupId: `${groupId}` }));
        return (users as Json[]).map(userOf);
      },
      async findById(userId: number): Promise<FieldUser> {
        return userOf((await ask('GET', withToken(`users/${userId}`))).user as Json);
      },
      async create(user: Omit<FieldUser, 'userId'>, password: string): Promise<FieldUser> {
        return userOf((await ask('POST', 'users', sentUser(user, password))).user as Json);
      },
      /** For a user from the service, the client has no password and sends an empty one. */
      async update(user: FieldUser, password = ''): Promise<FieldUser> {
        return userOf((await ask('PUT', `users/${user.userId}`, sentUser(user, password))).user as Json);
      },
      remove: (userId: number) => ask('DELETE', withToken(`users/${userId}`)),
    },
    groups: {
      async list(): Promise<Json[]> {
        return (await ask('GET', withToken('groups'))).groups as Json[];
      },
      async create(groupName: string, description: string, isAddCurrentApp = false): Promise<Json> {
        const body = { groupId: null, groupName, isAddCurrentApp, description };
        return (await ask('POST', 'groups', body)).group as Json;
      },
      async update({ groupId, groupName, description }: Json): Promise<Json> {
        const body = { groupId, groupName, isAddCurrentApp: false, description };
        return (await ask('PUT', `groups/${groupId}`, body)).group as Json;
      },
      remove: (groupId: unknown) => ask('DELETE', withToken(`groups/${groupId}`)),
    },
  };
}

function definitionOf(name: string, columns: Columns) {
  const own = Object.entries(columns).map(([colName, { kind, length }]) => {
    if (kind === 'Bool') return { colName, type: 'varchar', fieldLength: 1 };
    if (kind === 'Double') return { colName, type: 'varchar', fieldLength: 255 };
    if (kind === 'DateTime') return { colName, type: 'long' };
    // A length that was not given is omitted from the JSON.
    return kind === 'Varchar'
      ? { colName, type: 'varchar', fieldLength: length }
      : { colName, type: kind.toLowerCase() };
  });
  const system = [
    { colName: 'objectId', type: 'varchar' },
    { colName: 'scopeType', type: 'varchar' },
    { colName: 'createTime', type: 'long' },
    { colName: 'updateTime', type: 'long' },
  ];
  return { primary_key: 'objectId', name, columns: [...system, ...own] };
}

/** Roles of a user are flat in a login, and group and role everywhere else. */
function userOf(json: Json): FieldUser {
  const held = (json.groupsRoles ?? json.groupsAndRoles ?? json.groupRoleMap) as Json[];
  assert.ok(Array.isArray(held), 'The client fails where a user comes without roles.');
  return {
    userId: Number(json.userId),
    account: String(json.account ?? ''),
    firstName: String(json.firstName ?? ''),
    lastName: String(json.lastName ?? ''),
    groupsRoles: held.map((one) => {
      const { group = one, role = one } = one as { group?: Json; role?: Json };
      const { groupId, groupName } = group;
      return { groupId: Number(groupId), groupName: String(groupName), roleName: String(role.roleName) };
    }),
  };
}

function sentUser({ account, firstName, lastName, groupsRoles }: Omit<FieldUser, 'userId'>, password: string) {
  const groupRoleMap = groupsRoles.map(({ groupId, roleName }) => ({ group: { groupId }, role: { roleName } }));
  return { account, firstName, lastName, password, groupRoleMap };
}

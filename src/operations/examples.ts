/**
 * Examples for the OpenAPI documents, derived from the shapes: a member gets the value listed here for its name, or one
 * that its type and bounds allow. So examples always fit the operation; a test reads each one back.
 */
import type { TSchema } from 'typebox';

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly format?: string;
}

const time = '2026-01-31T10:00:00.000+00:00';
const book = {
  objectId: 'Book_1',
  CreateTime: null,
  UpdateTime: null,
  serverCreateTime: time,
  serverUpdateTime: time,
  serverRecordStatus: '1',
  scopeType: '2',
  groupIds: '{1}',
  createUserId: '1',
  title: 'Solaris',
  year: '1961',
};
const column = { colName: 'title', type: 'varchar', fieldLength: 200 };
const tables = [{ name: 'Book', primary_key: 'objectId', columns: [column], indexes: [] }];
const written = { objectId: 'Book_1', serverCreateTime: time, serverUpdateTime: time };
const lock = { objectId: 'Book_1', serverUpdateTime: time };
const token = '0123456789abcdef'.repeat(4);

/** By the name of the member. */
const samples: Readonly<Record<string, unknown>> = {
  account: 'alice',
  action: 'user.create',
  address: '192.0.2.1',
  appId: 'sampleApp',
  appKey: 'the key of the application',
  appVersion: '1.0.0',
  authzCode: 'the code of the provider',
  authToken: token,
  authnState: '0123456789abcdef0123456789abcdef01234567',
  clientId: 'client',
  corsOrigins: ['https://app.example.com'],
  csrfToken: token,
  deviceName: "Alice's phone",
  deviceUDID: 'device-1',
  email: 'alice@example.com',
  description: 'Who sells.',
  firstName: 'Alice',
  fistName: 'Alice',
  groupName: 'Sales',
  issuer: 'https://idp.example.com',
  lastName: 'Miller',
  level: 'ERROR',
  logLevel: 'ERROR',
  location: 'https://idp.example.com/authorize?client_id=client',
  message: 'It began.',
  name: 'Sales',
  provider: 'idp',
  redirectUri: 'https://app.example.com/signed-in',
  roleId: 5,
  roleName: 'User',
  scopes: 'openid email',
  status: 'OK',
  table: 'Book',
  tables,
  userTokens: token,
  username: 'alice',
  validTime: 18_000_000,
  version: '1.0.0',
};

const expressionQuery = {
  from: { phyName: 'Book', alias: 'b' },
  join: [
    {
      entity: 'Author',
      entityAlias: 'a',
      type: 'INNER JOIN',
      expression: { source: '#a.objectId = #b.authorId', params: [] },
    },
  ],
  where: { expression: { source: '#a.name LIKE ?', params: ['Ursula%'] } },
  orderBy: [{ column: '#b.title', type: 'ASC' }],
};

const structuredQuery = {
  objectNames: ['Book'],
  returnedObjectNames: ['Book'],
  maxRecord: 20,
  pageIndex: 1,
  condition: {
    sortConditions: [{ conditionValue: 1, tableName: 'Book', columnName: 'title' }],
    whereConditions: [
      { searchConditions: [{ type: 1, tableName: 'Book', columnName: 'title', conditionValue: ['Solaris'] }] },
    ],
  },
};

const asks: Readonly<Record<string, unknown>> = {
  query: structuredQuery,
  addData: { transactionId: 'books-1', objectName: 'Book', data: [{ title: 'Solaris', year: 1961 }] },
  updateData: { transactionId: 'books-2', objectName: 'Book', data: [{ ...lock, year: 1970 }] },
  deleteData: { transactionId: 'books-3', objectName: 'Book', objectIds: [lock] },
  putData: {
    transactionId: 'books-4',
    objectName: 'Book',
    by: ['isbn'],
    data: [{ isbn: '9780156027601', year: 1970 }],
  },
  batch: {
    transactionId: 'books-5',
    operations: [
      { op: 'add', objectName: 'Author', data: [{ objectId: 'Author_7', name: 'Lem' }] },
      { op: 'update', objectName: 'Book', data: [{ ...lock, authorId: 'Author_7' }] },
    ],
  },
  expressionQuery: { ...expressionQuery, range: { offset: 0, limit: 20 } },
  select: {
    ...expressionQuery,
    select: [{ name: 'title', expression: { source: '#b.title' } }],
    range: { limit: 20 },
    after: '',
    values: 'typed',
  },
  count: expressionQuery,
  selectRecords: { ...expressionQuery, range: { limit: 20 }, after: '' },
  queryRecords: structuredQuery,
  explainRecords: { ...expressionQuery, range: { limit: 20 }, after: '' },
  selectAsUser: {
    why: 'Ticket 7: bob misses a book.',
    query: { from: { phyName: 'Book', alias: 'b' }, range: { limit: 20 }, after: '' },
  },
  writeRecords: { operations: [{ op: 'update', objectName: 'Book', data: [{ ...lock, year: 1970 }] }] },
  changeTables: { revision: 7, changes: [{ op: 'renameColumn', table: 'Book', column: 'titel', to: 'title' }] },
  createVersion: { version: '2.0.0', copyOf: '1.0.0', logLevel: 'MONITOR', development: true, strictHandling: true },
};

const answers: Readonly<Record<string, object>> = {
  select: { rows: [{ title: 'Solaris' }], next: null },
  query: { results: [{ Book: [book] }], counter: 1, pageIndex: 1, totalPage: 1 },
  queryRecords: { results: [{ Book: [book] }], counter: 1, pageIndex: 1, totalPage: 1 },
  addData: { results: [written] },
  updateData: { results: [written] },
  deleteData: { results: [written] },
  putData: { results: [{ ...written, outcome: 'updated' }] },
  batch: { results: [{ ...written, objectId: 'Author_7' }, written] },
  anonymousToken: { results: token },
  defineTables: { results: tables },
  describeTables: { results: tables, revision: 7 },
  definitionInfo: { results: { revision: 7, hash: token, historyDays: 90 } },
  changeTables: {
    results: {
      revision: 8,
      tables,
      changes: [{ op: 'renameColumn', table: 'Book', column: 'titel' }],
      versions: ['1.0.0'],
      roles: [],
    },
  },
  defineVersionTables: { results: tables },
  listTables: { results: tables, revision: 7 },
  tableSizes: { results: [{ table: 'Book', rows: 120_000, bytes: 31_000_000 }] },
  explainRecords: {
    results: {
      steps: [
        { action: 'walk', table: 'Book', columns: [], rows: 120_000 },
        { action: 'sort', table: null, columns: [], rows: null },
      ],
      advice: [{ table: 'Book', columns: ['authorId', 'title'] }],
    },
  },
  getStatistics: {
    results: [
      {
        beginTime: '2026-01-31T10:00:00.000+00:00',
        answered: 5_200,
        refused: 3,
        failed: 0,
        p50Ms: 0.5,
        p95Ms: 1,
        p99Ms: 4,
        memoryBytes: 180_000_000,
        delayMs: 12.5,
        commitP50Ms: 1,
        commitP99Ms: 5.66,
        writesWaiting: 6,
        queriesWaiting: 0,
        storageBytes: 64_000_000,
      },
    ],
  },
};

const bare: Readonly<Record<string, object>> = {
  getRecord: { Book: [book] },
  expressionQuery: { b: [book] },
  describeInterface: { openapi: '3.1.0' },
};

interface Described {
  readonly name: string;
  readonly answer: TSchema;
}

/** A body that the operation accepts. */
export function bodyExample({ name, body }: Pick<Described, 'name'> & { readonly body: TSchema | null }): unknown {
  return asks[name] ?? exampleOf(body as TSchema);
}

/** A success as the operation returns it; for an export, one line. */
export function answerExample({ name, answer }: Described): unknown {
  if (bare[name] !== undefined) return bare[name];
  const own = answers[name];
  return own === undefined ? exampleOf(answer) : { errCode: 0, status: 'OK', description: null, ...own };
}

/** A value of the shape, with every member. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  return sampleOf(schema as Shape, name);
}

function sampleOf(shape: Shape, name: string): unknown {
  if (shape.enum !== undefined) return shape.enum[0];
  const sample = Object.hasOwn(samples, name) ? samples[name] : undefined;
  if (sample !== undefined && fits(shape, sample)) return sample;
  const { type, anyOf, properties, patternProperties, items } = shape;
  if (anyOf !== undefined) return sampleOf(anyOf[0] as Shape, name);
  switch (type) {
    case 'object':
      if (properties === undefined) return { Book: sampleOf(Object.values(patternProperties ?? {})[0] ?? {}, '') };
      return Object.fromEntries(
        Object.entries(properties).map(([key, member]) => [key, memberOf(properties, key, member)]),
      );
    case 'array':
      return [sampleOf(items ?? {}, name)];
    case 'integer':
      return shape.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      if (shape.format === 'password') return 'a secret of your own';
      return /time$|^expires$|^from$|^until$/i.test(name) ? time : 'text';
    default:
      return type === 'null' ? null : {};
  }
}

/** A success code needs no description. */
function memberOf(properties: object, name: string, member: Shape): unknown {
  return name === 'description' && 'errCode' in properties && 'status' in properties ? null : sampleOf(member, name);
}

function fits({ type, anyOf }: Shape, sample: unknown): boolean {
  if (anyOf !== undefined) return anyOf.some((one) => fits(one, sample));
  if (type === undefined) return true;
  if (Array.isArray(sample)) return type === 'array';
  return type === (typeof sample === 'number' ? 'integer' : typeof sample);
}

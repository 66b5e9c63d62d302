/** The requests of the examples in docs/reference/operations.md, in the order in which they are sent. */

export interface Step {
  /** Name of the operation. */
  readonly operation: string;
  /** Values of the path by parameter. `{name}` stands for a value that was kept, here and below. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Of its token. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Names for values of the answer: name → path of members and indexes. */
  readonly keep?: Readonly<Record<string, string>>;
  /** The header of the answer that the page shows. */
  readonly showsHeader?: string;
  /** Members of the answer that are too large for a page, or repeat another one. */
  readonly leavesOut?: readonly string[];
}

/** What happens at the identity provider, or on another device, between two requests. */
export type Event = 'alice signs in at the provider' | 'alice signs in on a tablet';

const device = 'phone-of-alice';
const application = { companyId: 1, appId: 'sampleApp', appVersion: '1.0.0' };
const client = 'sample-client';
const provider = { provider: 'idp' };
const book = { objectName: 'Book', objectId: 'Book_1' };
/** Of a change that was interrupted. */
const job = { jobId: '5f0c2a90d7e14b6c8a3f1e2d4b5c6a70' };
const byYear = {
  from: { phyName: 'Book', alias: 'b' },
  where: { expression: { source: '#b.year >= ?', params: ['1960'] } },
};

export const steps: readonly (Step | Event)[] = [
  {
    operation: 'anonymousToken',
    query: { appKey: 'demo-app-key', deviceUDID: device },
    keep: { anonymousToken: 'results' },
  },
  {
    operation: 'registerDevice',
    token: '{anonymousToken}',
    body: { deviceUDID: device, deviceName: "Alice's phone", osType: 'Android' },
  },
  {
    operation: 'authenticate',
    path: provider,
    query: { authToken: '{anonymousToken}', clientId: client },
    headers: { accept: 'application/json' },
    showsHeader: 'location',
  },
  'alice signs in at the provider',
  {
    operation: 'login',
    path: provider,
    token: '{anonymousToken}',
    body: {
      ...application,
      authToken: '{anonymousToken}',
      deviceUDID: device,
      isPush: 'false',
      clientId: client,
      authzCode: '{code}',
      authnState: '{state}',
    },
    keep: { firstToken: 'authInfo.userTokens' },
    leavesOut: ['authInfor'],
  },
  {
    operation: 'refresh',
    token: '{firstToken}',
    keep: { userToken: 'authInfo.userTokens' },
    leavesOut: ['authInfor'],
  },
  {
    operation: 'defineTables',
    token: '{userToken}',
    body: {
      tables: [
        {
          name: 'Book',
          columns: [
            { colName: 'title', type: 'varchar', fieldLength: 200, required: true },
            { colName: 'year', type: 'integer' },
          ],
          indexes: [{ columns: ['year'] }],
        },
      ],
    },
  },
  { operation: 'describeTables', token: '{userToken}', keep: { revision: 'revision' } },
  { operation: 'definitionInfo', token: '{userToken}' },
  {
    operation: 'describeInterface',
    token: '{userToken}',
    leavesOut: ['info', 'servers', 'tags', 'paths', 'components'],
  },
  {
    operation: 'addData',
    token: '{userToken}',
    body: {
      transactionId: '7c0e4f0a-add',
      objectName: 'Book',
      data: [
        { objectId: 'Book_1', title: 'Solaris', year: '1961' },
        { objectId: 'Book_2', title: 'Eden', year: '1959' },
      ],
    },
    keep: { addedAt: 'results.0.serverUpdateTime', otherAddedAt: 'results.1.serverUpdateTime' },
  },
  { operation: 'getRecord', path: book, query: { token: '{userToken}' } },
  {
    operation: 'expressionQuery',
    path: { objectName: 'Book' },
    token: '{userToken}',
    body: { ...byYear, orderBy: [{ column: '#b.year', type: 'ASC' }], range: { offset: '0', limit: '20' } },
  },
  {
    operation: 'select',
    path: { objectName: 'Book' },
    token: '{userToken}',
    body: {
      ...byYear,
      select: [
        { name: 'title', expression: { source: '#b.title' } },
        { name: 'age', expression: { source: '? - #b.year', params: ['2026'] } },
      ],
      orderBy: [{ column: '#b.year', type: 'DESC' }],
      range: { limit: '20' },
      after: '',
    },
  },
  { operation: 'count', path: { objectName: 'Book' }, token: '{userToken}', body: byYear },
  {
    operation: 'query',
    token: '{userToken}',
    body: {
      objectNames: ['Book'],
      returnedObjectNames: ['Book'],
      maxRecord: 20,
      pageIndex: 1,
      condition: {
        whereConditions: [
          { searchConditions: [{ type: 5, tableName: 'Book', columnName: 'year', conditionValue: ['1960'] }] },
        ],
        sortConditions: [{ conditionValue: 1, tableName: 'Book', columnName: 'year' }],
      },
    },
  },
  {
    operation: 'updateData',
    token: '{userToken}',
    body: {
      transactionId: '7c0e4f0a-update',
      objectName: 'Book',
      data: [{ objectId: 'Book_1', serverUpdateTime: '{addedAt}', title: 'Solaris (novel)' }],
    },
  },
  {
    operation: 'putData',
    token: '{userToken}',
    body: {
      transactionId: '7c0e4f0a-put',
      objectName: 'Book',
      data: [
        { objectId: 'Book_2', serverUpdateTime: '{otherAddedAt}', title: 'Eden (novel)' },
        { objectId: 'Book_3', title: 'Fiasco', year: '1986' },
      ],
    },
    keep: { otherPutAt: 'results.0.serverUpdateTime', thirdPutAt: 'results.1.serverUpdateTime' },
  },
  {
    operation: 'batch',
    token: '{userToken}',
    body: {
      transactionId: '7c0e4f0a-batch',
      operations: [
        { op: 'add', objectName: 'Book', data: [{ objectId: 'Book_4', title: 'His Master’s Voice', year: '1968' }] },
        { op: 'delete', objectName: 'Book', data: [{ objectId: 'Book_3', serverUpdateTime: '{thirdPutAt}' }] },
      ],
    },
  },
  {
    operation: 'deleteData',
    token: '{userToken}',
    body: {
      transactionId: '7c0e4f0a-delete',
      objectName: 'Book',
      objectIds: [{ objectId: 'Book_2', serverUpdateTime: '{otherPutAt}' }],
    },
  },
  {
    operation: 'changeTables',
    token: '{userToken}',
    body: {
      revision: '{revision}',
      changes: [
        { op: 'renameColumn', table: 'Book', column: 'title', to: 'name' },
        { op: 'dropColumn', table: 'Book', column: 'year' },
      ],
    },
    leavesOut: ['tables'],
  },
  { operation: 'tablesInBin', token: '{userToken}' },
  { operation: 'tableJob', path: job, token: '{userToken}' },
  { operation: 'cancelTableJob', path: job, token: '{userToken}' },
  { operation: 'getLogLevel', query: { token: '{userToken}' } },
  { operation: 'sendLog', token: '{userToken}', body: { logLevel: 'ERROR', message: 'The list of books is empty.' } },
  { operation: 'listRoles', token: '{userToken}' },
  {
    operation: 'createGroup',
    token: '{userToken}',
    body: { groupName: 'Editors', description: 'Who edits books.', isAddCurrentApp: true },
    keep: { group: 'group.groupId' },
  },
  { operation: 'listGroups', token: '{userToken}' },
  { operation: 'getGroup', path: { id: '{group}' }, token: '{userToken}' },
  {
    operation: 'updateGroup',
    path: { id: '{group}' },
    token: '{userToken}',
    body: { description: 'Who edits books and prices.', revision: 1 },
  },
  {
    operation: 'createUser',
    token: '{userToken}',
    body: {
      account: 'erin',
      email: 'erin@example.com',
      firstName: 'Erin',
      lastName: 'Example',
      password: 'a long and quiet river',
      groupRoleMap: [{ group: { groupId: 1 }, role: { roleId: 5 } }],
    },
    keep: { user: 'user.userId' },
  },
  { operation: 'listUsers', token: '{userToken}', query: { limit: '2' } },
  { operation: 'getUser', path: { id: '{user}' }, token: '{userToken}' },
  { operation: 'updateUser', path: { id: '{user}' }, token: '{userToken}', body: { lastName: 'Evans', revision: 1 } },
  {
    operation: 'localLogin',
    token: '{anonymousToken}',
    body: { ...application, username: 'erin', password: 'a long and quiet river', deviceUDID: device },
    keep: { erinsToken: 'authInfo.userTokens' },
    leavesOut: ['authInfor'],
  },
  { operation: 'logout', token: '{erinsToken}' },
  { operation: 'deleteUser', path: { id: '{user}' }, token: '{userToken}', query: { revision: '2' } },
  { operation: 'deleteGroup', path: { id: '{group}' }, token: '{userToken}', query: { revision: '2' } },
  'alice signs in on a tablet',
  { operation: 'listSessions', token: '{userToken}', keep: { sessionId: 'results.0.id' } },
  { operation: 'endSession', path: { id: '{sessionId}' }, token: '{userToken}' },
  { operation: 'endProviderSession', path: provider, query: { clientId: client }, token: '{userToken}' },
  { operation: 'logoutEverywhere', token: '{userToken}' },
];

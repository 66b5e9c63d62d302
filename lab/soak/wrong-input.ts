/** Typical invalid requests. Each must be refused as the client's fault. */
import { tableName } from '../prove/service.ts';
import { cityTable } from './requests.ts';

export interface WrongRequest {
  readonly path: string;
  /** JSON text, or other bytes. */
  readonly body: string | Buffer;
  /** Instead of the client's own. */
  readonly token?: string;
}

const query = (more: object, table = tableName) => JSON.stringify({ from: { phyName: table, alias: 'i' }, ...more });
const where = (source: string, params: unknown[] = []) => query({ where: { expression: { source, params } } });
const add = (data: unknown, objectName = tableName) => JSON.stringify({ objectName, data });

const queryPath = `/data/query/${tableName}`;
const addPath = '/data/batch/addData';

export const wrongRequests: readonly WrongRequest[] = [
  { path: addPath, body: '{"objectName": "Entry", "data": [' },
  { path: addPath, body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
  { path: addPath, body: '[1, 2, 3]' },
  { path: addPath, body: `${'['.repeat(200)}${']'.repeat(200)}` },
  { path: addPath, body: add([{ count: 'many' }]) },
  { path: addPath, body: add([{ count: '99999999999' }]) },
  { path: addPath, body: add([{ noSuchColumn: '1' }]) },
  { path: addPath, body: add([{ note: 'a\u0000b' }]) },
  { path: addPath, body: add([{ count: '1' }, { family: 'x'.repeat(61) }]) },
  { path: addPath, body: add([{ count: '1' }], 'NoSuchTable') },
  { path: addPath, body: add(Array.from({ length: 1_001 }, () => ({ count: '1' }))) },
  { path: '/data/batch/updateData', body: add([{ objectId: 'nobody', serverUpdateTime: '2020-01-01T00:00:00Z' }]) },
  {
    path: '/data/batch/deleteData',
    body: JSON.stringify({ objectName: tableName, objectIds: [{ objectId: 'nobody' }] }),
  },
  { path: queryPath, body: where("#i.family = 'open") },
  { path: queryPath, body: where('#i.count > ?') },
  { path: queryPath, body: where('#i.count > ?', ['ten']) },
  { path: queryPath, body: where('#x.count > 1') },
  { path: queryPath, body: where(`${'('.repeat(400)}1 = 1${')'.repeat(400)}`) },
  { path: queryPath, body: where("#i.family LIKE ? ESCAPE 'ab'", ['%']) },
  { path: queryPath, body: query({ range: { offset: '-1', limit: '10' } }) },
  { path: queryPath, body: query({}, cityTable) },
  { path: `${queryPath}/count`, body: query({ join: [{ entity: 'Nothing', entityAlias: 'n', type: 'JOIN' }] }) },
  {
    path: '/data/query',
    body: JSON.stringify({ objectNames: [tableName, cityTable], returnedObjectNames: [tableName] }),
  },
  { path: '/logs', body: JSON.stringify({ logLevel: 'LOUD', message: 'x' }) },
  {
    path: '/schemas',
    body: JSON.stringify({ tables: [{ name: tableName, columns: [{ colName: 'count', type: 'text' }] }] }),
  },
  { path: '/no/such/path', body: '{}' },
  { path: queryPath, body: query({}), token: '0'.repeat(64) },
  { path: queryPath, body: query({}), token: 'not a token' },
];

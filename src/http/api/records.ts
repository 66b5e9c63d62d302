/** Records of an application version, as administrators see and change them. */
import { listBrowsableUsers, selectAsUser, tablesOfUser, versionsOfUser } from '../../administration/browsing.ts';
import { explainQuery, queryAllRecords, selectAllRecords } from '../../administration/record-access.ts';
import { writeRecords } from '../../administration/record-writes.ts';
import { findTransaction } from '../../administration/transactions.ts';
import { success, successWith } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { operationOf, weightOf } from './data.ts';
import { pageOf, timesIn } from './lists.ts';
import type { recordOperations } from './records.operations.ts';

export function recordHandlers({ administration, settings }: Services): Handlers<typeof recordOperations> {
  const times = timesIn(settings);
  return {
    selectRecords: async ({ actor, params: { objectName, ...version }, body }) => {
      const { rows, next } = await selectAllRecords(administration, actor, version, objectName, body);
      return successWith('rows', rows, { next });
    },
    queryRecords: async ({ actor, params, body }) => {
      const { results, ...page } = await queryAllRecords(administration, actor, params, body);
      return successWith('results', results, page);
    },
    explainRecords: async ({ actor, params: { objectName, ...version }, body }) =>
      success({ results: await explainQuery(administration, actor, version, objectName, body) }),
    listBrowsableUsers: async ({ actor, params: { companyId }, query }) => {
      const { results, count } = await listBrowsableUsers(administration, actor, companyId, pageOf(query));
      const users = results.map(({ id, account, firstName, lastName, disabled }) => {
        return { id, account, firstName, lastName, disabled };
      });
      return success({ results: users, count });
    },
    listBrowsableVersions: async ({ actor, params: { companyId, userId } }) =>
      success({ results: await versionsOfUser(administration, actor, companyId, userId) }),
    listBrowsableTables: async ({ actor, params: { userId, ...version } }) =>
      success({ results: await tablesOfUser(administration, actor, version, userId) }),
    selectAsUser: async ({ actor, params: { objectName, userId, ...version }, body: { why, query } }) => {
      const {
        rows,
        begun: _,
        ...seen
      } = await selectAsUser(administration, actor, version, { userId, why }, objectName, query);
      return successWith('rows', rows, seen);
    },
    writeRecords: async ({ actor, params, body: { operations, ...rest }, request }) => {
      const batch = { ...rest, operations: operations.map(operationOf), ...weightOf(request) };
      const { transactionId, results } = await writeRecords(administration, actor, params, batch);
      return success({ results: { transactionId, records: results } });
    },
    getTransaction: async ({ actor, params: { transactionId, ...version } }) => {
      const { time, answer, ...found } = await findTransaction(administration, actor, version, transactionId);
      const records = answer.map(({ objectId, created, updated }) => ({
        objectId,
        serverCreateTime: times.responses(created),
        serverUpdateTime: times.responses(updated),
      }));
      return success({ results: { transactionId, writeTime: times.responses(time), ...found, records } });
    },
  };
}

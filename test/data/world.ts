/**
 * The features on records, on separate storage with one table in data space 1, and a caller who may do everything with
 * it.
 */
import type { TestContext } from 'node:test';
import { openSeal } from '../../src/auth/seal.ts';
import type { Caller } from '../../src/caller.ts';
import { type DataContext, dataContext } from '../../src/data/context.ts';
import { systemEnvironment } from '../../src/environment.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { taskScratch } from '../storage/scratch.ts';

export const caller: Caller = {
  kind: 'user',
  companyId: 1,
  appId: 'crm',
  appVersion: '1.0.0',
  spaceId: 1,
  tokenHash: '',
  deviceUdid: '',
  strictHandling: false,
  userId: 1,
  account: 'alice',
  memberships: [],
  groupIds: [1],
  tableRights: null,
};

/** @param watched the storage as the features see it */
export async function dataWorld(
  test: TestContext,
  watched: (storage: Storage) => Storage = (storage) => storage,
): Promise<DataContext> {
  const { storage, settings } = await taskScratch(test);
  return dataContext(watched(storage), settings, systemEnvironment, openSeal(settings, systemEnvironment));
}

/** Reads the log entries that an application's clients sent, for those who manage it. */
import { requireApplication } from '../directory/ownership.ts';
import type { Page } from '../directory/paging.ts';
import { exportLogEntries, type LogRequest, type LogRow, listLogEntries } from '../logs/read.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

/** Newest entries first. @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function readClientLogs(
  deps: Deps<'storage' | 'settings'>,
  _actor: Permitted<'log.read'>,
  companyId: number,
  appId: string,
  request: LogRequest,
): Promise<Page<LogRow>> {
  await requireApplication(deps.storage.directory, companyId, appId);
  return listLogEntries({ db: deps.storage.logs, settings: deps.settings }, companyId, appId, request);
}

/** Every matching entry, oldest first. @throws ServiceError as `readClientLogs`, at once or at the first entry */
export async function exportClientLogs(
  deps: Deps<'storage'>,
  _actor: Permitted<'log.read'>,
  companyId: number,
  appId: string,
  request: Omit<LogRequest, 'offset' | 'limit' | 'sort'>,
): Promise<AsyncGenerator<LogRow, void, undefined>> {
  await requireApplication(deps.storage.directory, companyId, appId);
  return exportLogEntries(deps.storage.logs, companyId, appId, request);
}

/**
 * Quotas of companies: bytes stored, log messages of their clients kept, and requests processed at once. Quotas are
 * read and usage is measured in the background, so that a check costs one look-up in a Map, which is empty where no
 * company has a quota. Usage may therefore exceed a quota by what is written between measurements.
 */
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';

export interface CompanyQuotas {
  /** Why the company may not store more at present; null when it may. */
  storageRefusal(companyId: number): ServiceError | null;
  /** Counts a log entry that is about to be written. @throws ServiceError `tooMany` */
  takeLogEntry(companyId: number): void;
  /**
   * Counts a request of this process if requests are limited; call the result when it has ended.
   * @throws ServiceError `tooMany`
   */
  beginRequest(companyId: number): (() => void) | null;
  /** Reads the quotas and measures usage. */
  measure(): Promise<void>;
  /** Ends the background work. */
  close(): Promise<void>;
}

export interface QuotaDeps {
  readonly storage: Pick<Storage, 'directory' | 'logs' | 'spaces'>;
  readonly settings: Pick<Settings, 'quotaEveryMs'>;
  readonly log: Pick<Logger, 'warn'>;
}

interface Use {
  storageBytesMax: number | null;
  logEntriesMax: number | null;
  requestsAtOnceMax: number | null;
  storageBytes: number;
  logEntries: number;
  requests: number;
}

export function openQuotas({ storage, settings, log }: QuotaDeps): CompanyQuotas {
  const { directory, logs, spaces } = storage;
  /** Companies that have a quota. */
  const uses = new Map<number, Use>();
  let measuring = Promise.resolve();
  let isClosed = false;

  async function readQuotas(): Promise<void> {
    const rows = await directory.read(
      directory.build
        .selectFrom('company')
        .select(['id', 'storage_bytes_max', 'log_entries_max', 'requests_at_once_max'])
        .where((company) =>
          company.or([
            company('storage_bytes_max', 'is not', null),
            company('log_entries_max', 'is not', null),
            company('requests_at_once_max', 'is not', null),
          ]),
        ),
    );
    const present = new Set(rows.map(({ id }) => id));
    for (const id of uses.keys()) if (!present.has(id)) uses.delete(id);
    for (const row of rows) {
      const use = uses.get(row.id) ?? { storageBytes: 0, logEntries: 0, requests: 0 };
      const quotas = {
        storageBytesMax: row.storage_bytes_max,
        logEntriesMax: row.log_entries_max,
        requestsAtOnceMax: row.requests_at_once_max,
      };
      // The same object: requests under way refer to it.
      uses.set(row.id, Object.assign(use, quotas));
    }
  }

  async function storedBytes(companyId: number): Promise<number> {
    const own = directory.build.selectFrom('data_space').select('id').where('company_id', '=', companyId);
    let bytes = 0;
    for (const { id } of await directory.read(own)) bytes += isClosed ? 0 : await spaces.size(id);
    return bytes;
  }

  /** Stops counting at the quota. */
  async function keptEntries(companyId: number, max: number): Promise<number> {
    const own = logs.build.selectFrom('entry').select('company_id').where('company_id', '=', companyId).limit(max);
    const [row] = await logs.read(
      logs.build.selectFrom(own.as('own')).select((own) => own.fn.countAll<number>().as('count')),
    );
    return Number(row?.count ?? 0);
  }

  async function measureAll(): Promise<void> {
    try {
      await readQuotas();
      for (const [companyId, use] of uses) {
        if (isClosed) return;
        if (use.storageBytesMax !== null) use.storageBytes = await storedBytes(companyId);
        if (use.logEntriesMax !== null) use.logEntries = await keptEntries(companyId, use.logEntriesMax);
      }
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'The quota usage of companies could not be measured.');
    }
  }

  function measure(): Promise<void> {
    measuring = measuring.then(measureAll);
    return measuring;
  }

  /** Time until the next measurement, at most. */
  const laterSeconds = Math.ceil(settings.quotaEveryMs / 1_000);
  const timer = setInterval(() => void measure(), settings.quotaEveryMs).unref();
  void measure();
  return {
    measure,
    storageRefusal(companyId) {
      const use = uses.get(companyId);
      if (use === undefined || use.storageBytesMax === null || use.storageBytes < use.storageBytesMax) return null;
      return new ServiceError(
        131,
        `The company's data take ${use.storageBytes} bytes, and it may store ${use.storageBytesMax}. Records can be deleted and read, but not added or changed, until space is free.`,
        { status: 403, retryAfterSeconds: laterSeconds },
      );
    },
    takeLogEntry(companyId) {
      const use = uses.get(companyId);
      if (use === undefined || use.logEntriesMax === null) return;
      if (use.logEntries >= use.logEntriesMax) {
        throw new ServiceError('tooMany', `The company has reached its limit of ${use.logEntriesMax} log messages.`, {
          retryAfterSeconds: laterSeconds,
        });
      }
      use.logEntries++;
    },
    beginRequest(companyId) {
      const use = uses.get(companyId);
      if (use === undefined || use.requestsAtOnceMax === null) return null;
      if (use.requests >= use.requestsAtOnceMax) {
        throw new ServiceError(
          'tooMany',
          `The company has reached its limit of ${use.requestsAtOnceMax} simultaneous requests. Try again.`,
          { retryAfterSeconds: 1 },
        );
      }
      use.requests++;
      return () => {
        use.requests--;
      };
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      return measuring;
    },
  };
}

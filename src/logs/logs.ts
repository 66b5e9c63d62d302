/**
 * Client log entries (docs/reference/logs.md#stored-entries): an entry answered with OK is stored durably, apart from
 * the data.
 */
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';

const logLevels = ['ERROR', 'MONITOR'] as const;
export type ClientLogLevel = (typeof logLevels)[number];

export interface LogEntry {
  /** `ERROR` or `MONITOR`, in any case. */
  readonly logLevel: string;
  readonly message?: string;
}

export interface Logs {
  /** Keeps the entry, whatever log level is set for the version. */
  write(caller: Caller, entry: LogEntry): Promise<void>;
}

export function openLogs(
  storage: Pick<Storage, 'logs'>,
  settings: Pick<Settings, 'logMessageBytesMax'>,
  environment: Environment,
): Logs {
  const { logs } = storage;
  return {
    async write(caller, { logLevel, message = '' }) {
      const level = logLevel.toUpperCase();
      if (!logLevels.includes(level as ClientLogLevel)) {
        throw malformed('logLevel', `expected "ERROR" or "MONITOR", got ${quoted(logLevel)}.`);
      }
      const bytes = Buffer.byteLength(message);
      if (bytes > settings.logMessageBytesMax) {
        const limit = `${settings.logMessageBytesMax} (setting logMessageBytesMax)`;
        throw malformed('message', `expected at most ${limit} bytes, got ${bytes}.`);
      }
      const entry = {
        time: environment.now(),
        company_id: caller.companyId,
        app_id: caller.appId,
        version: caller.appVersion,
        user_id: caller.userId,
        device_udid: caller.deviceUdid,
        level,
        message,
      };
      await logs.write([logs.build.insertInto('entry').values(entry)]);
    },
  };
}

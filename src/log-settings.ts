/** Settings of the service's own log. */
import { choice, limit } from './setting.ts';

export const logSettings = {
  logLevel: choice('info', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], "Level of the service's own log."),
  logQueuedBytesMax: limit(
    4 * 1_024 * 1_024,
    'bytes',
    1_024 * 1_024 * 1_024,
    'Log lines that wait while the standard output is blocked, for example by a full disk; further ones are lost and counted.',
  ),
};

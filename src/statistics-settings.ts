/** Settings of the statistics on how the service fares. */
import { limit, minuteMs, type Setting, whole } from './setting.ts';

export const statisticsSettings = {
  statisticsEveryMs: whole(
    minuteMs,
    'milliseconds',
    10,
    15 * minuteMs,
    'How often a process writes down what it has done, for the statistics.',
  ),
  statisticsRowsMax: limit(
    5_000,
    'rows',
    1_000_000,
    'Rows of statistics that are kept of an hour, a day and a month each; the oldest ones go first. A process writes at most 60, 96 and 124.',
  ),
  storageSizeEveryMs: whole(
    15 * minuteMs,
    'milliseconds',
    10,
    1_440 * minuteMs,
    'How often a process measures how much space the storage takes, for the statistics.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

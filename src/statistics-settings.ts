/** Settings of the service's statistics. */
import { limit, minuteMs, type Setting, whole } from './setting.ts';

export const statisticsSettings = {
  statisticsEveryMs: whole(minuteMs, 'milliseconds', 10, 15 * minuteMs, 'How often a process stores its statistics.'),
  statisticsRowsMax: limit(
    5_000,
    'rows',
    1_000_000,
    'Rows of statistics kept for the hour, the day and the month each; the oldest are deleted first. A process writes at most 60, 96 and 124.',
  ),
  joinsMax: limit(
    200,
    'joins',
    10_000,
    'Joins of two columns that are counted for each version and day, for the picture of its tables; beyond it, the least frequent ones are dropped.',
  ),
  storageSizeEveryMs: whole(
    15 * minuteMs,
    'milliseconds',
    10,
    1_440 * minuteMs,
    'How often a process measures the space that the storage takes, for the statistics.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

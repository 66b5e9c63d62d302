/** Statistics on load and durations. */
import type { Durations } from '../../durations.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { timesIn } from './lists.ts';
import type { statisticsOperations } from './statistics.operations.ts';

export function statisticsHandlers({ statistics, settings }: Services): Handlers<typeof statisticsOperations> {
  const times = timesIn(settings);
  return {
    getStatistics: async ({ query: { span = 'hour' } }) => {
      const steps = await statistics.read(span);
      const results = steps.map(({ time, counts: { answers, commits, delayMs, ...counts } }) => ({
        beginTime: times.responses(time),
        ...counts,
        p50Ms: msOf(answers, 0.5),
        p95Ms: msOf(answers, 0.95),
        p99Ms: msOf(answers, 0.99),
        delayMs: delayMs === null ? null : Math.round(delayMs * 10) / 10,
        commitP50Ms: msOf(commits, 0.5),
        commitP99Ms: msOf(commits, 0.99),
      }));
      return success({ results });
    },
  };
}

/** Rounded to two decimal places. */
function msOf(durations: Durations, share: number): number | null {
  const ms = durations.atMost(share);
  return ms === null ? null : Math.ceil(ms * 100) / 100;
}

/** How the service fares. */
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { timesIn } from './lists.ts';
import type { statisticsOperations } from './statistics.operations.ts';

export function statisticsHandlers({ statistics, settings }: Services): Handlers<typeof statisticsOperations> {
  const times = timesIn(settings);
  return {
    getStatistics: async ({ query: { span = 'hour' } }) => {
      const steps = statistics.read(span);
      const results = steps.map(({ time, memory, delayMs, ...step }) => ({
        beginTime: times.responses(time),
        ...step,
        memoryBytes: memory,
        delayMs: Math.round(delayMs * 10) / 10,
      }));
      return success({ results });
    },
  };
}

/** How the service fares. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import { choice, oneOf, optional, orNull, time, whole } from '../../operations/shapes.ts';

const duration = (share: string) =>
  orNull(Type.Number(), `Milliseconds that ${share} of the answers took at most, rounded up to a step; null for none.`);

export const statisticsOperations = administrationOperations({ tag: 'statistics' })({
  getStatistics: {
    method: 'GET',
    path: '/statistics',
    summary: 'What the answering process has done since it began: answers, refusals, faults, times, memory',
    permission: 'statistics.read',
    query: Type.Object({
      span: optional(choice(['hour', 'day', 'month'], 'Of each minute, 15 minutes, or 6 hours; an hour unless sent.')),
    }),
    answer: oneOf(
      Type.Array(
        Type.Object({
          beginTime: time('When the step began.'),
          answered: whole('Answers of operations.'),
          refused: whole('Refusals, of requests that were wrong or came while the service was busy.'),
          failed: whole('Faults of the service, or of what it depends on: status 500.'),
          p50Ms: duration('half'),
          p95Ms: duration('95 %'),
          p99Ms: duration('99 %'),
          memoryBytes: whole('Memory of the process at the end of the step.'),
          delayMs: Type.Number({ description: 'How long work waited for its turn on the main thread, at most.' }),
        }),
        { description: 'Oldest first; the last step is under way.' },
      ),
    ),
  },
});

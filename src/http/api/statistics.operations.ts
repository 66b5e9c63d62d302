/** Statistics on load and durations. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import { choice, oneOf, optional, orNull, orNullWhole, time, whole } from '../../operations/shapes.ts';

const duration = (share: string, what: string) =>
  orNull(
    Type.Number(),
    `Milliseconds that ${share} of the ${what} took at most, rounded up to a step; null if there were none.`,
  );

export const statisticsOperations = administrationOperations({ tag: 'statistics' })({
  getStatistics: {
    method: 'GET',
    path: '/statistics',
    summary:
      'Statistics of all processes of the service: answers, refusals, faults, times, memory, commits, queues, storage',
    permission: 'statistics.read',
    query: Type.Object({
      span: optional(
        choice(
          ['hour', 'day', 'month'],
          'The last hour by minutes (default), the last day by 15 minutes, or the last month by 6 hours.',
        ),
      ),
    }),
    answer: oneOf(
      Type.Array(
        Type.Object({
          beginTime: time('When the step began.'),
          answered: whole('Answers of operations.'),
          refused: whole('Refusals of requests that were invalid or came while the service was busy.'),
          failed: whole('Faults of the service or its dependencies: status 500.'),
          p50Ms: duration('half', 'answers'),
          p95Ms: duration('95 %', 'answers'),
          p99Ms: duration('99 %', 'answers'),
          memoryBytes: orNullWhole('Largest memory use of a process.'),
          delayMs: orNull(Type.Number(), 'Longest delay of work on the main thread of a process.'),
          commitP50Ms: duration('half', 'group commits of records'),
          commitP99Ms: duration('99 %', 'group commits of records'),
          writesWaiting: orNullWhole('Largest number of waiting writes in a process.'),
          queriesWaiting: orNullWhole('Largest number of waiting queries in a process.'),
          storageBytes: orNullWhole('Disk space of the storage; null if it was not measured.'),
        }),
        {
          description:
            'Steps, the oldest first, without those in which no process ran; the last one is incomplete: processes add to it once a minute (setting `statisticsEveryMs`).',
        },
      ),
    ),
  },
});

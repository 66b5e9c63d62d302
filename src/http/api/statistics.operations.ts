/** How the service fares. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import { choice, oneOf, optional, orNull, orNullWhole, time, whole } from '../../operations/shapes.ts';

const duration = (share: string, what: string) =>
  orNull(Type.Number(), `Milliseconds that ${share} of the ${what} took at most, rounded up to a step; null for none.`);

export const statisticsOperations = administrationOperations({ tag: 'statistics' })({
  getStatistics: {
    method: 'GET',
    path: '/statistics',
    summary:
      'What all processes of the service did: answers, refusals, faults, times, memory, commits, queues, storage',
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
          p50Ms: duration('half', 'answers'),
          p95Ms: duration('95 %', 'answers'),
          p99Ms: duration('99 %', 'answers'),
          memoryBytes: orNullWhole('Memory that one process took, at most.'),
          delayMs: orNull(Type.Number(), 'How long work waited for its turn on the main thread of a process, at most.'),
          commitP50Ms: duration('half', 'group commits of records'),
          commitP99Ms: duration('99 %', 'group commits of records'),
          writesWaiting: orNullWhole('Writes that waited for their turn at once, in one process, at most.'),
          queriesWaiting: orNullWhole('Queries that waited for their turn at once, in one process, at most.'),
          storageBytes: orNullWhole('Space that the storage took on disks; null where it was not measured.'),
        }),
        {
          description:
            'Oldest first, without those in which no process ran; the last one is under way, and other processes add to it once a minute (setting `statisticsEveryMs`).',
        },
      ),
    ),
  },
});

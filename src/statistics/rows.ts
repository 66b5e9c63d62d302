/**
 * The rows of statistics, stored with the client logs: one for each step of a span and each process, which alone writes
 * it. So instances do not wait for each other, and their counts are added up when read.
 */
import type { Storage, WriteStatement } from '../storage/contract.ts';
import { TimeSlice } from '../time-slices.ts';
import { type Counts, countsText, readCounts } from './counts.ts';
import { beginOf, type Span, spans } from './spans.ts';

type Logs = Storage['logs'];

export interface Step {
  readonly span: Span;
  /** The start of the step, milliseconds. */
  readonly time: number;
  readonly counts: Counts;
}

/** Replaces the row that the process wrote before. */
export function putStep({ build }: Logs, processId: string, { span, time, counts }: Step): WriteStatement {
  return build
    .insertInto('service_step')
    .values({ minutes: spans[span].minutes, time, process: processId, counts: countsText(counts) })
    .onConflict((conflict) =>
      conflict.columns(['minutes', 'time', 'process']).doUpdateSet((row) => ({ counts: row.ref('excluded.counts') })),
    );
}

/** Deletes rows that are too old, and the oldest if there are too many. */
export function forgetSteps({ build }: Logs, span: Span, now: number, rowsMax: number): readonly WriteStatement[] {
  const { minutes } = spans[span];
  const own = build.selectFrom('service_step').select('time').where('minutes', '=', minutes);
  const firstTooMany = own.orderBy('time', 'desc').limit(1).offset(rowsMax);
  const steps = build.deleteFrom('service_step').where('minutes', '=', minutes);
  return [steps.where('time', '<', beginOf(span, now)), steps.where('time', '<=', firstTooMany)];
}

/** Every row of the span, oldest step first. */
export async function readSteps(
  logs: Logs,
  span: Span,
  now: number,
): Promise<readonly (Step & { readonly processId: string })[]> {
  const rows = await logs.read(
    logs.build
      .selectFrom('service_step')
      .select(['time', 'process', 'counts'])
      .where('minutes', '=', spans[span].minutes)
      .where('time', '>=', beginOf(span, now))
      .orderBy('time'),
  );
  const slice = new TimeSlice();
  const steps = [];
  for (const { time, process: processId, counts } of rows) {
    if (slice.isOver) await slice.next();
    steps.push({ span, time, processId, counts: readCounts(counts) });
  }
  return steps;
}

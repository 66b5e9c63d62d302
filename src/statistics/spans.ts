/** The spans for which statistics are kept, and the steps of each. */
import { minuteMs } from '../setting.ts';

/** The number of steps, and the minutes of each. */
export const spans = {
  hour: { minutes: 1, steps: 60 },
  day: { minutes: 15, steps: 96 },
  month: { minutes: 360, steps: 124 },
} as const;
export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as readonly Span[];

/** The start of the step that contains a time. */
export function stepAt(span: Span, time: number): number {
  const lengthMs = spans[span].minutes * minuteMs;
  return Math.floor(time / lengthMs) * lengthMs;
}

/** The start of the span's oldest step at present. */
export function beginOf(span: Span, now: number): number {
  const { minutes, steps } = spans[span];
  return stepAt(span, now) - (steps - 1) * minutes * minuteMs;
}

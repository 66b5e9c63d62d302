/** The spans that statistics are kept for, and the steps of each. */
import { minuteMs } from '../setting.ts';

/** So many steps of so many minutes. */
export const spans = {
  hour: { minutes: 1, steps: 60 },
  day: { minutes: 15, steps: 96 },
  month: { minutes: 360, steps: 124 },
} as const;
export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as readonly Span[];

/** When the step of the span began that a time is in. */
export function stepAt(span: Span, time: number): number {
  const lengthMs = spans[span].minutes * minuteMs;
  return Math.floor(time / lengthMs) * lengthMs;
}

/** When the oldest step began that belongs to the span now. */
export function beginOf(span: Span, now: number): number {
  const { minutes, steps } = spans[span];
  return stepAt(span, now) - (steps - 1) * minutes * minuteMs;
}

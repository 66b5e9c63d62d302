/** Settings of an orderly stop: part of those in `safety-settings.ts`. */
import { type Setting, secondMs, time, whole } from './setting.ts';

const longestMs = 3_600 * secondMs;

export const stopSettings = {
  stopNoticeMs: whole(
    0,
    'milliseconds',
    0,
    longestMs,
    'How long the service keeps answering after the signal to stop, while /readyz answers 503 so that load balancers send nothing more.',
  ),
  stopIdleMs: whole(
    500,
    'milliseconds',
    0,
    longestMs,
    'How long a connection without a request stays open when the service stops, for a request in transit.',
  ),
  stopTimeMs: time(
    10 * secondMs,
    'How long running requests may take to complete when the service stops, after the notice.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

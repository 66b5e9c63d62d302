/** The service's statistics for screens: its measures, and a card with a small chart for each. */
import { useEffect } from 'preact/hooks';
import { call, type Results } from './api.ts';
import { type Asked, useAsked } from './components/asked.ts';
import { Chart } from './components/chart.ts';
import type { VNode } from './h.ts';
import { h } from './h.ts';
import { language, words } from './preferences.ts';

export type Step = Results<'GET /statistics'>[number];

/** The number of steps, and the minutes of each. */
export const spans = {
  hour: { steps: 60, minutes: 1 },
  day: { steps: 96, minutes: 15 },
  month: { steps: 124, minutes: 360 },
} as const;
export type Span = keyof typeof spans;

const againMs = 15_000;

/** Requested again regularly while the page is visible. */
export function useSteps(span: Span): Asked<readonly Step[]> {
  const steps = useAsked(
    async (signal) => (await call('GET /statistics', { query: { span } }, signal)).results,
    [span],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || steps.again(), againMs);
    return () => clearInterval(timer);
  }, [steps.again]);
  return steps;
}

const mebibyte = 2 ** 20;
const inMebibytes = (bytes: number | null) => (bytes === null ? null : bytes / mebibyte);

export type MeasureName = Exclude<keyof Step, 'beginTime'>;

/** The measures in display order; null without a measurement. */
export const measures: Readonly<Record<MeasureName, (step: Step) => number | null>> = {
  answered: ({ answered }) => answered,
  refused: ({ refused }) => refused,
  failed: ({ failed }) => failed,
  p50Ms: ({ p50Ms }) => p50Ms,
  p95Ms: ({ p95Ms }) => p95Ms,
  p99Ms: ({ p99Ms }) => p99Ms,
  commitP50Ms: ({ commitP50Ms }) => commitP50Ms,
  commitP99Ms: ({ commitP99Ms }) => commitP99Ms,
  writesWaiting: ({ writesWaiting }) => writesWaiting,
  queriesWaiting: ({ queriesWaiting }) => queriesWaiting,
  delayMs: ({ delayMs }) => delayMs,
  memoryBytes: ({ memoryBytes }) => inMebibytes(memoryBytes),
  storageBytes: ({ storageBytes }) => inMebibytes(storageBytes),
};

/** The measure over the span; steps in which no process ran leave a gap. */
export function MeasureCard({ name, steps, span }: { name: MeasureName; steps: readonly Step[]; span: Span }): VNode {
  const texts = words().health;
  const of = measures[name];
  const known = steps.map(of).filter((value) => value !== null);
  const last = steps.length === 0 ? null : of(steps.at(-1) as Step);
  const highest = written(known.length === 0 ? null : Math.max(...known));
  return h(
    'section',
    { class: 'card' },
    h('h2', null, texts.measures[name]),
    h(Chart, {
      label: `${texts.measures[name]}. ${texts.last}: ${written(last)}, ${texts.highest}: ${highest}`,
      values: placed(steps, span).map((step) => step && of(step)),
      isOfFaults: name === 'failed',
    }),
    h(
      'p',
      { class: 'quiet' },
      h('span', { class: 'figure' }, written(last)),
      ` ${texts.last}, ${texts.highest} ${highest}`,
    ),
  );
}

/** The steps at their positions in the span, which ends with the last one. */
function placed(steps: readonly Step[], span: Span): readonly (Step | null)[] {
  const { steps: count, minutes } = spans[span];
  const places: (Step | null)[] = Array(count).fill(null);
  const latest = Date.parse(steps.at(-1)?.beginTime ?? '');
  for (const step of steps) {
    const back = Math.round((latest - Date.parse(step.beginTime)) / (minutes * 60_000));
    if (back < count) places[count - 1 - back] = step;
  }
  return places;
}

export function written(value: number | null): string {
  if (value === null) return '–';
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: value < 10 ? 2 : 0 }).format(value);
}

/** How the service fares: answers, refusals, faults, times and memory, over an hour, a day or a month. */
import { useEffect } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Note, Screen } from '../components/basics.ts';
import { Chart } from '../components/chart.ts';
import { SelectField } from '../components/fields.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { language, words } from '../preferences.ts';
import { changeQuery, type Place } from '../route.ts';

type Steps = Results<'GET /statistics'>;
type Step = Steps[number];
type Span = 'hour' | 'day' | 'month';

const stepsOf: Readonly<Record<Span, number>> = { hour: 60, day: 96, month: 124 };
const againMs = 15_000;

export default function Health({ place }: { place: Place }): VNode {
  const texts = words().health;
  const span = (Object.keys(stepsOf) as Span[]).find((each) => each === place.query.span) ?? 'hour';
  const steps = useAsked(
    async (signal) => (await call('GET /statistics', { query: { span } }, signal)).results,
    [span],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || steps.again(), againMs);
    return () => clearInterval(timer);
  }, [steps.again]);
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(
      'div',
      { class: 'toolbar' },
      h(SelectField<Span>, {
        label: texts.span,
        value: span,
        options: (Object.keys(stepsOf) as Span[]).map((each) => [each, texts.spans[each]] as const),
        onChange: (chosen) => changeQuery({ span: chosen }),
      }),
    ),
    h(Shown<Steps>, { asked: steps, children: (found) => h(Charts, { steps: found, span }) }),
  );
}

const mebibyte = 2 ** 20;

function Charts({ steps, span }: { steps: Steps; span: Span }): VNode {
  const texts = words().health;
  const failed = steps.reduce((sum, step) => sum + step.failed, 0);
  const charts: readonly (readonly [string, (step: Step) => number])[] = [
    [texts.answered, ({ answered }) => answered],
    [texts.refused, ({ refused }) => refused],
    [texts.failed, (step) => step.failed],
    [texts.duration, ({ p95Ms }) => p95Ms ?? 0],
    [texts.memory, ({ memoryBytes }) => memoryBytes / mebibyte],
    [texts.delay, ({ delayMs }) => delayMs],
  ];
  return h(
    'div',
    { class: 'form' },
    h(Note, { tone: failed === 0 ? 'good' : 'wrong' }, failed === 0 ? texts.noFaults : texts.faults(failed)),
    h(
      'div',
      { class: 'cards' },
      charts.map(([name, of]) =>
        h(Card, { key: name, name, values: steps.map(of), span, isOfFaults: name === texts.failed }),
      ),
    ),
    h(Numbers, { steps, charts }),
  );
}

function Card({
  name,
  values,
  span,
  isOfFaults,
}: {
  name: string;
  values: readonly number[];
  span: Span;
  isOfFaults: boolean;
}): VNode {
  const texts = words().health;
  const [last, highest] = [written(values.at(-1) ?? 0), written(Math.max(...values))];
  const told = `${texts.last}: ${last}, ${texts.highest}: ${highest}`;
  return h(
    'section',
    { class: 'card' },
    h('h2', null, name),
    h(Chart, { label: `${name}. ${told}`, values, steps: stepsOf[span], isOfFaults }),
    h('p', { class: 'quiet' }, h('span', { class: 'figure' }, last), ` ${texts.last}, ${texts.highest} ${highest}`),
  );
}

function Numbers({
  steps,
  charts,
}: {
  steps: Steps;
  charts: readonly (readonly [string, (step: Step) => number])[];
}): VNode {
  const texts = words().health;
  const time = new Intl.DateTimeFormat(language.value, { dateStyle: 'short', timeStyle: 'short' });
  return h(
    'details',
    null,
    h('summary', null, texts.asTable),
    h(
      FramedTable,
      { label: texts.asTable, head: [texts.time, ...charts.map(([name]) => name)] },
      [...steps].reverse().map((step) =>
        h(
          'tr',
          { key: step.beginTime },
          h('th', { scope: 'row' }, time.format(new Date(step.beginTime))),
          charts.map(([name, of]) => h('td', { class: 'number', key: name }, written(of(step)))),
        ),
      ),
    ),
  );
}

function written(value: number): string {
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: value < 10 ? 2 : 0 }).format(value);
}

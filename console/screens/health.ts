/** The service's statistics over an hour, a day or a month: charts, and the numbers as a table. */
import { Shown } from '../components/asked.ts';
import { Note, Screen } from '../components/basics.ts';
import { SelectField } from '../components/fields.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { MeasureCard, type MeasureName, measures, type Span, type Step, spans, useSteps, written } from '../health.ts';
import { language, words } from '../preferences.ts';
import { changeQuery, type Place } from '../route.ts';

const names = Object.keys(measures) as MeasureName[];
/** Measures shown only in the table. */
const uncharted: readonly MeasureName[] = ['p50Ms', 'p99Ms', 'commitP50Ms'];

export default function Health({ place }: { place: Place }): VNode {
  const texts = words().health;
  const all = Object.keys(spans) as Span[];
  const span = all.find((each) => each === place.query.span) ?? 'hour';
  const steps = useSteps(span);
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(
      'div',
      { class: 'toolbar' },
      h(SelectField<Span>, {
        label: texts.span,
        value: span,
        options: all.map((each) => [each, texts.spans[each]] as const),
        onChange: (chosen) => changeQuery({ span: chosen }),
      }),
    ),
    h(Shown<readonly Step[]>, { asked: steps, children: (found) => h(Charts, { steps: found, span }) }),
  );
}

function Charts({ steps, span }: { steps: readonly Step[]; span: Span }): VNode {
  const charted = names.filter((name) => !uncharted.includes(name));
  return h(
    'div',
    { class: 'form' },
    h(Faults, { steps }),
    h(
      'div',
      { class: 'cards' },
      charted.map((name) => h(MeasureCard, { key: name, name, steps, span })),
    ),
    h(Numbers, { steps }),
  );
}

function Faults({ steps }: { steps: readonly Step[] }): VNode {
  const texts = words().health;
  const failed = steps.reduce((sum, step) => sum + step.failed, 0);
  return h(Note, { tone: failed === 0 ? 'good' : 'wrong' }, failed === 0 ? texts.noFaults : texts.faults(failed));
}

function Numbers({ steps }: { steps: readonly Step[] }): VNode {
  const texts = words().health;
  const time = new Intl.DateTimeFormat(language.value, { dateStyle: 'short', timeStyle: 'short' });
  return h(
    'details',
    null,
    h('summary', null, texts.asTable),
    h(
      FramedTable,
      { label: texts.asTable, head: [texts.time, ...names.map((name) => texts.measures[name])] },
      [...steps].reverse().map((step) =>
        h(
          'tr',
          { key: step.beginTime },
          h('th', { scope: 'row' }, time.format(new Date(step.beginTime))),
          names.map((name) => h('td', { class: 'number', key: name }, written(measures[name](step)))),
        ),
      ),
    ),
  );
}

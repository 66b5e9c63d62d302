/**
 * Home: the set-up steps of the chosen company, or the list of companies, and the service's statistics for those who
 * may see them.
 */
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Empty, LinkButton, Screen } from '../components/basics.ts';
import { Icon } from '../components/icon.ts';
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { MeasureCard, type MeasureName, type Step, useSteps } from '../health.ts';
import { words } from '../preferences.ts';
import { linkTo, nowhere, type Place } from '../route.ts';
import { may } from '../session.ts';

type Steps = Results<'GET /companies/:companyId/first-steps'>;
type StepName = Exclude<keyof Steps, 'appId' | 'version'>;
type Companies = Results<'GET /companies'>;

export default function Home({ place: { companyId } }: { place: Place }): VNode {
  const texts = words().home;
  return h(
    Screen,
    { title: texts.title, what: companyId === null ? texts.what : texts.whatCompany },
    h(
      'div',
      { class: 'form' },
      companyId === null ? h(NewestCompanies, {}) : h(FirstSteps, { companyId }),
      may.value('statistics.read') && h(HealthAtAGlance, {}),
    ),
  );
}

const companiesMax = 5;

function NewestCompanies(): VNode {
  const texts = words().home;
  const query = { limit: companiesMax, sort: '-created' };
  const newest = useAsked(async (signal) => (await call('GET /companies', { query }, signal)).results, []);
  const add = h(LinkButton, { href: linkTo({ screen: 'companies', item: '+' }), kind: 'main' }, words().companies.add);
  return h(Shown<Companies>, {
    asked: newest,
    children: (companies) =>
      companies.length === 0
        ? h(Empty, { title: words().companies.none }, h('p', null, words().companies.noneAdvice), add)
        : h(
            'section',
            { class: 'card' },
            h('h2', null, texts.newest),
            h(
              'ul',
              { class: 'steps' },
              companies.map(({ id, name }) =>
                h('li', { key: id, class: 'step' }, h('a', { href: linkTo({ ...nowhere, companyId: id }) }, name)),
              ),
            ),
            h('p', { class: 'quiet' }, texts.find),
          ),
  });
}

/** In the order in which to do them. */
const order: readonly StepName[] = ['application', 'provider', 'table', 'signIn', 'record'];

function FirstSteps({ companyId }: { companyId: number }): VNode {
  const texts = words().home;
  const asked = useAsked(
    async (signal) => (await call('GET /companies/:companyId/first-steps', { params: { companyId } }, signal)).results,
    [companyId],
  );
  return h(Shown<Steps>, {
    asked,
    children: (found) => {
      const next = order.find((name) => !found[name]);
      return h(
        'section',
        { class: 'card' },
        h('h2', null, next === undefined ? texts.allDone : texts.firstSteps),
        h(
          'ol',
          { class: 'steps' },
          order.map((name) => h(StepItem, { key: name, name, found, isNext: name === next })),
        ),
      );
    },
  });
}

function StepItem({ name, found, isNext }: { name: StepName; found: Steps; isNext: boolean }): VNode {
  const texts = words().home;
  const { title, advice, action } = texts.steps[name];
  const isDone = found[name];
  const way = wayTo(name, found);
  return h(
    'li',
    { class: classes('step', isDone && 'done') },
    h('span', { class: 'sign' }, isDone && h(Icon, { name: 'check' })),
    h(
      'div',
      null,
      h('strong', null, isDone && way !== null ? h('a', { href: way }, title) : title),
      ` – ${isDone ? texts.done : texts.open}`,
      !isDone && h('p', null, advice),
    ),
    !isDone && way !== null && h(LinkButton, { href: way, ...(isNext && { kind: 'main' as const }) }, action),
  );
}

/** The screen where an open step is done, or where the result of a completed one is shown; null if another step comes first. */
function wayTo(name: StepName, found: Steps): string | null {
  const { appId, version } = found;
  const item = found[name] ? null : '+';
  if (name === 'application') return linkTo({ appId: null, version: null, screen: 'applications', item });
  if (name === 'signIn' && found.signIn) return linkTo({ appId: null, version: null, screen: 'sessions' });
  if (name === 'signIn') return '../docs/how-to/set-up-a-company';
  if (appId === null) return null;
  if (name === 'provider') return linkTo({ appId, version: null, screen: 'providers', item });
  if (version === null) return linkTo({ appId, version: null, screen: 'versions', item: '+' });
  return linkTo({ appId, version, screen: name === 'table' ? 'tables' : 'records' });
}

/** Of the last hour. */
const glance: readonly MeasureName[] = [
  'answered',
  'failed',
  'p95Ms',
  'commitP99Ms',
  'writesWaiting',
  'queriesWaiting',
  'storageBytes',
];

function HealthAtAGlance(): VNode {
  const texts = words().home;
  const asked = useSteps('hour');
  return h(
    'section',
    { class: 'form' },
    h('h2', null, h('a', { href: linkTo({ ...nowhere, screen: 'health' }) }, texts.health)),
    h(Shown<readonly Step[]>, {
      asked,
      children: (steps) =>
        h(
          'div',
          { class: 'cards' },
          glance.map((name) => h(MeasureCard, { key: name, name, steps, span: 'hour' })),
        ),
    }),
  );
}

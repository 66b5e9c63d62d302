/** The settings in force, and where each comes from. */
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Empty, Screen } from '../components/basics.ts';
import { CheckField } from '../components/fields.ts';
import { SearchFilter } from '../components/filters.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { changeQuery, type Place } from '../route.ts';

type Settings = Results<'GET /settings'>;

export default function SettingsInForce({ place: { query } }: { place: Place }): VNode {
  const texts = words().settingsInForce;
  const asked = useAsked(async (signal) => (await call('GET /settings', {}, signal)).results, []);
  const isGiven = query.given === 'true';
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(
      'div',
      { class: 'toolbar', role: 'search' },
      h(SearchFilter, { what: texts.title }),
      h(CheckField, {
        label: texts.onlyGiven,
        checked: isGiven,
        onChange: (given) => changeQuery({ given: given ? 'true' : '' }),
      }),
    ),
    h(Shown<Settings>, {
      asked,
      children: (all) => h(Table, { settings: chosen(all, query.search ?? '', isGiven) }),
    }),
  );
}

function chosen(settings: Settings, search: string, isGiven: boolean): Settings {
  const wanted = search.trim().toLowerCase();
  return settings.filter(
    ({ name, meaning, source }) =>
      `${name} ${meaning}`.toLowerCase().includes(wanted) && !(isGiven && ['default', 'memory'].includes(source)),
  );
}

function Table({ settings }: { settings: Settings }): VNode {
  const texts = words().settingsInForce;
  if (settings.length === 0) return h(Empty, { title: words().nothingFound });
  return h(
    FramedTable,
    { label: texts.title, head: [words().name, texts.value, texts.from, texts.default, texts.meaning] },
    settings.map(({ name, value, unit, source, from, default: usual, meaning }) =>
      h(
        'tr',
        { key: name },
        h('th', { scope: 'row', class: 'mono' }, name),
        h('td', null, value === null ? texts.secret : `${value} ${unit}`),
        h('td', null, texts.sources[source], from && ` ${from}`),
        h('td', null, usual),
        h('td', { class: 'quiet wraps' }, meaning),
      ),
    ),
  );
}

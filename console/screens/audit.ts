/** The audit trail of a company: who did what, from where, and with which outcome. */
import { useState } from 'preact/hooks';
import { addressOf, call, type Results } from '../api.ts';
import { Badge, Empty, Facts, LinkButton, Screen } from '../components/basics.ts';
import { Json } from '../components/code.ts';
import { Dialog } from '../components/dialog.ts';
import { ChoiceFilter, filtersOf, PeriodFilter, TextFilter } from '../components/filters.ts';
import { List } from '../components/list.ts';
import { Time } from '../components/time.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import type { Place } from '../route.ts';

type Entry = Results<'GET /audit'>[number];

const filters = ['from', 'until', 'appId', 'actorKind', 'actorName', 'address', 'action', 'outcome'] as const;
const actorKinds = ['administrator', 'user', 'operator', 'nobody'] as const;

export default function Audit({ place }: { place: Place }): VNode {
  return h(Trail, { companyId: place.companyId as number, what: words().audit.what });
}

/** @param companyId of the entries to show; null for the whole installation */
export function Trail({ companyId, what }: { companyId: number | null; what: string }): VNode {
  const texts = words().audit;
  const [opened, setOpened] = useState<Entry | null>(null);
  const of = companyId === null ? filtersOf(['companyId']) : { companyId: String(companyId) };
  const query = { ...filtersOf([...filters, 'search']), ...of };
  const company = { heading: texts.company, cell: ({ companyId: id }: Entry) => id, isNumber: true };
  return h(
    Screen,
    {
      title: texts.title,
      what,
      actions: [
        h(LinkButton, { href: addressOf('GET /audit/export', { query }) }, texts.exportLines),
        h(
          LinkButton,
          { href: addressOf('GET /audit/export', { query: { ...query, format: 'csv' } }) },
          texts.exportCsv,
        ),
      ],
    },
    h(List<Entry>, {
      label: texts.title,
      columns: [
        { heading: texts.time, cell: ({ time }) => h(Time, { at: time }) },
        { heading: texts.actor, cell: ({ actorKind, actorName }) => actorName || kindOf(actorKind) },
        { heading: texts.action, cell: ({ action }) => action, isMono: true },
        { heading: texts.target, cell: ({ target }) => target },
        ...(companyId === null ? [company] : []),
        { heading: texts.outcome, cell: ({ outcome }) => h(Outcome, { outcome }) },
        { heading: texts.address, cell: ({ address }) => address, isMono: true },
      ],
      ask: (request, signal) => call('GET /audit', { query: { ...request, ...query } }, signal),
      rowKey: ({ id }) => id,
      onOpen: setOpened,
      filters: [
        h(PeriodFilter, {}),
        h(ChoiceFilter, {
          name: 'actorKind',
          label: texts.actorKind,
          options: actorKinds.map((kind) => [kind, texts.kinds[kind]] as const),
        }),
        h(TextFilter, { name: 'actorName', label: texts.account }),
        h(TextFilter, { name: 'action', label: texts.action }),
        h(ChoiceFilter, {
          name: 'outcome',
          label: texts.outcome,
          options: [
            ['done', texts.outcomes.done],
            ['refused', texts.outcomes.refused],
          ],
        }),
        companyId === null && h(TextFilter, { name: 'companyId', label: texts.company }),
        h(TextFilter, { name: 'appId', label: texts.application }),
      ],
      empty: h(Empty, { title: texts.none }),
    }),
    opened && h(EntryDrawer, { entry: opened, onClose: () => setOpened(null) }),
  );
}

function kindOf(kind: string): string {
  return (words().audit.kinds as Readonly<Record<string, string>>)[kind] ?? kind;
}

function Outcome({ outcome }: { outcome: string }): VNode {
  const texts = words().audit.outcomes;
  return outcome === 'refused'
    ? h(Badge, { tone: 'warning' }, texts.refused)
    : h('span', null, outcome === 'done' ? texts.done : outcome);
}

function EntryDrawer({ entry, onClose }: { entry: Entry; onClose: () => void }): VNode {
  const texts = words().audit;
  return h(
    Dialog,
    { title: `${entry.action} (${entry.id})`, shape: 'drawer', onClose },
    h(Facts, {
      of: [
        [texts.time, h(Time, { at: entry.time })],
        [texts.actor, `${entry.actorName} (${kindOf(entry.actorKind)})`],
        [texts.address, entry.address ?? words().nothing],
        [texts.company, entry.companyId ?? words().nothing],
        [texts.application, entry.appId ?? words().nothing],
        [texts.target, entry.target],
        [texts.outcome, h(Outcome, { outcome: entry.outcome })],
      ],
    }),
    h('h3', null, texts.detail),
    h(Json, { value: entry.detail }),
  );
}

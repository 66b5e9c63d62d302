/** The log entries of an application's clients: filtered, followed live, exported. The address has the filters. */
import { useState } from 'preact/hooks';
import { addressOf, call, type Results } from '../api.ts';
import { Badge, Button, Empty, Facts, LinkButton, Screen } from '../components/basics.ts';
import { Code } from '../components/code.ts';
import { Dialog } from '../components/dialog.ts';
import { CheckField } from '../components/fields.ts';
import { ChoiceFilter, filtersOf, PeriodFilter, TextFilter } from '../components/filters.ts';
import { List } from '../components/list.ts';
import { Time } from '../components/time.ts';
import { useTurns } from '../components/turns.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';
import { LogLevels } from './log-levels.ts';

const path = '/companies/:companyId/applications/:appId/logs';
type Entry = Results<`GET ${typeof path}`>[number];

const filters = ['from', 'until', 'appVersion', 'userId', 'deviceUDID', 'level'] as const;

export default function Logs({ place }: { place: Place }): VNode {
  const texts = words().logs;
  const params = { companyId: place.companyId as number, appId: place.appId as string };
  const [opened, setOpened] = useState<Entry | null>(null);
  const [isFollowed, setFollowed] = useState(false);
  const [areLevelsOpen, setLevelsOpen] = useState(false);
  const turn = useTurns(isFollowed);
  const query = filtersOf([...filters, 'search']);
  return h(
    Screen,
    {
      title: texts.title(params.appId),
      what: texts.what,
      actions: [
        h(CheckField, { label: texts.follow, checked: isFollowed, onChange: setFollowed }),
        may.value('application.update') && h(Button, { onClick: () => setLevelsOpen(true) }, texts.levels),
        h(LinkButton, { href: addressOf(`GET ${path}/export`, { params, query }) }, texts.export),
      ],
    },
    h(List<Entry>, {
      label: texts.title(params.appId),
      columns: [
        { heading: texts.time, cell: ({ time }) => h(Time, { at: time }) },
        { heading: texts.level, cell: ({ level }) => h(Level, { level }) },
        { heading: texts.version, cell: ({ appVersion }) => appVersion },
        { heading: texts.user, cell: ({ userId }) => userId, isNumber: true },
        { heading: texts.device, cell: ({ deviceUDID }) => deviceUDID, isMono: true },
        { heading: texts.message, cell: ({ message }) => message, isMono: true },
      ],
      ask: (request, signal) => call(`GET ${path}`, { params, query: { ...request, ...query } }, signal),
      rowKey: ({ id }) => id,
      onOpen: setOpened,
      by: [turn],
      filters: [
        h(PeriodFilter, {}),
        h(ChoiceFilter, {
          name: 'level',
          label: texts.level,
          options: [
            ['ERROR', 'ERROR'],
            ['MONITOR', 'MONITOR'],
          ],
        }),
        h(TextFilter, { name: 'appVersion', label: texts.version }),
        h(TextFilter, { name: 'userId', label: texts.userId }),
        h(TextFilter, { name: 'deviceUDID', label: texts.device }),
      ],
      empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    }),
    opened && h(EntryDrawer, { entry: opened, onClose: () => setOpened(null) }),
    areLevelsOpen && h(LogLevels, { params, onClose: () => setLevelsOpen(false) }),
  );
}

function Level({ level }: { level: string }): VNode {
  return level === 'ERROR' ? h(Badge, { tone: 'wrong' }, level) : h(Badge, {}, level);
}

function EntryDrawer({ entry, onClose }: { entry: Entry; onClose: () => void }): VNode {
  const texts = words().logs;
  const user = h('a', { href: linkTo({ screen: 'users', item: String(entry.userId) }) }, entry.userId);
  return h(
    Dialog,
    { title: texts.entry(entry.id), shape: 'drawer', onClose },
    h(Facts, {
      of: [
        [texts.time, h(Time, { at: entry.time })],
        [texts.level, h(Level, { level: entry.level })],
        [texts.version, entry.appVersion],
        [texts.user, user],
        [texts.device, entry.deviceUDID],
      ],
    }),
    h('h3', null, texts.message),
    h(Code, { text: entry.message }),
  );
}

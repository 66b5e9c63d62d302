/** Where the users of a company are signed in, and how to end it. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Button, Empty, Screen } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { filtersOf, TextFilter } from '../components/filters.ts';
import { List } from '../components/list.ts';
import { Time } from '../components/time.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { changeQuery, linkTo, type Place } from '../route.ts';
import { orOwn } from '../session.ts';

const path = '/companies/:companyId/sessions';
type Session = Results<`GET ${typeof path}`>[number];

export default function Sessions({ place }: { place: Place }): VNode {
  const texts = words().sessions;
  const params = { companyId: place.companyId as number };
  const [turn, setTurn] = useState(0);
  const [chosen, setChosen] = useState<Session | null>(null);
  const { userId } = place.query;
  const ended = (count: number) => {
    tell(texts.ended(count));
    setTurn(turn + 1);
  };
  const end = async (sessionId: string) => {
    await call(`DELETE ${path}/:sessionId`, { params: { ...params, sessionId } });
    ended(1);
  };
  const endAll = async () => {
    const { count } = await call(`POST ${path}/end`, { params, body: { userId: Number(userId) } });
    ended(count);
  };
  const name = chosen !== null && String(chosen.userId) === userId ? chosen.account : `${texts.user} ${userId}`;
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(List<Session>, {
      label: texts.title,
      columns: [
        { heading: texts.account, cell: ({ account }) => account },
        { heading: texts.application, cell: ({ appId, appVersion }) => `${appId} ${appVersion}` },
        { heading: texts.device, cell: ({ deviceName, deviceUDID }) => deviceName || deviceUDID },
        { heading: texts.began, cell: ({ createTime }) => h(Time, { at: createTime }) },
        { heading: texts.lastUse, cell: ({ lastUseTime }) => h(Time, { at: lastUseTime }) },
        {
          heading: texts.actions,
          cell: (session) =>
            h(DangerButton, {
              action: texts.end,
              to: `${session.account}, ${session.deviceName || session.deviceUDID}`,
              onConfirm: () => end(session.id),
              children: texts.endWhat(session.account),
            }),
        },
      ],
      ask: (request, signal) => {
        const query = { ...request, ...filtersOf(['userId', 'appId']) };
        const ask = (of: typeof query) => call(`GET ${path}`, { params, query: of }, signal);
        return orOwn(
          () => ask(query),
          (own) => ask({ userId: String(own), ...query }),
        );
      },
      rowKey: ({ id }) => id,
      onOpen: (session) => {
        setChosen(session);
        changeQuery({ userId: String(session.userId), offset: '' });
      },
      by: [turn],
      filters: [
        h(TextFilter, { name: 'appId', label: texts.applicationId }),
        h(TextFilter, { name: 'userId', label: texts.userId }),
        userId && [
          h(Button, { onClick: () => changeQuery({ userId: '' }) }, texts.ofEverybody),
          h('a', { class: 'button', href: linkTo({ screen: 'users', item: userId }) }, texts.toUser),
          h(DangerButton, { action: texts.endAll(name), onConfirm: endAll, children: texts.endAllWhat(name) }),
        ],
      ],
      empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    }),
  );
}

/** The nodes of a cluster: whether each responds, the data spaces on it, and moving them. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Button, Empty, Facts, Note, Screen } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Dialog } from '../components/dialog.ts';
import { SelectField } from '../components/fields.ts';
import { ChoiceFilter, filtersOf, TextFilter } from '../components/filters.ts';
import { FramedTable } from '../components/framed-table.ts';
import { List } from '../components/list.ts';
import { Time } from '../components/time.ts';
import { tell } from '../components/toasts.ts';
import { useTurns } from '../components/turns.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { written } from '../health.ts';
import { words } from '../preferences.ts';
import { may } from '../session.ts';

type Nodes = Results<'GET /nodes'>;
type Space = Results<'GET /nodes/spaces'>[number];
type Move = Results<'GET /nodes/moves'>[number];

export default function NodesOfCluster(): VNode {
  const texts = words().nodes;
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  const [isMoving, setMoving] = useState(false);
  const follow = useTurns(isMoving);
  const asked = useAsked(async (signal) => (await call('GET /nodes', {}, signal)).results, [turn, isMoving]);
  const moves = useAsked(
    async (signal) => {
      const { results } = await call('GET /nodes/moves', {}, signal);
      setMoving(results[0]?.state === 'running');
      return results;
    },
    [turn, follow],
  );
  return h(
    Screen,
    { title: texts.title, what: texts.what, actions: h(Button, { onClick: again }, texts.again) },
    h(Shown<Nodes>, {
      asked,
      children: (nodes) =>
        nodes.length === 0
          ? h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice))
          : h(
              'div',
              { class: 'form' },
              h(Table, { nodes }),
              h(Moves, { moves: moves.value ?? [], again }),
              h(Spaces, { nodes, by: [turn, isMoving], again }),
            ),
    }),
  );
}

function Table({ nodes }: { nodes: Nodes }): VNode {
  const texts = words().nodes;
  return h(
    'div',
    { class: 'form' },
    nodes.map(({ node, problem }) => problem !== null && h(Note, { key: node, tone: 'wrong' }, problem)),
    h(
      FramedTable,
      {
        label: texts.title,
        head: [
          ...[texts.node, texts.role, words().state, texts.takes],
          ...[texts.spaces, texts.size].map((heading) =>
            h('th', { scope: 'col', class: 'number', key: heading }, heading),
          ),
        ],
      },
      nodes.map(({ node, role, reachable, problem, takesSpaces, spaces, bytes }) =>
        h(
          'tr',
          { key: node },
          h('th', { scope: 'row', class: 'mono' }, node),
          h('td', null, texts.roles[role]),
          h(
            'td',
            null,
            problem === null
              ? h(Badge, { tone: 'good' }, texts.well)
              : h(Badge, { tone: 'wrong' }, reachable ? texts.unsafe : texts.away),
          ),
          h('td', null, takesSpaces ? words().yes : words().no),
          h('td', { class: 'number' }, written(spaces)),
          h('td', { class: 'number' }, mebibytes(bytes)),
        ),
      ),
    ),
  );
}

const mebibytes = (bytes: number | null) => written(bytes === null ? null : bytes / 2 ** 20);

/** Those under way, and the last finished ones. */
function Moves({ moves, again }: { moves: readonly Move[]; again: () => void }): VNode {
  const texts = words().nodes;
  const rebalance = async () => {
    const { results } = await call('POST /nodes/rebalance', {});
    if (results.isBalanced) tell(texts.balanced);
    again();
  };
  return h(
    'section',
    { class: 'form' },
    may.value('node.move') &&
      h('div', null, h(DangerButton, { action: texts.rebalance, onConfirm: rebalance, children: texts.rebalanceWhat })),
    moves.length > 0 &&
      h(
        'ul',
        { class: 'steps', 'aria-label': texts.moves },
        moves.map(({ spaceId, to, beginTime, state, done, of, error }) =>
          h(
            'li',
            { key: beginTime },
            h(
              Badge,
              state === 'done' ? { tone: 'good' } : state === 'failed' ? { tone: 'wrong' } : {},
              texts.states[state],
            ),
            ` ${spaceId === null ? texts.rebalance : texts.moveTo(spaceId, to ?? '')} · `,
            h(Time, { at: beginTime }),
            state === 'running' && h('progress', { max: Math.max(of, 1), value: done, 'aria-label': texts.moves }),
            error !== null && h('div', { class: 'fault' }, error),
          ),
        ),
      ),
  );
}

interface SpacesProps {
  readonly nodes: Nodes;
  readonly by: readonly unknown[];
  readonly again: () => void;
}

function Spaces({ nodes, by, again }: SpacesProps): VNode {
  const texts = words().nodes;
  const [opened, setOpened] = useState<Space | null>(null);
  return h(
    'section',
    { class: 'form' },
    h('h2', null, texts.spaces),
    h(List<Space>, {
      label: texts.spaces,
      columns: [
        { heading: texts.space, cell: ({ spaceId }) => spaceId },
        { heading: texts.node, cell: ({ node }) => node, isMono: true },
        { heading: texts.company, cell: ({ companyId }) => companyId ?? words().nothing, isNumber: true },
        { heading: texts.application, cell: ({ appId }) => appId ?? words().nothing },
        { heading: texts.versions, cell: ({ versions }) => versions.join(', ') },
        { heading: texts.size, cell: ({ bytes }) => mebibytes(bytes), isNumber: true },
      ],
      ask: ({ offset, limit }, signal) =>
        call('GET /nodes/spaces', { query: { offset, limit, ...filtersOf(['node', 'companyId']) } }, signal),
      rowKey: ({ spaceId }) => spaceId,
      onOpen: setOpened,
      by,
      isSearched: false,
      filters: [
        h(ChoiceFilter, { name: 'node', label: texts.node, options: nodes.map(({ node }) => [node, node] as const) }),
        h(TextFilter, { name: 'companyId', label: texts.company }),
      ],
      empty: h(Empty, { title: texts.noSpaces }),
    }),
    opened && h(OneSpace, { space: opened, nodes, again, onClose: () => setOpened(null) }),
  );
}

interface OneSpaceProps {
  readonly space: Space;
  readonly nodes: Nodes;
  readonly again: () => void;
  readonly onClose: () => void;
}

function OneSpace({ space, nodes, again, onClose }: OneSpaceProps): VNode {
  const texts = words().nodes;
  const { spaceId, node: present } = space;
  const targets = nodes.filter(({ node, takesSpaces, problem }) => takesSpaces && problem === null && node !== present);
  const [to, setTo] = useState(targets[0]?.node ?? '');
  const move = async () => {
    await call('POST /nodes/moves', { body: { spaceId, to } });
    again();
    onClose();
  };
  return h(
    Dialog,
    { title: texts.spaceTitle(spaceId), shape: 'drawer', onClose },
    h(Facts, {
      of: [
        [texts.node, present],
        [texts.company, space.companyId ?? words().nothing],
        [texts.application, space.appId ?? words().nothing],
        [texts.versions, space.versions.join(', ') || words().nothing],
      ],
    }),
    may.value('node.move') &&
      (to === ''
        ? h('p', { class: 'quiet' }, texts.noTarget)
        : h(
            'div',
            { class: 'toolbar' },
            h(SelectField<string>, {
              label: texts.target,
              value: to,
              options: targets.map(({ node }) => [node, node] as const),
              onChange: setTo,
            }),
            h(DangerButton, { action: texts.move, onConfirm: move, children: texts.moveWhat(spaceId, to) }),
          )),
  );
}

/** The nodes of a cluster: whether each responds, and what is on it. */
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Button, Empty, Note, Screen } from '../components/basics.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { written } from '../health.ts';
import { words } from '../preferences.ts';

type Nodes = Results<'GET /nodes'>;

export default function NodesOfCluster(): VNode {
  const texts = words().nodes;
  const asked = useAsked(async (signal) => (await call('GET /nodes', {}, signal)).results, []);
  return h(
    Screen,
    { title: texts.title, what: texts.what, actions: h(Button, { onClick: asked.again }, texts.again) },
    h(Shown<Nodes>, { asked, children: (nodes) => h(Table, { nodes }) }),
  );
}

function Table({ nodes }: { nodes: Nodes }): VNode {
  const texts = words().nodes;
  if (nodes.length === 0) return h(Empty, { title: texts.none });
  return h(
    'div',
    { class: 'form' },
    nodes.map(({ node, problem }) => problem !== null && h(Note, { key: node, tone: 'wrong' }, problem)),
    h(
      FramedTable,
      { label: texts.title, head: [texts.node, texts.role, words().state, texts.takes, texts.spaces, texts.size] },
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
          h('td', { class: 'number' }, written(bytes === null ? null : bytes / 2 ** 20)),
        ),
      ),
    ),
  );
}

/** How the database executes a query, in words, and the indexes that would help. */
import { Note } from '../../components/basics.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { language, words } from '../../preferences.ts';
import type { Explained } from './forms.ts';

export function Plan({ plan }: { readonly plan: Explained }): VNode {
  const texts = words().playground.plan;
  return h(
    'section',
    { class: 'form', 'aria-label': texts.title },
    h('h2', null, texts.title),
    h(
      'div',
      { role: 'status' },
      h(
        'ol',
        null,
        plan.steps.map((step, index) => h('li', { key: index }, sentenceOf(step))),
      ),
    ),
    plan.advice.map(({ table, columns }) =>
      h(Note, { key: table, tone: 'warning' }, texts.advice(table, columns.join(', '))),
    ),
  );
}

function sentenceOf({ action, table, columns, rows }: Explained['steps'][number]): string {
  const texts = words().playground.plan;
  const name = table ?? '';
  const index = columns.join(', ');
  const about = (rows ?? 0).toLocaleString(language.value);
  switch (action) {
    case 'walk':
      return texts.walk(name, about);
    case 'walkIndex':
      return texts.walkIndex(name, index, about);
    case 'find':
      return texts.find(name, index);
    case 'findByTerms':
      return texts.findByTerms(name, index);
    case 'indexOnce':
      return texts.indexOnce(name, index);
    case 'sort':
      return texts.sort;
    case 'group':
      return texts.group;
  }
}

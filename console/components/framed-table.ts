/** A table in a frame that scrolls on its own, by keyboard too: a region with a name, and a head that stays in view. */
import type { TableHTMLAttributes } from 'preact';
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface FramedTableProps {
  /** Names the table for those who listen. */
  readonly label: string;
  /** Texts, or `th` elements that are more than a text. */
  readonly head: readonly (string | VNode | false | null)[];
  /** Whether newer rows are on their way. */
  readonly isStale?: boolean;
  /** What makes a grid of it, whose cells take the focus: the frame is then no stop of its own. */
  readonly grid?: TableHTMLAttributes<HTMLTableElement>;
  /** Its rows. */
  readonly children?: ComponentChildren;
}

export function FramedTable({ label, head, isStale = false, grid, children }: FramedTableProps): VNode {
  return h(
    'div',
    { class: 'table-frame', role: 'region', 'aria-label': label, 'aria-busy': isStale, ...(!grid && { tabIndex: 0 }) },
    h(
      'table',
      { class: classes('table', isStale && 'stale'), ...(grid && { role: 'grid', 'aria-label': label, ...grid }) },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          head.map((each) => (typeof each === 'string' ? h('th', { scope: 'col', key: each }, each) : each)),
        ),
      ),
      h('tbody', null, children),
    ),
  );
}

/** A table in a frame that scrolls on its own, by keyboard too: a region with a name, and a head that stays in view. */
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface FramedTableProps {
  /** Names the table for those who listen. */
  readonly label: string;
  /** Texts, or `th` elements that are more than a text. */
  readonly head: readonly (string | VNode | false | null)[];
  /** Whether newer rows are on their way. */
  readonly isStale?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => void;
  /** Its rows. */
  readonly children?: ComponentChildren;
}

export function FramedTable({ label, head, isStale = false, onKeyDown, children }: FramedTableProps): VNode {
  return h(
    'div',
    { class: 'table-frame', tabIndex: 0, role: 'region', 'aria-label': label, 'aria-busy': isStale },
    h(
      'table',
      { class: classes('table', isStale && 'stale') },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          head.map((each) => (typeof each === 'string' ? h('th', { scope: 'col', key: each }, each) : each)),
        ),
      ),
      h('tbody', onKeyDown ? { onKeyDown } : null, children),
    ),
  );
}

/** A table in a frame that scrolls separately, also by keyboard: a named region with a sticky head. */
import type { TableHTMLAttributes } from 'preact';
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { Icon } from './icon.ts';

interface FramedTableProps {
  /** The table's name for screen readers. */
  readonly label: string;
  /** Texts, or `th` elements that are more than a text. */
  readonly head: readonly (string | VNode | false | null)[];
  /** Whether newer rows are being requested. */
  readonly isStale?: boolean;
  /** Attributes that make it a grid, whose cells take the focus; the frame then is not a tab stop. */
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

interface SortHeadingProps {
  readonly heading: string;
  /** The field to sort by; undefined if the service does not sort by it. */
  readonly field: string | undefined;
  /** The field that rows are sorted by, with `-` before it for descending order. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly isNumber?: boolean | undefined;
  readonly title?: string;
  readonly tabIndex?: number;
}

/** A column heading that sorts rows: ascending, descending, then in their default order. */
export function SortHeading({ heading, field, sort, onSort, isNumber, title, tabIndex }: SortHeadingProps): VNode {
  const look = classes(isNumber && 'number');
  const stop = tabIndex !== undefined && { tabIndex };
  if (field === undefined) return h('th', { scope: 'col', class: look, ...stop }, heading);
  const isUp = sort === field;
  const isDown = sort === `-${field}`;
  const onClick = () => onSort(isUp ? `-${field}` : isDown ? '' : field);
  return h(
    'th',
    { scope: 'col', class: look, 'aria-sort': isUp ? 'ascending' : isDown ? 'descending' : 'none' },
    h(
      'button',
      { type: 'button', onClick, ...stop, ...(title !== undefined && { title }) },
      heading,
      ' ',
      (isUp || isDown) && h(Icon, { name: isUp ? 'up' : 'down' }),
    ),
  );
}

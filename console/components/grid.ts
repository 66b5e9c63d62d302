/** A grid of records: one page of rows, sorted by a click on a heading, walked through by the arrow keys. */
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { type ColumnDescription, isNumeric, type Row, shown } from '../records.ts';
import { FramedTable } from './framed-table.ts';
import { Icon } from './icon.ts';

interface GridProps {
  readonly label: string;
  readonly columns: readonly ColumnDescription[];
  readonly rows: readonly Row[];
  readonly isStale: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen?: (row: Row) => void;
  /** Narrows the filter to rows with this value. */
  readonly onFilter?: (column: ColumnDescription, row: Row) => void;
}

export function Grid({ label, columns, rows, isStale, sort, onSort, onOpen, onFilter }: GridProps): VNode {
  const walk = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('th button')];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (by === 0 || at < 0) return;
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  return h(
    FramedTable,
    {
      label,
      head: columns.map((column) => h(Heading, { column, sort, onSort, key: column.colName })),
      isStale,
      onKeyDown: walk,
    },
    rows.map((row) =>
      h(
        'tr',
        { key: String(row.objectId) },
        columns.map((column, index) =>
          h(Cell, {
            column,
            row,
            isFirst: index === 0,
            key: column.colName,
            ...(onOpen && { onOpen }),
            ...(onFilter && { onFilter }),
          }),
        ),
      ),
    ),
  );
}

function Heading({ column, sort, onSort }: { column: ColumnDescription } & Pick<GridProps, 'sort' | 'onSort'>): VNode {
  const { colName: name, type } = column;
  const isUp = sort === name;
  const isDown = sort === `-${name}`;
  const look = classes(isNumeric(column) && 'number');
  if (type === 'json') return h('th', { scope: 'col', class: look }, name);
  return h(
    'th',
    { scope: 'col', class: look, 'aria-sort': isUp ? 'ascending' : isDown ? 'descending' : 'none' },
    h(
      'button',
      { type: 'button', title: type, onClick: () => onSort(isUp ? `-${name}` : isDown ? '' : name) },
      name,
      ' ',
      (isUp || isDown) && h(Icon, { name: isUp ? 'up' : 'down' }),
    ),
  );
}

interface CellProps extends Pick<GridProps, 'onOpen' | 'onFilter'> {
  readonly column: ColumnDescription;
  readonly row: Row;
  readonly isFirst: boolean;
}

function Cell({ column, row, isFirst, onOpen, onFilter }: CellProps): VNode {
  const value = row[column.colName];
  const text = shown(value);
  const look = classes(
    isNumeric(column) && 'number',
    (isFirst || column.type === 'json') && 'mono',
    value === null && 'null',
  );
  if (isFirst) {
    const opened = onOpen ? h('button', { type: 'button', class: 'link', onClick: () => onOpen(row) }, text) : text;
    return h('th', { scope: 'row', class: look }, opened);
  }
  const narrow = (event: MouseEvent) => {
    if (!event.altKey || onFilter === undefined) return;
    event.preventDefault();
    onFilter(column, row);
  };
  return h('td', { class: look, title: text, onClick: narrow }, value === null ? words().records.null : text);
}

/**
 * A grid of records (WAI-ARIA Authoring Practices, "Grid"): a single tab stop, navigated by the arrow keys, Home and
 * End. Enter or F2 edits a cell; Alt+Down or the browser's context menu opens its menu.
 */
import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { type ColumnDescription, isNumeric, type Row, shown } from '../records.ts';
import { CellEditor } from './cell-editor.ts';
import { FramedTable, SortHeading } from './framed-table.ts';
import { Icon } from './icon.ts';
import { Menu, type MenuItem } from './menu.ts';

/** How cells are edited. */
export interface Editing {
  readonly isEditable: (column: ColumnDescription) => boolean;
  /** What is wrong with a text for the column, before it is saved; null if it is valid. */
  readonly faultOf: (column: ColumnDescription, text: string) => string | null;
  /** @param text null for no value */
  readonly save: (row: Row, column: ColumnDescription, text: string | null) => void;
  /** Why a text that was typed into the cell could not be saved, '' while it is being saved; undefined for neither. */
  readonly stateOf: (row: Row, column: ColumnDescription) => string | undefined;
  /** Discards a text that could not be saved. */
  readonly giveUp: (row: Row, column: ColumnDescription) => void;
}

interface GridProps {
  readonly label: string;
  readonly columns: readonly ColumnDescription[];
  readonly rows: readonly Row[];
  readonly isStale: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** How many rows precede these, and the total; null while unknown. */
  readonly before?: number;
  readonly count?: number | null;
  readonly onOpen?: (row: Row) => void;
  readonly menuOf?: (row: Row, column: ColumnDescription) => readonly MenuItem[];
  readonly editing?: Editing;
}

/** A cell by its position; row 0 has the headings. */
interface At {
  readonly row: number;
  readonly column: number;
}

type CellElement = HTMLTableCellElement;

export function Grid(props: GridProps): VNode {
  const { label, columns, rows, isStale, sort, onSort, before = 0, count = null, onOpen, menuOf, editing } = props;
  const [active, setActive] = useState<At>({ row: 1, column: 0 });
  const [edited, setEdited] = useState<At | null>(null);
  const [menu, setMenu] = useState<{ at: At; cell: CellElement } | null>(null);
  const lastRow = rows.length;
  const lastColumn = columns.length - 1;
  const isActive = (row: number, column: number) =>
    row === Math.min(active.row, lastRow) && column === Math.min(active.column, lastColumn);
  const isEditable = ({ row, column }: At) => row > 0 && editing?.isEditable(columns[column] as ColumnDescription);
  const openMenu = (cell: CellElement) => {
    const at = placeOf(cell);
    if (menuOf !== undefined && at.row > 0 && at.column > 0) setMenu({ at, cell });
  };
  const onKeyDown = (event: TargetedEvent<HTMLTableElement, KeyboardEvent>) => {
    const cell = cellOf(event);
    if (cell === null || edited !== null) return;
    const at = placeOf(cell);
    const to = event.altKey ? null : steps(event, at, lastRow, lastColumn);
    if (to !== null) focus(event.currentTarget.rows[to.row]?.cells[to.column]);
    else if (event.altKey && event.key === 'ArrowDown') openMenu(cell);
    else if (['Enter', 'F2'].includes(event.key) && isEditable(at)) setEdited(at);
    else if (event.key === 'Escape' && at.row > 0)
      editing?.giveUp(rows[at.row - 1] as Row, columns[at.column] as ColumnDescription);
    else return;
    event.preventDefault();
  };
  const begin = (event: TargetedEvent<HTMLTableElement>) => {
    const cell = cellOf(event);
    if (cell !== null && edited === null && isEditable(placeOf(cell))) setEdited(placeOf(cell));
  };
  /** @param by 1 for the next editable cell, -1 for the previous one, 0 to stay */
  const endEditing = (at: At, cell: CellElement, by: -1 | 0 | 1) => {
    const width = columns.length;
    let next = (at.row - 1) * width + at.column;
    const placeAt = (position: number) => ({ row: Math.floor(position / width) + 1, column: position % width });
    do next += by;
    while (by !== 0 && next >= 0 && next < lastRow * width && !isEditable(placeAt(next)));
    const goesOn = by !== 0 && next >= 0 && next < lastRow * width;
    setEdited(goesOn ? placeAt(next) : null);
    focus(cell);
  };
  const grid = {
    'aria-readonly': editing === undefined,
    'aria-rowcount': count === null ? -1 : count + 1,
    onKeyDown,
    onDblClick: begin,
    onFocusIn: (event: TargetedEvent<HTMLTableElement>) => {
      const cell = cellOf(event);
      if (cell !== null) setActive(placeOf(cell));
    },
    onContextMenu: (event: TargetedEvent<HTMLTableElement>) => {
      const cell = cellOf(event);
      if (cell === null || menuOf === undefined || edited !== null || cell.tagName === 'TH') return;
      event.preventDefault();
      openMenu(cell);
    },
  };
  const headings = columns.map((column, index) =>
    h(SortHeading, {
      heading: column.colName,
      field: column.type === 'json' ? undefined : column.colName,
      sort,
      onSort,
      isNumber: isNumeric(column),
      title: column.type,
      tabIndex: isActive(0, index) ? 0 : -1,
      key: column.colName,
    }),
  );
  return h(
    'div',
    null,
    h(
      FramedTable,
      { label, head: headings, isStale, grid },
      rows.map((row, index) =>
        h(
          'tr',
          { key: String(row.objectId), 'aria-rowindex': before + index + 2 },
          columns.map((column, position) => {
            const at = { row: index + 1, column: position };
            const isEdited = edited?.row === at.row && edited.column === position && editing !== undefined;
            return h(
              Cell,
              {
                column,
                row,
                isFirst: position === 0,
                isActive: isActive(at.row, position),
                isReadOnly: editing !== undefined && !isEditable(at),
                state: editing?.stateOf(row, column),
                onMenu: menuOf && openMenu,
                key: column.colName,
                onOpen,
              },
              isEdited &&
                h(CellEditor, { column, row, editing, onEnd: (cell: CellElement, by) => endEditing(at, cell, by) }),
            );
          }),
        ),
      ),
    ),
    menu !== null &&
      menuOf !== undefined &&
      h(Menu, {
        label: words().records.ofCell(columns[menu.at.column]?.colName ?? ''),
        below: menu.cell,
        items: [
          ...(isEditable(menu.at) ? [{ label: words().edit, onSelect: () => setEdited(menu.at) }] : []),
          ...menuOf(rows[menu.at.row - 1] as Row, columns[menu.at.column] as ColumnDescription),
        ],
        onClose: () => setMenu(null),
      }),
  );
}

function cellOf({ target }: Event): CellElement | null {
  return (target as Element).closest<CellElement>('td, th');
}

function placeOf(cell: CellElement): At {
  return { row: (cell.parentElement as HTMLTableRowElement).rowIndex, column: cell.cellIndex };
}

/** Focuses the cell, or its control if it has exactly one. */
function focus(cell: CellElement | undefined): void {
  (cell?.querySelector<HTMLElement>(':scope > button:not(.more)') ?? cell)?.focus();
}

/** The cell that a key moves to; null for other keys. */
function steps({ key, ctrlKey }: KeyboardEvent, { row, column }: At, lastRow: number, lastColumn: number): At | null {
  const to: Readonly<Record<string, At>> = {
    ArrowUp: { row: Math.max(0, row - 1), column },
    ArrowDown: { row: Math.min(lastRow, row + 1), column },
    ArrowLeft: { row, column: Math.max(0, column - 1) },
    ArrowRight: { row, column: Math.min(lastColumn, column + 1) },
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? lastRow : row, column: lastColumn },
  };
  return to[key] ?? null;
}

interface CellProps {
  readonly column: ColumnDescription;
  readonly row: Row;
  readonly isFirst: boolean;
  readonly isActive: boolean;
  readonly isReadOnly: boolean;
  readonly state: string | undefined;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly onMenu: ((cell: CellElement) => void) | undefined;
  /** The editor, in place of its value. */
  readonly children?: ComponentChildren;
}

function Cell({ column, row, isFirst, isActive, isReadOnly, state, onOpen, onMenu, children }: CellProps): VNode {
  const value = row[column.colName];
  const text = shown(value);
  const tabIndex = isActive ? 0 : -1;
  const isNull = value === null || value === undefined;
  const look = classes(
    isNumeric(column) && 'number',
    (isFirst || column.type === 'json') && 'mono',
    isNull && 'null',
    state === '' && 'saving',
    Boolean(children) && 'edited',
  );
  if (isFirst) {
    if (!onOpen) return h('th', { scope: 'row', class: look, tabIndex }, text);
    const opener = { type: 'button', class: 'link', tabIndex, onClick: () => onOpen(row) } as const;
    return h('th', { scope: 'row', class: look }, h('button', opener, text));
  }
  const about = { class: look, title: state || text, tabIndex, ...(isReadOnly && { 'aria-readonly': true }) };
  if (children) return h('td', about, children);
  return h(
    'td',
    { ...about, ...(state && { 'aria-invalid': true }) },
    state && h(Icon, { name: 'attention' }),
    isNull ? words().records.null : text,
    isActive &&
      onMenu &&
      h(
        'button',
        {
          type: 'button',
          class: 'more',
          tabIndex: -1,
          'aria-label': words().records.ofCell(column.colName),
          'aria-haspopup': 'menu',
          onClick: (event) => onMenu(event.currentTarget.parentElement as CellElement),
        },
        h(Icon, { name: 'down' }),
      ),
  );
}

/** Shown when someone else changed a record meanwhile: both versions side by side, to choose from. */
import { Button, Note } from '../../components/basics.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { type ColumnDescription, type Row, shown } from '../../records.ts';
import type { Typed } from './cell-changes.ts';

interface ConflictProps {
  readonly mine: Typed;
  readonly base: Row;
  readonly theirs: Row;
  readonly columns: readonly ColumnDescription[];
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

export function Conflict({ mine, base, theirs, columns, onMine, onTheirs }: ConflictProps): VNode {
  const texts = words().records;
  const differing = columns.filter(
    ({ colName }) => shown(theirs[colName]) !== shown(base[colName]) || (mine[colName] ?? '') !== shown(base[colName]),
  );
  const cell = (text: string | null) => h('td', null, text === null || text === '' ? texts.null : text);
  return h(
    Note,
    { tone: 'warning' },
    h('p', null, texts.conflict),
    h(
      'table',
      { class: 'table wraps' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          [texts.column, texts.before, texts.mine, texts.theirs].map((text) =>
            h('th', { scope: 'col', key: text }, text),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        differing.map(({ colName }) =>
          h(
            'tr',
            { key: colName },
            h('th', { scope: 'row' }, colName),
            cell(shown(base[colName])),
            cell(mine[colName] ?? null),
            cell(shown(theirs[colName])),
          ),
        ),
      ),
    ),
    h(
      'div',
      { class: 'buttons' },
      h(Button, { onClick: onTheirs }, texts.takeTheirs),
      h(Button, { kind: 'main', onClick: onMine }, texts.keepMine),
    ),
  );
}

/** A page of records in a grid: values are changed in their cells, and conditions are made from them. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.ts';
import { type Editing, Grid } from '../../components/grid.ts';
import type { MenuItem } from '../../components/menu.ts';
import { copy } from '../../components/toasts.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { comparisonsOf, narrowed } from '../../queries.ts';
import {
  type ColumnDescription,
  columnsOf,
  type Row,
  type RowPage,
  shown,
  type TableDescription,
  type VersionParams,
} from '../../records.ts';
import { changeQuery } from '../../route.ts';
import { may } from '../../session.ts';
import { CellChanges } from './cell-changes.ts';
import { Conflict } from './conflict.ts';

interface RecordGridProps {
  readonly params: VersionParams;
  readonly tables: readonly TableDescription[];
  readonly table: TableDescription;
  readonly page: RowPage;
  readonly isStale: boolean;
  readonly before: number;
  readonly count: number | null;
  readonly where: string;
  readonly sort: string;
  readonly onOpen: (row: Row) => void;
}

export function RecordGrid(props: RecordGridProps): VNode {
  const { params, tables, table, page, isStale, before, count, where, sort, onOpen } = props;
  const texts = words().records;
  const changes = useMemo(() => new CellChanges(params, table.name), []);
  const faultOf = useValueCheck(tables, table);
  useEffect(() => changes.forgetSaved(), [page]);
  const isOwn = ({ colName }: ColumnDescription) => table.columns.some((column) => column.colName === colName);
  const editing: Editing = {
    isEditable: isOwn,
    faultOf,
    save: (row, { colName }, text) => changes.save(row, colName, text),
    stateOf: (row, { colName }) => changes.stateOf(row, colName),
    giveUp: (row, { colName }) => changes.giveUp(row, colName),
  };
  const mayEdit = may.value('record.write');
  const menuOf = (row: Row, column: ColumnDescription): readonly MenuItem[] => {
    const value = row[column.colName];
    return [
      ...comparisonsOf(column, value).map((comparison) => ({
        label: texts.comparisons[comparison](excerpt(shown(value))),
        onSelect: () => changeQuery({ where: narrowed(where, column, comparison, value) }),
      })),
      { label: texts.copyValue, onSelect: () => void copy(shown(value)) },
      ...(mayEdit && isOwn(column) && value !== null && !column.required
        ? [{ label: texts.setNull, onSelect: () => changes.save(row, column.colName, null) }]
        : []),
    ];
  };
  const { conflict } = changes;
  return h(
    'div',
    { class: 'form' },
    h(Grid, {
      label: table.name,
      columns: columnsOf(table),
      rows: page.rows.map((row) => changes.shown(row)),
      isStale,
      before,
      count,
      sort,
      onSort: (next) => changeQuery({ sort: next }),
      onOpen,
      menuOf,
      ...(mayEdit && { editing }),
    }),
    conflict !== undefined &&
      h(
        Dialog,
        { key: String(conflict.base.objectId), title: texts.changedTwice, shape: 'wide', onClose: null },
        h(Conflict, {
          ...conflict,
          theirs: conflict.theirs as Row,
          columns: table.columns,
          onMine: () => changes.settle(conflict, 'mine'),
          onTheirs: () => changes.settle(conflict, 'theirs'),
        }),
      ),
  );
}

const excerptMax = 24;

function excerpt(text: string): string {
  const characters = [...text];
  return characters.length > excerptMax ? `${characters.slice(0, excerptMax).join('')}…` : text;
}

type ValueFault = (column: ColumnDescription, text: string) => string | null;

/** Finds no errors before the check is loaded; then the service does. */
function useValueCheck(tables: readonly TableDescription[], table: TableDescription): ValueFault {
  const [check, setCheck] = useState<ValueFault | null>(null);
  useEffect(() => {
    let isHere = true;
    import('../../checker.ts').then(({ definitionOf, valueFaultOf }) => {
      const definition = definitionOf(tables);
      if (isHere)
        setCheck(
          () =>
            ({ colName }: ColumnDescription, text: string) =>
              valueFaultOf(definition, table.name, colName, text),
        );
    });
    return () => {
      isHere = false;
    };
  }, [tables, table]);
  return check ?? (() => null);
}

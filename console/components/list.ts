/** A list of the service, in pages. Search, sorting and page are in the address, so that it can be shared. */
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { language, words } from '../preferences.ts';
import { changeQuery, place } from '../route.ts';
import { Problem, useAsked, Waiting } from './asked.ts';
import { Button, Empty } from './basics.ts';
import { SearchFilter } from './filters.ts';
import { FramedTable, SortHeading } from './framed-table.ts';

export interface ListColumn<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Field to sort by, if the service supports it. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  readonly isMono?: boolean;
}

/** The request for a list; its members are the query parameters of the operation. */
export interface ListRequest {
  readonly offset: number;
  readonly limit: number;
  readonly sort?: string;
  readonly search?: string;
}

export interface ListProps<Row> {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly columns: readonly ListColumn<Row>[];
  readonly ask: (
    request: ListRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly results: readonly Row[]; readonly count: number }>;
  readonly rowKey: (row: Row) => string | number;
  /** The address of the row's object; the first column becomes a link to it. */
  readonly href?: (row: Row) => string;
  /** Opens the object, if it has no address. */
  readonly onOpen?: (row: Row) => void;
  /** The list is requested again when one of these changes. */
  readonly by?: readonly unknown[];
  readonly isSearched?: boolean;
  /** Beside the search. */
  readonly filters?: ComponentChildren;
  /** Shown if there are no entries even without filters. */
  readonly empty: ComponentChildren;
}

const pageSize = 50;

export function List<Row>(props: ListProps<Row>): VNode {
  const { label, columns, ask, rowKey, href, onOpen, by = [], isSearched = true, filters, empty } = props;
  const { query } = place.value;
  const offset = Math.max(0, Number(query.offset) || 0);
  const { sort = '', search = '' } = query;
  const request = { offset, limit: pageSize, ...(sort && { sort }), ...(search && { search }) };
  const asked = useAsked((signal) => ask(request, signal), [offset, sort, search, JSON.stringify(query), ...by]);
  const { value, error, isAsking, again } = asked;
  const isFiltered = Object.keys(query).some((name) => name !== 'sort' && name !== 'offset');
  return h(
    'div',
    { class: 'form', 'aria-busy': isAsking },
    (isSearched || filters) &&
      h('div', { class: 'toolbar', role: 'search' }, isSearched && h(SearchFilter, { what: label }), filters),
    error !== null && h(Problem, { error, again }),
    value === null && error === null && h(Waiting, {}),
    value !== null && value.count === 0 && !isFiltered && empty,
    value !== null &&
      value.count === 0 &&
      isFiltered &&
      h(Empty, { title: words().nothingFound }, h('p', null, words().nothingFoundAdvice)),
    value !== null &&
      value.count > 0 &&
      h(
        FramedTable,
        {
          label,
          head: columns.map(({ heading, sort: field, isNumber }) =>
            h(SortHeading, {
              heading,
              field,
              sort,
              isNumber,
              onSort: (next) => changeQuery({ sort: next, offset: '' }),
              key: heading,
            }),
          ),
          isStale: isAsking,
        },
        value.results.map((row) =>
          h(
            'tr',
            { key: rowKey(row) },
            columns.map((column, index) => {
              const content = column.cell(row);
              const look = classes(column.isNumber && 'number', column.isMono && 'mono');
              if (index > 0) return h('td', { class: look }, content);
              return h('th', { scope: 'row', class: look }, h(Opening<Row>, { row, href, onOpen }, content));
            }),
          ),
        ),
      ),
    value !== null && value.count > 0 && h(Pager, { offset, shown: value.results.length, count: value.count }),
  );
}

interface OpeningProps<Row> {
  readonly row: Row;
  readonly href: ((row: Row) => string) | undefined;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly children?: ComponentChildren;
}

function Opening<Row>({ row, href, onOpen, children }: OpeningProps<Row>): VNode {
  if (href) return h('a', { href: href(row) }, children);
  if (onOpen) return h('button', { class: 'link', type: 'button', onClick: () => onOpen(row) }, children);
  return h('span', null, children);
}

function Pager({ offset, shown, count }: { offset: number; shown: number; count: number }): VNode {
  const number = new Intl.NumberFormat(language.value);
  const [from, to, all] = [offset + 1, offset + shown, count].map((each) => number.format(each)) as [
    string,
    string,
    string,
  ];
  const turnTo = (next: number) => changeQuery({ offset: next === 0 ? '' : String(next) });
  return h(
    'div',
    { class: 'pager' },
    h('span', { role: 'status' }, words().rowsOf(from, to, all)),
    h(Button, { disabled: offset === 0, onClick: () => turnTo(Math.max(0, offset - pageSize)) }, words().previousPage),
    h(Button, { disabled: offset + shown >= count, onClick: () => turnTo(offset + pageSize) }, words().nextPage),
  );
}

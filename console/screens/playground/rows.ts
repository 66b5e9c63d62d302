/** The rows of a query as a table and as JSON. */
import { FramedTable } from '../../components/framed-table.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { language, words } from '../../preferences.ts';
import { type Row, shown } from '../../records.ts';

export interface Result {
  readonly rows: readonly Row[];
  readonly milliseconds: number;
}

const shownMax = 200;

/** At most `shownMax` of the rows, and how long the query took. */
export function Rows({ result }: { result: Result }): VNode {
  const texts = words().playground;
  const { rows, milliseconds } = result;
  const flat = rows.slice(0, shownMax).map(flattened);
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const number = new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 });
  return h(
    'section',
    { class: 'form' },
    h('p', { role: 'status' }, texts.took(number.format(rows.length), number.format(milliseconds))),
    rows.length > 0 &&
      h(
        FramedTable,
        { label: texts.rows, head: names },
        flat.map((row, index) =>
          h(
            'tr',
            { key: index },
            names.map((name) =>
              h('td', { key: name, class: typeof row[name] === 'number' ? 'number' : '' }, shown(row[name])),
            ),
          ),
        ),
      ),
    h(
      'details',
      null,
      h('summary', null, 'JSON'),
      h('pre', { class: 'code-block', tabIndex: 0 }, JSON.stringify(rows.slice(0, shownMax), null, 2)),
    ),
  );
}

/** `{r: {title}}` as `r.title`; a missing side of a join has no columns. */
function flattened(row: Row): Row {
  const cells = Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([column, each]) => [`${name}.${column}`, each] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(cells);
}

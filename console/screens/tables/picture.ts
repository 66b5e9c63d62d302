/**
 * A picture of the tables with their references and the joins in queries, and its lines as a table. Each box links to
 * its table.
 */
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { Problem, useAsked } from '../../components/asked.ts';
import { Button, Empty } from '../../components/basics.ts';
import type { VNode } from '../../h.ts';
import { classes, h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { linkTo, type Place } from '../../route.ts';
import { type Table, typeText } from './definition.ts';
import { paramsOf } from './draft.ts';
import { type Box, boxWidth, headHeight, type Join, type Line, layOut, rowHeight, rowsMax } from './layout.ts';

const joinsPath = '/companies/:companyId/applications/:appId/versions/:version/tables/joins';
const noJoins: readonly Join[] = [];

const scales = [0.35, 0.5, 0.75, 1, 1.4];
const padding = 8;
/** How many characters fit into a box. */
const nameMax = 24;
const rowMax = 29;

export function Picture({ place, tables }: { place: Place; tables: readonly Table[] }): VNode {
  const texts = words().tables;
  const joins = useAsked(
    async (signal) => (await call(`GET ${joinsPath}`, { params: paramsOf(place) }, signal)).results,
    [],
  );
  const made = joins.value ?? noJoins;
  const { boxes, lines, width, height } = useMemo(() => layOut(tables, made), [tables, made]);
  const [size, setSize] = useState(scales.indexOf(1));
  const [near, setNear] = useState<string | null>(null);
  const scale = scales[size] as number;
  const lineClass = ({ from, to, queries }: Line) =>
    classes('line', queries !== undefined && 'join', (from === near || to === near) && 'near');
  if (tables.length === 0) return h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice));
  return h(
    'div',
    { class: 'form' },
    joins.error !== null && h(Problem, joins),
    h(
      'div',
      { class: 'toolbar' },
      h('p', { class: 'quiet' }, lines.length === 0 ? texts.pictureNone : texts.pictureWhat),
      h(Button, { disabled: size === 0, onClick: () => setSize(size - 1) }, texts.zoomOut),
      h(Button, { disabled: size === scales.length - 1, onClick: () => setSize(size + 1) }, texts.zoomIn),
    ),
    h(
      'div',
      { class: 'table-frame picture', tabIndex: 0, role: 'region', 'aria-label': texts.picture },
      h(
        'svg',
        {
          viewBox: `0 0 ${width} ${height}`,
          width: Math.round(width * scale),
          height: Math.round(height * scale),
          role: 'group',
          'aria-label': texts.picture,
        },
        lines.map((line) =>
          h('path', {
            key: keyOf(line),
            class: lineClass(line),
            d: line.path,
            'aria-hidden': true,
          }),
        ),
        lines.map((line) => line.queries === undefined && h(End, { key: keyOf(line), path: line.path })),
        boxes.map((box) => h(TableBox, { key: box.table.name, place, box, lines, onNear: setNear })),
        lines.map(
          (line) =>
            line.queries !== undefined &&
            h(
              'text',
              { key: keyOf(line), class: 'queries', x: line.middle[0], y: line.middle[1] + 4 },
              texts.queries(line.queries),
            ),
        ),
      ),
    ),
    lines.length > 0 && h('details', null, h('summary', null, texts.pictureTable), h(Lines, { place, lines })),
  );
}

function keyOf({ from, column, to, toColumn }: Line): string {
  return [from, column, to, toColumn].join(' ');
}

/** A dot where the line meets the referenced table. */
function End({ path }: { path: string }): VNode {
  const [x, y] = path.split(' ').slice(-2);
  return h('circle', { class: 'end', cx: x as string, cy: y as string, r: 3.5, 'aria-hidden': true });
}

interface BoxProps {
  readonly place: Place;
  readonly box: Box;
  readonly lines: readonly Line[];
  /** Called with the table's name when the pointer or the focus enters its box, and with null when it leaves. */
  readonly onNear: (name: string | null) => void;
}

function TableBox({ place, box, lines, onNear }: BoxProps): VNode {
  const texts = words().tables;
  const { table, x, y, height } = box;
  const { name, columns } = table;
  const own = lines.filter(({ from, queries }) => from === name && queries === undefined);
  const others = [...new Set(own.map(({ to }) => to))];
  const more = columns.length - rowsMax;
  const shown = shortened(name, nameMax);
  // The label of a truncated name has the visible part first, then the full name (WCAG 2.2, 2.5.3).
  const label = shown === name ? name : `${shown} (${name})`;
  const lineOf = (row: number) => y + headHeight + row * rowHeight + 14;
  return h(
    'g',
    null,
    h(
      'a',
      {
        href: linkTo({ ...place, item: name, query: {} }),
        'aria-label': texts.boxLabel(label, columns.length, others.join(', ')),
        onMouseEnter: () => onNear(name),
        onMouseLeave: () => onNear(null),
        onFocus: () => onNear(name),
        onBlur: () => onNear(null),
      },
      h('rect', { class: 'box', x, y, width: boxWidth, height, rx: 4 }),
      h('text', { class: 'name', x: x + padding, y: y + 17 }, shown),
    ),
    h('path', { class: 'line', d: `M${x} ${y + headHeight}h${boxWidth}` }),
    columns.slice(0, rowsMax).map((column, row) => {
      const type = typeText(column);
      return [
        h(
          'text',
          { x: x + padding, y: lineOf(row), class: classes(column.required && 'required') },
          shortened(column.colName, rowMax - type.length - 1),
        ),
        h('text', { class: 'type', x: x + boxWidth - padding, y: lineOf(row) }, type),
      ];
    }),
    more > 0 && h('text', { class: 'more', x: x + padding, y: lineOf(rowsMax) }, texts.moreColumns(more)),
  );
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

function Lines({ place, lines }: { place: Place; lines: readonly Line[] }): VNode {
  const texts = words().tables;
  const link = (item: string) => h('a', { href: linkTo({ ...place, item, query: {} }) }, item);
  return h(
    'table',
    { class: 'table', 'aria-label': texts.pictureTable },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        [texts.table, texts.column, texts.leadsTo, texts.line].map((heading) =>
          h('th', { scope: 'col', key: heading }, heading),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      lines.map((line) =>
        h(
          'tr',
          { key: keyOf(line) },
          h('th', { scope: 'row' }, link(line.from)),
          h('td', null, line.column),
          h('td', null, link(line.to), line.toColumn && `.${line.toColumn}`),
          h('td', null, line.queries === undefined ? texts.isReference : texts.joinedBy(texts.queries(line.queries))),
        ),
      ),
    ),
  );
}

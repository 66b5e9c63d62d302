/** A small chart of bars, one for each step. Those who can't see it have the numbers in a table beside it. */
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface ChartProps {
  /** What it shows, with its last and highest value, told instead of the picture. */
  readonly label: string;
  readonly values: readonly number[];
  /** How many bars fit; fewer values stand at the right. */
  readonly steps: number;
  readonly isOfFaults?: boolean;
}

const height = 40;

export function Chart({ label, values, steps, isOfFaults = false }: ChartProps): VNode {
  const highest = Math.max(...values, 0);
  const first = steps - values.length;
  return h(
    'svg',
    {
      class: classes('chart', isOfFaults && 'faults'),
      viewBox: `0 0 ${steps} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    values.map((value, index) => {
      // What is not nothing has to be seen.
      const bar = value === 0 || highest === 0 ? 0 : Math.max(1, (value / highest) * height);
      return h('rect', { key: first + index, x: first + index + 0.1, y: height - bar, width: 0.8, height: bar });
    }),
  );
}

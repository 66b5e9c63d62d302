/** A small chart of bars, one for each step. Those who can't see it have the numbers in a table beside it. */
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface ChartProps {
  /** What it shows, with its last and highest value, told instead of the picture. */
  readonly label: string;
  /** One for each bar; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly isOfFaults?: boolean;
}

const height = 40;

export function Chart({ label, values, isOfFaults = false }: ChartProps): VNode {
  const highest = Math.max(...values.map((value) => value ?? 0), 0);
  return h(
    'svg',
    {
      class: classes('chart', isOfFaults && 'faults'),
      viewBox: `0 0 ${values.length} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    values.map((value, index) => {
      if (value === null || value === 0) return null;
      // What is not nothing has to be seen.
      const bar = Math.max(1, (value / highest) * height);
      return h('rect', { key: index, x: index + 0.1, y: height - bar, width: 0.8, height: bar });
    }),
  );
}

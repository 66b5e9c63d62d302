/** A small chart of bars, one for each step. A table next to it has the numbers, for those who can't see it. */
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface ChartProps {
  /** What it shows, with its last and highest value, for screen readers. */
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
      // Values above 0 must be visible.
      const bar = Math.max(1, (value / highest) * height);
      return h('rect', { key: index, x: index + 0.1, y: height - bar, width: 0.8, height: bar });
    }),
  );
}

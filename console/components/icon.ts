/** The few icons that the console draws itself, so that they look the same in every font. */
import type { VNode } from '../h.ts';
import { h } from '../h.ts';

const paths = {
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  attention: 'M8 3v6.5M8 12v1',
} as const;

/** Hidden from screen readers: the adjacent text or the button's label has the meaning. */
export function Icon({ name }: { name: keyof typeof paths }): VNode {
  return h(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', width: 12, height: 12, 'aria-hidden': true },
    h('path', { d: paths[name] }),
  );
}

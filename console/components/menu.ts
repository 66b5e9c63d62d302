/**
 * A menu of actions (WAI-ARIA Authoring Practices, "Menu Button"): above everything, closed by Escape or a click
 * outside.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';

export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
}

interface MenuProps {
  readonly label: string;
  /** The element that it belongs to, which gets the focus back when the menu closes. */
  readonly below: HTMLElement;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

const gap = 4;

export function Menu({ label, below, items, onClose }: MenuProps): VNode {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = element.current as HTMLDivElement;
    menu.showPopover();
    const { left, top, bottom } = below.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = menu;
    const isAbove = bottom + offsetHeight + gap > innerHeight && top > offsetHeight;
    menu.style.left = `${Math.max(gap, Math.min(left, innerWidth - offsetWidth - gap))}px`;
    menu.style.top = `${isAbove ? top - offsetHeight - gap : bottom + gap}px`;
    (menu.firstElementChild as HTMLElement | null)?.focus();
  }, []);
  const close = () => {
    below.focus();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const all = [...event.currentTarget.children] as HTMLElement[];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    if (event.key === 'Tab' || event.key === 'Escape') close();
    else if (to[event.key] === undefined) return;
    else all[to[event.key] as number]?.focus();
    event.preventDefault();
  };
  return h(
    'div',
    {
      ref: element,
      class: 'menu',
      role: 'menu',
      // Not `auto`, which would close when the mouse button that opened it is released.
      popover: 'manual',
      'aria-label': label,
      onKeyDown,
      onFocusOut: ({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) onClose();
      },
    },
    items.map(({ label: text, onSelect }) =>
      h(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          tabIndex: -1,
          key: text,
          onClick: () => {
            close();
            onSelect();
          },
        },
        text,
      ),
    ),
  );
}

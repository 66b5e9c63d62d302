/** Buttons, badges, notes, empty states, facts: the small pieces. */
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { Icon } from './icon.ts';
import { Named } from './named.ts';

export type Tone = 'good' | 'warning' | 'wrong';

interface ButtonProps {
  readonly kind?: 'main' | 'dangerous' | 'plain';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Inactive until its work is done, but keeps the focus, which a disabled button would lose. */
  readonly busy?: boolean;
  readonly onClick?: () => void;
  /** Accessible name, if the visible text is not sufficient. */
  readonly label?: string;
  readonly expanded?: boolean;
  readonly children?: ComponentChildren;
}

export function Button({
  kind,
  type = 'button',
  disabled = false,
  busy = false,
  onClick,
  label,
  expanded,
  children,
}: ButtonProps): VNode {
  return h(
    'button',
    {
      type,
      class: classes('button', kind),
      disabled,
      ...(busy && { 'aria-disabled': true }),
      ...(onClick && { onClick: () => busy || onClick() }),
      ...(label !== undefined && { 'aria-label': label }),
      ...(expanded !== undefined && { 'aria-expanded': expanded, 'aria-haspopup': 'dialog' as const }),
    },
    children,
  );
}

/** A link that looks like a button. */
export function LinkButton({
  href,
  kind,
  label,
  isElsewhere = false,
  children,
}: {
  href: string;
  kind?: 'main';
  /** Opens another site in a new tab, without telling it about the console. */
  isElsewhere?: boolean;
  /** Accessible name, if the visible text is not sufficient. */
  label?: string;
  children?: ComponentChildren;
}): VNode {
  return h(
    'a',
    {
      href,
      class: classes('button', kind),
      ...(label !== undefined && { 'aria-label': label }),
      ...(isElsewhere && { target: '_blank', rel: 'noopener noreferrer' }),
    },
    children,
  );
}

const signs = { good: 'check', warning: 'attention', wrong: 'close' } as const;

/** A state in a word; its sign distinguishes tones without colour. */
export function Badge({ tone, children }: { tone?: Tone; children?: ComponentChildren }): VNode {
  return h('span', { class: classes('badge', tone) }, tone && h(Icon, { name: signs[tone] }), children);
}

/** Shows whether a user or thing is disabled. */
export function State({ disabled }: { readonly disabled: boolean }): VNode {
  return disabled ? h(Badge, { tone: 'warning' }, words().isDisabled) : h('span', null, words().isEnabled);
}

/** A note to read before continuing. A `wrong` one is announced to screen readers at once. */
export function Note({ tone, children }: { tone?: Tone; children?: ComponentChildren }): VNode {
  const role = tone === 'wrong' ? ({ role: 'alert' } as const) : {};
  return h(
    'div',
    { class: classes('note', tone), ...role },
    tone && h(Icon, { name: signs[tone] }),
    h('div', null, children),
  );
}

/** Shown where there is nothing yet: what would be here, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return h('div', { class: 'empty' }, h('h2', null, title), children);
}

/** Names and values. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }): VNode {
  return h(
    'dl',
    { class: 'facts' },
    of.map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
  );
}

interface ScreenProps {
  readonly title: string;
  /** A sentence on what the screen is for. */
  readonly what?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The head of a screen, and its content. */
export function Screen({ title, what, actions, children }: ScreenProps): VNode {
  return h(
    'main',
    { class: 'screen', id: 'screen', tabIndex: -1 },
    h(
      'div',
      { class: 'screen-head' },
      h('h1', null, title),
      actions && h('div', { class: 'actions' }, actions),
      what && h('p', { class: 'what' }, what),
    ),
    h(Named.Provider, { value: title }, children),
  );
}

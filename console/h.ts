/** Type-checked elements of the console: `h('button', { type: 'button' }, 'Save')`, or `h(Button, { … })`. */
import {
  type Attributes,
  type ComponentChildren,
  createElement,
  type FunctionComponent,
  type JSX,
  type LooseInputHTMLAttributes,
  type VNode,
} from 'preact';

export type { ComponentChildren, VNode } from 'preact';

/**
 * An input has only the plain attributes: the package's types differ by its type, which a shared component does not
 * know.
 */
type Tags = Omit<JSX.IntrinsicElements, 'input'> & { input: LooseInputHTMLAttributes<HTMLInputElement> };

export function h<Tag extends keyof Tags>(tag: Tag, props: Tags[Tag] | null, ...children: ComponentChildren[]): VNode;
export function h<Props extends object>(
  component: FunctionComponent<Props>,
  props: Props & Attributes,
  ...children: ComponentChildren[]
): VNode;
export function h(type: unknown, props: unknown, ...children: ComponentChildren[]): VNode {
  return createElement(type as 'div', props as object, ...children) as VNode;
}

/** Joins the class names that are not false: `classes('row', isChosen && 'chosen')`. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== false && name !== undefined).join(' ');
}

/** Elements of the console, checked: `h('button', { type: 'button' }, 'Save')`, or `h(Button, { … })`. */
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

/** Of an input, the plain attributes: those of the package tell its types apart, which a shared component can't. */
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

/** Those of the class names that are wanted: `classes('row', isChosen && 'chosen')`. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== false && name !== undefined).join(' ');
}

/** Times in the reader's format and the browser's time zone. */
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { language } from '../preferences.ts';

/** @param at ISO 8601, as in answers of the service */
export function Time({ at }: { at: string }): VNode {
  const format = new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium' });
  return h('time', { dateTime: at, title: at }, format.format(new Date(at)));
}

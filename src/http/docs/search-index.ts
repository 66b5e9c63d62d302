/** The index that the browser searches: the headings of all pages, and the text below each. */
import type { Steps } from '../../time-slices.ts';
import type { Library } from './library.ts';
import { partsOf } from './markdown.ts';

/** Limit on the text below a heading; the rest is not searched. */
const textCharactersMax = 32_000;

/** `src/http/pages/docs/search.js` reads it. */
export interface SearchIndex {
  readonly pages: readonly { readonly path: string; readonly title: string }[];
  /** The page by its position in `pages`. */
  readonly parts: readonly (readonly [page: number, anchor: string, heading: string, text: string])[];
}

export function* searchIndex({ pages }: Library): Steps<SearchIndex> {
  const parts: SearchIndex['parts'][number][] = [];
  for (const [index, { source }] of pages.entries()) {
    for (const { anchor, heading, text } of yield* partsOf(source, (href) => href)) {
      parts.push([index, anchor, heading, text.slice(0, textCharactersMax)]);
    }
  }
  return { pages: pages.map(({ path, title }) => ({ path, title })), parts };
}

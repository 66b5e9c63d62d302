/** The part of a page between two marks, which is made and never typed. */

/** @returns the page with another text between the marks. @throws Error where they are missing */
export function withPart(page: string, { begin, end }: Marks, text: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no part between "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}

export interface Marks {
  readonly begin: string;
  readonly end: string;
}

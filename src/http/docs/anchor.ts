/**
 * The anchor of a heading in rendered Markdown: here, and on most hosts of repositories.
 * @param heading without markup
 */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

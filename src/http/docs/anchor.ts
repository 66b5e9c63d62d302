/**
 * The anchor that a heading gets where Markdown is shown: here, and in most places that show repositories.
 * @param heading without markup
 */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** What keeps people with impairments from using a page, as axe-core finds it. */
import axe, { type Result, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * A sentence for each rule that the page breaks, with the elements. Only these are taken out of the page: to gather what else
 * axe-core tells costs as much as the checks.
 */
export async function axeFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  // What is still faded in or out has less contrast.
  await page.evaluate('Promise.allSettled(document.getAnimations().map((animation) => animation.finished))');
  const asked = JSON.stringify({ resultTypes: ['violations'], ...options });
  const found = await page.evaluate<Result[]>(`axe.run(document, ${asked}).then(({ violations }) => violations)`);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

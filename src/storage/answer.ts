/** How the history of transactions keeps what a batch was answered: ids and times, so that a repeat is answered the same. */
import type { WrittenItem } from './contract.ts';

export function answerText(items: readonly WrittenItem[]): string {
  return JSON.stringify(items.map(({ objectId, created, updated }) => [objectId, created, updated]));
}

/** @param text as `answerText` made it, or an engine in SQL: an array of [objectId, created, updated] */
export function answeredItems(text: string): WrittenItem[] {
  const items = JSON.parse(text) as [string, number, number][];
  return items.map(([objectId, created, updated]) => ({ objectId, created, updated }));
}

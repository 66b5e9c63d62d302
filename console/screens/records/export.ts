/** Saves all records of a query as JSON lines, page by page, and reports progress. */

import { messageOf } from '../../components/form.ts';
import { tell } from '../../components/toasts.ts';
import { language, words } from '../../preferences.ts';
import { pageOf, type VersionParams, type Wanted } from '../../records.ts';

const pageRows = 1_000;
const toldEvery = 10_000;

export async function exportRows(params: VersionParams, wanted: Wanted, count: number | null): Promise<void> {
  const number = new Intl.NumberFormat(language.value);
  const parts: string[] = [];
  let rows = 0;
  let next: string | null = '';
  try {
    while (next !== null) {
      const page = await pageOf(params, wanted, next, pageRows);
      parts.push(page.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      rows += page.rows.length;
      next = page.next;
      if (rows % toldEvery === 0 && next !== null) {
        tell(words().records.exporting(number.format(rows), count === null ? '…' : number.format(count)));
      }
    }
  } catch (error) {
    tell(messageOf(error), { tone: 'wrong' });
    return;
  }
  saveFile(`${wanted.table}.jsonl`, parts);
  tell(words().records.exported(number.format(rows)));
}

/** Gives the browser a file to save. */
export function saveFile(name: string, parts: readonly string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves all records of a query as JSON lines, page by page; shows its progress meanwhile, and can be stopped. */
import { signal } from '@preact/signals';
import { Refusal } from '../../api.ts';
import { Button } from '../../components/basics.ts';
import { messageOf } from '../../components/form.ts';
import { tell } from '../../components/toasts.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { language, words } from '../../preferences.ts';
import { pageOf, type Row, type VersionParams, type Wanted } from '../../records.ts';

interface Wish {
  readonly params: VersionParams;
  readonly wanted: Wanted;
  /** Null if not counted yet. */
  readonly count: number | null;
}

interface Exporting extends Wish {
  readonly rows: number;
  readonly stop: () => void;
}

/** The export under way, which goes on while other screens are looked at. */
const exporting = signal<Exporting | null>(null);

export function ExportButton(wish: Wish): VNode {
  const texts = words().records;
  if (exporting.value === null) return h(Button, { onClick: () => void exportRows(wish) }, texts.export);
  const { rows, count, wanted, stop } = exporting.value;
  const number = new Intl.NumberFormat(language.value);
  const all = count === null ? '…' : number.format(count);
  return h(
    'span',
    { class: 'buttons' },
    h('span', { class: 'quiet' }, wanted.table, ' ', texts.exporting(number.format(rows), all)),
    h(Button, { onClick: stop }, texts.stopExport),
  );
}

async function exportRows(wish: Wish): Promise<void> {
  const { table } = wish.wanted;
  const controller = new AbortController();
  const parts: string[] = [];
  let rows = 0;
  const tellProgress = () => {
    exporting.value = { ...wish, rows, stop: () => controller.abort() };
  };
  tellProgress();
  try {
    for await (const page of pagesOf(wish, controller.signal)) {
      parts.push(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
      rows += page.length;
      tellProgress();
    }
    saveFile(`${table}.jsonl`, parts);
    tell(words().records.exported(new Intl.NumberFormat(language.value).format(rows)));
  } catch (error) {
    if (!controller.signal.aborted) tell(messageOf(error), { tone: 'wrong' });
  } finally {
    exporting.value = null;
  }
}

const pageRows = 1_000;
/** The page is larger than an answer may be. */
const tooLarge = 413;

/** Pages of fewer rows where the rows are large. @throws Refusal, also of a single row @throws the signal's reason */
async function* pagesOf({ params, wanted }: Wish, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  let limit = pageRows;
  for (let after: string | null = ''; after !== null; ) {
    try {
      const { rows, next } = await pageOf(params, wanted, after, limit, signal);
      after = next;
      yield rows;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== tooLarge || limit === 1) throw error;
      limit = Math.ceil(limit / 2);
    }
  }
}

/** Gives the browser a file to save. */
export function saveFile(name: string, parts: readonly string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

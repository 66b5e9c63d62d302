/** What makes a row of a file the same row when the file is chosen again: its values, and how many equal rows stand before it. Pure. */
import type { CheckedRow } from './rows.ts';
import { sha256 } from './sha256.ts';
import { errorColumn, inTurns, type Source } from './source.ts';

export interface IdentifiedRow extends CheckedRow {
  /** The objectId for its record; null if the row has its own. */
  readonly objectId: string | null;
}

const idLength = 32;

/**
 * Gives each row an objectId that hangs on its own line only, so that a row is never added twice for one owner: not when rows
 * beside it are corrected, added or left out, nor when it is matched to other columns or the columns are changed.
 */
export async function identify(
  rows: readonly CheckedRow[],
  { form, names, rows: lines }: Source,
  ownerId: number,
  signal: AbortSignal,
): Promise<readonly IdentifiedRow[]> {
  const isOwn = names.map((name) => name !== errorColumn);
  const counts = new Map<string, number>();
  const identified: IdentifiedRow[] = [];
  const contentOf = (values: readonly unknown[]) => {
    const own = values.flatMap((value, at) => (isOwn[at] ? [[names[at], value] as const] : []));
    if (form === 'csv') return own.map(([, value]) => value);
    // The order of names in an object does not matter.
    return own
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1));
  };
  const add = ({ row, item }: CheckedRow) => {
    if ((item.objectId ?? '') !== '') {
      identified.push({ row, item, objectId: null });
      return;
    }
    const content = contentOf(lines[row]?.values ?? []);
    const digest = sha256(JSON.stringify([ownerId, content])).slice(0, idLength);
    const count = counts.get(digest) ?? 0;
    counts.set(digest, count + 1);
    identified.push({ row, item, objectId: `import_${digest}${count === 0 ? '' : `_${count + 1}`}` });
  };
  await inTurns(rows, add, signal);
  return identified;
}

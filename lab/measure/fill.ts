/** Fills the service's data spaces before it is measured, through HTTP like any client. */
import { postJson } from '../client/messages.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import type { Space } from './asks.ts';
import {
  categoriesOf,
  categoryCount,
  categoryOf,
  categoryTable,
  recordOf,
  rowsEach,
  table,
  tableName,
} from './workload.ts';

const batchSize = 1_000;
const spacesAtOnce = 8;

/**
 * Defines the tables in every data space and adds the categories and rows.
 * @param rows bounded by `rowsEach` if there are several data spaces
 */
export async function fill(port: number, spaces: readonly Space[], rows: number): Promise<void> {
  const own = rowsEach(rows, spaces.length);
  const categoriesUsed = own === 0 ? categoryCount : categoriesOf(own);
  const categories = Array.from({ length: categoriesUsed }, (_, number) => categoryOf(number));
  let done = 0;
  const fillOne = async (space: Space) => {
    const post = (path: string, body: object) => postJson(port, space, path, body);
    await post('/schemas', { tables: [table, categoryTable] });
    await post('/data/batch/addData', { objectName: categoryTable.name, data: categories });
    for (let from = 0; from < own; from += batchSize) {
      const data = Array.from({ length: Math.min(batchSize, own - from) }, (_, index) =>
        recordOf(from + index, categoriesUsed),
      );
      await post('/data/batch/addData', { objectName: tableName, data });
      if (spaces.length === 1 && from % 100_000 === 0) showProgress(`filling: ${from} of ${own} rows`);
    }
    if (++done % 100 === 0) showProgress(`filling: ${done} of ${spaces.length} data spaces`);
  };
  const waiting = spaces.values();
  const worker = async () => {
    for (const space of waiting) await fillOne(space);
  };
  await Promise.all(Array.from({ length: spacesAtOnce }, worker));
  clearProgress();
}

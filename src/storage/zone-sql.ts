/** The offset of a time zone in SQL: the same tree of comparisons on both engines, from the service's own table. */
import { daysFromYear0, offsetSpans, type Zone } from '../schema/time.ts';
import { dayMs } from '../setting.ts';

/** Added before a division, which rounds towards zero, so that the dividend is never negative. */
export const msFromYear0 = daysFromYear0 * dayMs;

/** @param instantSql milliseconds since 1970, which is written several times */
export function offsetSql(zone: Zone, instantSql: string): string {
  const spans = offsetSpans(zone);
  const between = (first: number, last: number): string => {
    if (first === last) return `${spans[first]!.offsetMs}`;
    const middle = Math.ceil((first + last) / 2);
    const [before, after] = [between(first, middle - 1), between(middle, last)];
    return `CASE WHEN ${instantSql} < ${spans[middle]!.fromMs} THEN ${before} ELSE ${after} END`;
  };
  return spans.length === 1 ? `(${spans[0]!.offsetMs})` : between(0, spans.length - 1);
}

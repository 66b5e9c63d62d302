/**
 * Turns a large body into a JSON value without blocking other requests: checks its bytes first, then parses its items
 * in portions, and yields in between.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Settings } from '../config.ts';
import { malformed } from '../errors.ts';
import type { ItemArray } from '../schema/json-scan.ts';
import { inTimeSlices, TimeSlice } from '../time-slices.ts';
import { advance, type BodyBounds, inspectTexts, parseJson, scanOf } from './body.ts';

/** How many bytes are scanned before the clock is read. */
const scannedBytes = 16 * 1024;

/**
 * What a query keeps until it is answered, besides its body: its tree, its SQL and its bound parameters. Measured:
 * 10 000 parameters in 110 KiB take 8 MiB.
 */
const compiledPer = { expressionByte: 144, value: 300 } as const;

/** Estimated memory of a query, bytes, from the bytes and values of its body. */
export function compiledBytes(
  bytes: number,
  values: number,
  { expressionBytesMax }: Pick<Settings, 'expressionBytesMax'>,
) {
  return Math.min(bytes, expressionBytesMax) * compiledPer.expressionByte + values * compiledPer.value;
}

/**
 * @param weigh gets the estimated memory and the number of values, and may refuse the body
 * @throws ServiceError `malformed`; whatever `weigh` throws
 */
export async function parseLargeBody(
  bytes: Buffer,
  bounds: BodyBounds,
  weigh: (weightBytes: number, values: number) => void,
): Promise<unknown> {
  const slice = new TimeSlice();
  // Other bodies may have become complete in the same turn.
  await slice.next();
  if (!isUtf8(bytes)) throw malformed('body', 'expected UTF-8, got other bytes.');
  const scan = scanOf(bytes, bounds);
  while (!advance(scan, scannedBytes)) if (slice.isOver) await slice.next();
  // Text with a character beyond Latin-1 takes two bytes per character.
  weigh(scan.weightBytes + (isAscii(bytes) ? 0 : scan.textBytes), scan.values);
  await slice.next();
  const body = parseJson(outsideOf(scan.itemArrays, bytes), 'body');
  for (const array of scan.itemArrays) await fill(body, array, bytes, slice);
  if (scan.isEscaped) await inspect(body, scan.itemArrays);
  return body;
}

/** The text of the body with its long arrays replaced by empty brackets. */
function outsideOf(arrays: readonly ItemArray[], bytes: Buffer): string {
  let text = '';
  let from = 0;
  for (const { start, end } of arrays) {
    text += bytes.toString('utf8', from, start);
    from = end;
  }
  return text + bytes.toString('utf8', from);
}

/** Parses the items and puts them in place. */
async function fill(body: unknown, array: ItemArray, bytes: Buffer, slice: TimeSlice): Promise<void> {
  const { name, cuts, itemsBefore } = array;
  // Even the items of an array that is overridden must be valid JSON.
  const items = array.isReplaced ? [] : ((body as Readonly<Record<string, unknown>>)[name] as unknown[]);
  for (const [index, from] of [array.start, ...cuts].entries()) {
    if (slice.isOver) await slice.next();
    const first = itemsBefore[index - 1] ?? 0;
    const text = `[${bytes.toString('utf8', from, cuts[index] === undefined ? array.end : cuts[index] - 1)}]`;
    const parsed = parseJson(text, `${name}, from item ${first}`) as unknown[];
    // A comma with nothing after it.
    if (parsed.length === 0) throw malformed(`${name}[${first}]`, 'not JSON: an item is missing.');
    for (const item of parsed) items.push(item);
  }
}

/** Only an escape can put NUL or an unpaired surrogate into well-formed UTF-8. */
async function inspect(body: unknown, arrays: readonly ItemArray[]): Promise<void> {
  const rest = { ...(body as Record<string, unknown>) };
  for (const { name } of arrays) {
    const items = rest[name];
    delete rest[name];
    if (Array.isArray(items))
      await inTimeSlices(items.length, (index) => inspectTexts(items[index], `${name}[${index}]`));
  }
  inspectTexts(arrays.length === 0 ? body : rest, '');
}

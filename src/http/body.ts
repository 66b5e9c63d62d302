/**
 * Turns a request body into a JSON value, or into an error that says what is wrong with it
 * (docs/reference/requests.md#bodies): checks UTF-8, nesting, and text and numbers that would be altered, once for
 * every operation. For small bodies; `large-body.ts` has the others.
 */
import { isUtf8 } from 'node:buffer';
import type { Settings } from '../config.ts';
import { malformed } from '../errors.ts';
import { ScanFault, within } from '../schema/json-bounds.ts';
import { JsonScan } from '../schema/json-scan.ts';
import { refuseUnstorable } from '../text.ts';

export type BodyBounds = Pick<
  Settings,
  'depthMax' | 'valueBytesMax' | 'bodyValuesMax' | 'itemValuesMax' | 'itemMembersMax' | 'batchItemsMax'
>;

/** @throws ServiceError `malformed` */
export function parseBody(bytes: Buffer, bounds: BodyBounds): unknown {
  if (!isUtf8(bytes)) throw malformed('body', 'expected UTF-8, got other bytes.');
  const text = bytes.toString('utf8');
  const value = parseJson(text, 'body');
  inspect(value, '', bounds.depthMax, text.includes('\\u'));
  if (manyDigits.test(text)) advance(scanOf(bytes, bounds), bytes.length);
  return value;
}

/** @param field the name of the text in error messages. @throws ServiceError `malformed` */
export function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(field, text.trim() === '' ? 'expected JSON, got nothing.' : `not JSON: ${plainly(error)}.`);
  }
}

/** Matches long numbers in JSON. Text may match too, such as ids in quotes. */
const manyDigits = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** V8 quotes a part of the body in its message; the position and the cause are enough. */
function plainly(error: unknown): string {
  const message = (error as Error).message;
  const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  const what = message.split(/ in JSON|, "|\.\.\. /)[0] ?? 'it cannot be read';
  return position === undefined ? what : `${what} at ${position}`;
}

/** @param escaped whether there are escapes, so that the texts have to be checked */
function inspect(value: unknown, path: string, depthLeft: number, escaped: boolean): void {
  if (typeof value === 'string') {
    if (escaped) inspectText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw malformed(path === '' ? 'body' : path, 'nested too deeply (setting depthMax).');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === 'object' || escaped)
        inspect(item, escaped ? `${path}[${index}]` : path, depthLeft - 1, escaped);
    }
    return;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (escaped) inspectText(name, path === '' ? 'body' : path);
    if (typeof member === 'object' || escaped) {
      inspect(member, escaped ? within(path, name) : path, depthLeft - 1, escaped);
    }
  }
}

/** Only an escape can put NUL or an unpaired surrogate into well-formed UTF-8. @throws ServiceError `malformed` */
export function inspectTexts(value: unknown, path: string): void {
  inspect(value, path, Number.POSITIVE_INFINITY, true);
}

function inspectText(text: string, path: string): void {
  refuseUnstorable(path, text);
}

export function scanOf(bytes: Buffer, bounds: BodyBounds): JsonScan {
  const { depthMax, valueBytesMax, bodyValuesMax, itemValuesMax, itemMembersMax, batchItemsMax } = bounds;
  const itemsMax = Math.max(itemValuesMax, batchItemsMax);
  return new JsonScan(bytes, {
    depthMax,
    valueBytesMax,
    valuesMax: bodyValuesMax,
    itemValuesMax,
    itemMembersMax,
    itemsMax,
  });
}

/**
 * As `JsonScan.advance`.
 * @throws ServiceError `malformed` for a number that loses digits and for anything beyond a limit
 */
export function advance(scan: JsonScan, count: number): boolean {
  try {
    return scan.advance(count);
  } catch (error) {
    if (error instanceof ScanFault) throw malformed(error.path || 'body', error.message);
    throw error;
  }
}

/** Reads results as a client sees them: as one text, whatever its pieces. */
import assert from 'node:assert/strict';
import { type JsonText, wholeText } from '../../src/storage/json-text.ts';

/** @throws AssertionError when there is no result */
export function wholeOf(text: JsonText | undefined): string {
  assert.ok(text !== undefined, 'There is no such array in the result.');
  return wholeText(text);
}

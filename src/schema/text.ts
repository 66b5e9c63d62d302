/** Checks of text, and measures of its length. */
import { byteLength } from '../text.ts';

/** The length of well-formed text in code points. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) length--;
  }
  return length;
}

/** True when the text takes more than the given number of bytes as UTF-8; short text is decided without counting. */
export function isLongerThanBytes(text: string, bytesMax: number): boolean {
  return text.length * 3 > bytesMax && (text.length > bytesMax || byteLength(text) > bytesMax);
}

/** The order of well-formed text by code point, which is also that of its UTF-8 bytes, on every engine. */
export function compareCodePoints(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others, although their units are below U+E000. */
function rank(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x1_0000 : unit;
}

/** Unique ids: 48 bits of time and 80 random bits, so that later ones are greater, and adjacent in an index. */

/**
 * 32 hexadecimal digits.
 * @throws TypeError if the platform has no `crypto`, such as React Native without a polyfill: pass `newId` then
 */
export function timeOrderedId(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  const time = Date.now().toString(16).padStart(12, '0');
  return time + Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256 (FIPS 180-4) in plain code: browsers have `crypto.subtle` over https and on their own machine only. Pure. */

const primes: number[] = [];
for (let number = 2; primes.length < 64; number++)
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);

/** The first 32 bits of the fraction. */
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const blockBytes = 64;
const schedule = new Int32Array(64);

/** The digest of a text in UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The text is followed by a 1 bit, and by its length in bits in the last 8 bytes.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, bytes.length / 2 ** 29);
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = Int32Array.from(initial);
  for (let at = 0; at < padded.length; at += blockBytes) addBlock(state, view, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const rotated = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function addBlock(state: Int32Array, view: DataView, begin: number): void {
  const word = (index: number) => schedule[index] as number;
  for (let index = 0; index < 64; index++) {
    if (index < 16) {
      schedule[index] = view.getInt32(begin + 4 * index);
      continue;
    }
    const early = word(index - 15);
    const late = word(index - 2);
    const mixedEarly = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const mixedLate = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    schedule[index] = word(index - 16) + mixedEarly + word(index - 7) + mixedLate;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const chosen = (e & f) ^ (~e & g);
    const mixedE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + mixedE + chosen + (constants[index] as number) + word(index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixedA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + mixedA + majority) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + value;
}

/**
 * JSON text on its way from the rows of a query to the client. Large text is sent in pieces, so that it is never
 * handled as a whole.
 */

/** Text, or consecutive pieces: bytes of UTF-8, and text between them. */
export type JsonText = string | readonly JsonPiece[];
export type JsonPiece = string | Uint8Array<ArrayBuffer>;

/** The texts joined; a plain text if all are. */
export function joined(texts: readonly JsonText[]): JsonText {
  let whole = '';
  for (const text of texts) {
    if (typeof text !== 'string') return texts.flat();
    whole += text;
  }
  return whole;
}

/** In one string, however many pieces it has. A character may begin in one piece and end in the next. */
export function wholeText(text: JsonText): string {
  if (typeof text === 'string') return text;
  return Buffer.concat(text.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))).toString();
}

/** One array of the elements of all arrays, each the JSON text of one. */
export function concatenated(arrays: readonly JsonText[]): JsonText {
  const [only, ...others] = arrays;
  if (only !== undefined && others.length === 0) return only;
  const filled = arrays.map(elementsOf).filter((elements) => elements.some((piece) => piece.length > 0));
  return joined(['[', ...filled.flatMap((elements, index) => (index === 0 ? [elements] : [',', elements])), ']']);
}

function elementsOf(array: JsonText): readonly JsonPiece[] {
  const pieces = typeof array === 'string' ? [array] : array;
  const without = [...pieces];
  without[0] = (without[0] as string).slice(1);
  without[without.length - 1] = (without.at(-1) as string).slice(0, -1);
  return without;
}

/** The buffers of all byte pieces, which a thread can transfer without a copy. */
export function buffersOf(texts: readonly JsonText[]): ArrayBuffer[] {
  return texts.flatMap((text) =>
    typeof text === 'string' ? [] : text.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.buffer])),
  );
}

/** Growing text of this many characters becomes a piece of bytes. */
export const pieceCharacters = 128 * 1024;

/** Bytes that have their buffer for themselves. */
export function pieceOf(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, encoding);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Bytes of a buffer that is used again. */
export const bufferBytes = 64 * 1024;

/** How long buffers are kept that nobody uses, milliseconds. */
const unusedTimeMs = 10_000;

/** New buffers for each result would have the garbage collector run, and hold up everybody, three times for one of 62 MB. */
let unused: ArrayBuffer[] = [];
/** Those in use. No other is ever used again, and none is twice among the unused. */
const taken = new WeakSet<ArrayBuffer>();
const forgetting = setTimeout(() => {
  unused = [];
}, unusedTimeMs).unref();

/** A buffer for a piece; what was in it before is to be written over. */
export function takeBuffer(): Buffer<ArrayBuffer> {
  const buffer = unused.pop() ?? new ArrayBuffer(bufferBytes);
  taken.add(buffer);
  return Buffer.from(buffer);
}

/** The buffers of the pieces that others can use when nobody reads the text any more. */
export function reusable(text: JsonText): ArrayBuffer[] {
  return buffersOf([text]).filter((buffer) => taken.has(buffer));
}

/**
 * To be called once for each of them: after that another text may be in it.
 * @param bytesMax of all that are kept
 */
export function giveBack(buffers: readonly ArrayBuffer[], bytesMax: number): void {
  for (const buffer of buffers) {
    if (taken.delete(buffer) && (unused.length + 1) * bufferBytes <= bytesMax) unused.push(buffer);
  }
  forgetting.refresh();
}

/**
 * JSON text made from the rows of a query for the client. Large text is sent in pieces, so that it is never handled as
 * a whole.
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

/** As one string. A character may begin in one piece and end in the next. */
export function wholeText(text: JsonText): string {
  if (typeof text === 'string') return text;
  return Buffer.concat(text.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))).toString();
}

/** Concatenates arrays given as JSON text into one. */
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

/** Bytes in a buffer of their own. */
export function pieceOf(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, encoding);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Size of a reusable buffer, bytes. */
export const bufferBytes = 64 * 1024;

/** How long unused buffers are kept, milliseconds. */
const unusedTimeMs = 10_000;

/**
 * New buffers for each result would trigger garbage collection, which stops every request, three times for a result of
 * 62 MB.
 */
let unused: ArrayBuffer[] = [];
/** Buffers in use. Only these can be returned, and each only once. */
const taken = new WeakSet<ArrayBuffer>();
const forgetting = setTimeout(() => {
  unused = [];
}, unusedTimeMs).unref();

/** A buffer for a piece; it has old content, which must be overwritten. */
export function takeBuffer(): Buffer<ArrayBuffer> {
  const buffer = unused.pop() ?? new ArrayBuffer(bufferBytes);
  taken.add(buffer);
  return Buffer.from(buffer);
}

/** The buffers of the pieces that can be reused when the text is no longer read. */
export function reusable(text: JsonText): ArrayBuffer[] {
  return buffersOf([text]).filter((buffer) => taken.has(buffer));
}

/**
 * To be called once for each of them; afterwards it may hold another text.
 * @param bytesMax limit on all unused buffers
 */
export function giveBack(buffers: readonly ArrayBuffer[], bytesMax: number): void {
  for (const buffer of buffers) {
    if (taken.delete(buffer) && (unused.length + 1) * bufferBytes <= bytesMax) unused.push(buffer);
  }
  forgetting.refresh();
}

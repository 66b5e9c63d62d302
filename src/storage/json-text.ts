/** JSON text on its way from the rows of a query to the client: a large one goes in pieces, so that nothing handles it as a whole. */

/** Text, or pieces that follow each other: bytes of UTF-8, and the text between them. */
export type JsonText = string | readonly JsonPiece[];
export type JsonPiece = string | Uint8Array<ArrayBuffer>;

/** One text after the other; a plain text when all of them are. */
export function joined(texts: readonly JsonText[]): JsonText {
  return texts.every((text) => typeof text === 'string') ? texts.join('') : texts.flat();
}

/** The buffers of all pieces of bytes, which a thread can hand over without a copy. */
export function buffersOf(texts: readonly JsonText[]): ArrayBuffer[] {
  return texts.flatMap((text) =>
    typeof text === 'string' ? [] : text.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.buffer])),
  );
}

/** Characters from which text that grows is made a piece of bytes. */
export const pieceCharacters = 128 * 1024;

/** Bytes that have their buffer for themselves. */
export function pieceOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

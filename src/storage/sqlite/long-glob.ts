/**
 * GLOB for long texts. SQLite's own tries every place of a text anew, which takes seconds for a hostile pattern on one
 * large value, and nothing can stop it there. This one looks for a piece between two stars where the last one ended, and
 * asks for the deadline on its way. Patterns are those that the dialect makes: `*`, `?`, and literals in brackets.
 */

/** What stands between two stars: a plain text, or tokens where some match any character. */
type Piece = string | readonly Token[];
type Token = string | typeof anyCharacter;

const anyCharacter = Symbol('any character');

/** How many places are tried between two looks at the clock. */
const triesPerLook = 10_000;

/** @param pause called now and then on the way; throws to stop it */
export function matchesGlob(text: string, pattern: string, onProgress: () => void): boolean {
  const pieces = piecesOf(pattern);
  const first = pieces[0] as Piece;
  const start = endOfMatchAt(text, 0, first);
  if (start === -1) return false;
  if (pieces.length === 1) return start === text.length;
  const end = startOfMatchBefore(text, text.length, pieces.at(-1) as Piece);
  if (end === -1 || end < start) return false;
  let position = start;
  for (const piece of pieces.slice(1, -1)) {
    position = endOfNext(text, position, piece, onProgress);
    if (position === -1 || position > end) return false;
  }
  return true;
}

let lastPattern: { readonly text: string; readonly pieces: readonly Piece[] } = { text: '', pieces: [''] };

/** A statement asks for the same pattern row by row. */
function piecesOf(pattern: string): readonly Piece[] {
  if (lastPattern.text !== pattern) lastPattern = { text: pattern, pieces: parse(pattern) };
  return lastPattern.pieces;
}

function parse(pattern: string): Piece[] {
  const pieces: Token[][] = [[]];
  for (const [token] of pattern.matchAll(/\[.\]|./gsu)) {
    const piece = pieces.at(-1) as Token[];
    if (token === '*') pieces.push([]);
    else if (token === '?') piece.push(anyCharacter);
    else piece.push(token.length > 2 && token.startsWith('[') ? (token[1] as string) : token);
  }
  return pieces.map((tokens) => (tokens.includes(anyCharacter) ? tokens : tokens.join('')));
}

/** Where the piece's next match from the position on ends, or -1. */
function endOfNext(text: string, from: number, piece: Piece, onProgress: () => void): number {
  if (typeof piece === 'string') {
    const found = text.indexOf(piece, from);
    onProgress();
    return found === -1 ? -1 : found + piece.length;
  }
  let tries = 0;
  for (let at = from; at <= text.length; at += widthAt(text, at)) {
    const end = endOfMatchAt(text, at, piece);
    if (end !== -1) return end;
    if (++tries % triesPerLook === 0) onProgress();
  }
  return -1;
}

/** Where the piece ends when it matches at the position, else -1. */
function endOfMatchAt(text: string, at: number, piece: Piece): number {
  if (typeof piece === 'string') return text.startsWith(piece, at) ? at + piece.length : -1;
  let position = at;
  for (const token of piece) {
    if (token === anyCharacter) {
      if (position >= text.length) return -1;
      position += widthAt(text, position);
    } else if (text.startsWith(token, position)) position += token.length;
    else return -1;
  }
  return position;
}

/** Where the piece begins when it matches right before the position, else -1. */
function startOfMatchBefore(text: string, before: number, piece: Piece): number {
  const tokens = typeof piece === 'string' ? [piece] : piece.toReversed();
  let position = before;
  for (const token of tokens) {
    if (token === anyCharacter) {
      if (position === 0) return -1;
      const isPair = position > 1 && widthAt(text, position - 2) === 2;
      position -= isPair ? 2 : 1;
    } else {
      position -= token.length;
      if (position < 0 || !text.startsWith(token, position)) return -1;
    }
  }
  return position;
}

/** Code units of the character at the position. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

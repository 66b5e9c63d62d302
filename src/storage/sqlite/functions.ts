/**
 * The SQL functions that our statements call on SQLite; every connection that runs them must register them. Statements
 * rarely call them, because `node:sqlite` keeps the arguments and the result of every call until the statement yields
 * its next row (docs/explanation/memory-of-queries.md). This memory is counted.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Folds, foldBy } from '../../schema/fold.ts';

/** Ends a statement that runs past its time limit. */
export class DeadlinePassed extends Error {
  constructor() {
    super('The statement ran past its time limit.');
    this.name = 'DeadlinePassed';
  }
}

/** Ends a statement with too many groups (setting groupsMax). */
export class TooManyGroups extends Error {
  readonly groupsMax: number;

  constructor(groupsMax: number) {
    super(`The statement has more than ${groupsMax} groups.`);
    this.name = 'TooManyGroups';
    this.groupsMax = groupsMax;
  }
}

/** Ends a statement whose functions received more text than may be kept; see `CallMemory`. */
class CallMemoryFull extends Error {
  constructor() {
    super('The functions of the statement were given more text than may be kept in memory.');
    this.name = 'CallMemoryFull';
  }
}

/** Characters from which work on a single text takes longer than a check of the time. */
const longText = 2_000;

/** Bytes of one call, besides its texts. */
const keptPerCall = 64;

/** Bytes of a character, in arguments and results. */
const bytesPerCharacter = 2;

/** The memory kept by function calls of a thread's current statement since its last row. */
export class CallMemory {
  /** 20 MiB, plus what V8 has not freed yet, stays below 64 MiB. */
  readonly bytesMax: number;
  #bytes = 0;
  #isFull = false;

  /** @param bytesMax limit of what is kept until the next row (setting functionBytesMax) */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  start(): void {
    this.#bytes = 0;
    this.#isFull = false;
  }

  /** To be called after each row, which frees the memory. */
  freed(): void {
    this.#bytes = 0;
  }

  /** Whether a statement was stopped since `start`: distinguishes that stop from every other error. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** @throws CallMemoryFull */
  keep(characters: number): void {
    this.#bytes += keptPerCall + characters * bytesPerCharacter;
    if (this.#bytes <= this.bytesMax) return;
    this.#isFull = true;
    throw new CallMemoryFull();
  }
}

export interface DeadlineChecks {
  /** Called for some of the rows that a statement visits. */
  passed(): boolean;
  /** Checked during long work on one row, and for one row in sixteen (`deadline.ts`). */
  hasPassedNow(): boolean;
}

/** The folds of the dialect's `fold`, by the name of their function. */
const foldFunctions: Readonly<Record<string, Folds>> = {
  fold_lower: ['lower'],
  fold_upper: ['upper'],
  fold_lower_upper: ['lower', 'upper'],
  fold_upper_lower: ['upper', 'lower'],
};

/** @param deadlineFactor selects the rows of the next statement that check the time (`deadline.ts`) */
export function registerFunctions(
  db: DatabaseSync,
  deadline: DeadlineChecks,
  deadlineFactor: () => number,
  memory: CallMemory,
): void {
  const look = () => {
    if (deadline.hasPassedNow()) throw new DeadlinePassed();
  };
  // Ignores its argument, a row number: see `withinDeadline` of the dialect.
  db.function('within_deadline', (_rowid: unknown) => {
    if (deadline.passed()) throw new DeadlinePassed();
    return 1;
  });
  db.function('within_deadline_now', (_rowid: unknown) => {
    look();
    return 1;
  });
  db.function('too_many_groups', (groupsMax: unknown) => {
    throw new TooManyGroups(Number(groupsMax));
  });
  db.function('deadline_factor', { deterministic: true }, deadlineFactor);
  for (const [name, folds] of Object.entries(foldFunctions)) {
    db.function(name, { deterministic: true }, (text: unknown) => {
      if (typeof text !== 'string') return null;
      memory.keep(2 * text.length);
      if (text.length > longText) look();
      return foldBy(text, folds);
    });
  }
  db.function('long_glob', (pattern: unknown, text: unknown) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null;
    memory.keep(pattern.length + text.length);
    return Number(matchesGlob(text, pattern, look));
  });
}

/** The piece between two stars: a plain text, or tokens some of which match any character. */
type Piece = string | readonly Token[];
type Token = string | typeof anyCharacter;

const anyCharacter = Symbol('any character');

/** Positions tried between two checks of the time. */
const triesPerLook = 10_000;

/** @param pause called regularly; throws to stop */
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

/** A statement uses the same pattern for row after row. */
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

/** Where the piece's next match at or after the position ends, or -1. */
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

/** Where the piece ends if it matches at the position, else -1. */
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

/** Where the piece begins if it matches right before the position, else -1. */
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

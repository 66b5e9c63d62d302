/** Hands out placeholders while a statement is compiled, and then binds each request's values to them. */
import { quoted, ServiceError } from '../../errors.ts';
import { parseValue } from '../../schema/column-type.ts';
import { type Folds, foldBy } from '../../schema/fold.ts';
import type { ColumnType } from '../../schema/model.ts';
import { ValueError, type ValueRules } from '../../schema/values.ts';
import { boundValuesMax, checkBound } from '../bounds.ts';
import { datetime, long } from '../check/types.ts';
import type { Slot, Words } from '../checked.ts';
import { notValid, outdatedCursor } from '../fault.ts';
import { patternFlaw, patternParts } from '../like.ts';
import { readWords } from '../match.ts';
import type { BoundKind, BoundValue, Dialect, Inputs, Statement } from '../statement.ts';
import { foldedPattern } from './folded-pattern.ts';

type LiteralWords = Extract<Words, { readonly kind: 'literal' }>;

/** How parameters are read; `zone` is the time zone of datetimes without an offset. */
export interface BindRules extends ValueRules {
  readonly likePatternMax: number;
  /** Limit on the total length of a query's patterns and words of MATCH, in characters. */
  readonly likePatternsMax: number;
}

/**
 * Each method returns a mark for a value, always the same mark for the same value. When the text is complete, the marks
 * become placeholders, numbered in the order of the text.
 */
export interface Binder {
  members(): string;
  /** @param folds applied to the text before it is bound */
  parameter(slot: number, folds?: Folds): string;
  constant(value: BoundValue, kind: BoundKind): string;
  /** The terms of words of MATCH. @throws ServiceError 132 */
  words(literal: LiteralWords): string;
  /** The n-th key of the row before the page. */
  key(index: number, type: ColumnType): string;
  limit(): string;
  offset(): string;
  /** The time of the query. */
  now(): string;
  finish(marked: string): Pick<Statement, 'sql' | 'bind'>;
}

/** What is bound at a placeholder, and its origin in the request. */
interface Source {
  readonly kind: BoundKind;
  readonly value: (inputs: Inputs) => BoundValue;
}

/** Delimiters of a mark's number. Our SQL and the names in it are ASCII, so nothing else looks like a mark. */
const [opening, closing] = ['«', '»'];

export function binderOf(slots: readonly Slot[], dialect: Dialect, rules: BindRules): Binder {
  const sources: Source[] = [];
  const marks = new Map<string, string>();
  /** Shared by all parameters that are bound unchanged, since there may be thousands. */
  const marksOfSlots: string[] = [];
  const newMark = (kind: BoundKind, value: Source['value']): string => {
    const marked = `${opening}${sources.push({ kind, value }) - 1}${closing}`;
    checkBound(sources.length, boundValuesMax, 'parameters and literals');
    return marked;
  };
  const placeholder = (key: string, kind: BoundKind, value: Source['value']): string => {
    let marked = marks.get(key);
    if (marked === undefined) {
      marked = newMark(kind, value);
      marks.set(key, marked);
    }
    return marked;
  };
  const constant: Binder['constant'] = (value, kind) =>
    placeholder(`${nameOf(kind)} ${typeof value} ${value}`, kind, () => value);
  const boundLong = (value: number) => dialect.bound(BigInt(value), long);
  return {
    members: () => placeholder('members', 'members', ({ members }) => dialect.boundMembers(members)),
    parameter: (slot, folds = []) => {
      const { use } = slots[slot]!;
      const kind = boundKindOf(use);
      if (folds.length === 0) {
        marksOfSlots[slot] ??= newMark(kind, ({ parameters }) =>
          readParameter(slots[slot]!, parameters[slot]!, dialect, rules),
        );
        return marksOfSlots[slot];
      }
      return placeholder(`parameter ${slot} ${folds}`, kind, ({ parameters }) => {
        const value = readParameter(slots[slot]!, parameters[slot]!, dialect, rules);
        return typeof value === 'string' ? foldBy(value, folds) : value;
      });
    },
    constant,
    words({ words, position }) {
      const terms = readWords(words, rules.likePatternMax);
      if (typeof terms === 'string') throw notValid(position, terms);
      return constant(dialect.boundTerms(terms), 'terms');
    },
    key: (index, type) =>
      placeholder(`key ${index}`, type, ({ after }) => readKey(type, after?.[index] ?? null, dialect, rules)),
    limit: () => placeholder('limit', long, ({ limit = -1 }) => boundLong(limit)),
    offset: () => placeholder('offset', long, ({ offset = 0 }) => boundLong(offset)),
    now: () =>
      placeholder('now', datetime, ({ now }) => {
        if (now === undefined) throw new Error('The time of the query is missing.');
        return dialect.bound(now, datetime);
      }),
    finish(marked) {
      const { sql, order } = numbered(marked, sources, dialect);
      const inOrder = order.map((index) => sources[index]!.value);
      const patterns = slots.flatMap(({ use }, index) => (use.kind === 'value' ? [] : [index]));
      return {
        sql,
        bind(inputs) {
          // Each pattern is read character by character, and a body can hold thousands of the longest.
          const characters = patterns.reduce((sum, index) => sum + (inputs.parameters[index]?.length ?? 0), 0);
          checkBound(characters, rules.likePatternsMax, 'characters in its LIKE patterns', 'likePatternsMax');
          return bindAll(inOrder, inputs, slots.length);
        },
      };
    },
  };
}

function boundKindOf(use: Slot['use']): BoundKind {
  if (use.kind === 'words') return 'terms';
  return use.kind === 'pattern' ? 'pattern' : use.type;
}

/** A value used with two types gets two placeholders if the engine must know the type. */
function nameOf(kind: BoundKind): string {
  return typeof kind === 'string' ? kind : kind.kind;
}

/** The text with placeholders for its marks, and the marks in order. */
function numbered(marked: string, sources: readonly Source[], dialect: Dialect): { sql: string; order: number[] } {
  const positions: number[] = [];
  const order: number[] = [];
  const [begin = '', ...parts] = marked.split(opening);
  let sql = begin;
  for (const part of parts) {
    const end = part.indexOf(closing);
    const index = Number(part.slice(0, end));
    const known = positions[index];
    positions[index] ??= order.push(index);
    const position = positions[index];
    sql += dialect.placeholder(position, known === undefined, sources[index]!.kind) + part.slice(end + 1);
  }
  return { sql, order };
}

function bindAll(sources: readonly Source['value'][], inputs: Inputs, count: number): BoundValue[] {
  const { length } = inputs.parameters;
  if (length === count) return sources.map((source) => source(inputs));
  throw new ServiceError(132, `Expected ${count} values, one for each "?" of the query, got ${length}.`);
}

/** A valid pattern in the form that the engine takes. */
export function boundPattern(
  pattern: string,
  escapedBy: string | null,
  ignoreCase: boolean,
  dialect: Dialect,
): BoundValue {
  if (!ignoreCase) return dialect.boundPattern(pattern, escapedBy);
  const folded = foldedPattern(patternParts(pattern, escapedBy)!);
  return dialect.boundPattern(folded.pattern, folded.escape);
}

/** @throws ServiceError 132 when the value exceeds a setting that has been lowered since the cursor was made */
function readKey(type: ColumnType, value: string | null, dialect: Dialect, rules: BindRules): BoundValue {
  if (value === null) return null;
  try {
    return dialect.bound(parseValue(type, value, rules), type);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw outdatedCursor();
  }
}

/** Null is valid anywhere: a comparison with it is neither true nor false. */
function readParameter(
  { position, number, use }: Slot,
  value: string | null,
  dialect: Dialect,
  rules: BindRules,
): BoundValue {
  if (value === null) return null;
  if (use.kind === 'pattern') {
    const flaw = patternFlaw(value, use.escape, rules.likePatternMax);
    if (flaw !== null) throw notValid(position, `parameter ${number}, ${quoted(value)}: ${flaw}`);
    return boundPattern(value, use.escape, use.ignoreCase, dialect);
  }
  if (use.kind === 'words') {
    const terms = readWords(value, rules.likePatternMax);
    if (typeof terms === 'string') throw notValid(position, `parameter ${number}, ${quoted(value)}: ${terms}`);
    return dialect.boundTerms(terms);
  }
  try {
    return dialect.bound(parseValue(use.type, value, rules), use.type);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw notValid(position, `parameter ${number}, ${quoted(value)}, does not fit ${use.as}: ${error.message}`);
  }
}

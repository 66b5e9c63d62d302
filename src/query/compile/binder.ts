/** Gives out placeholders while a statement is compiled, and then binds each request's values to them. */
import { ServiceError, shown } from '../../errors.ts';
import { parseValue, ValueError, type ValueRules } from '../../schema/values.ts';
import { boundValuesMax, checkBound } from '../bounds.ts';
import type { Slot } from '../checked.ts';
import { notValid } from '../fault.ts';
import { foldedPattern, patternFlaw, patternParts } from '../like.ts';
import type { BoundValue, Dialect, Inputs } from '../statement.ts';

/** How parameters are read; `zone` is that of datetimes without an offset. */
export interface BindRules extends ValueRules {
  readonly likePatternMax: number;
}

/** Each method yields a placeholder; the same thing gets the same one however often it is asked for. */
export interface Binder {
  members(): string;
  parameter(slot: number): string;
  constant(value: BoundValue): string;
  limit(): string;
  offset(): string;
  /** @throws ServiceError 132 when a parameter does not fit, or their number differs */
  readonly bind: (inputs: Inputs) => BoundValue[];
}

type Source = (inputs: Inputs) => BoundValue;

export function binderOf(slots: readonly Slot[], dialect: Dialect, rules: BindRules): Binder {
  const sources: Source[] = [];
  const placeholders = new Map<string, string>();
  const place = (key: string, source: Source): string => {
    let placeholder = placeholders.get(key);
    if (placeholder === undefined) {
      sources.push(source);
      checkBound(sources.length, boundValuesMax, 'parameters and literals');
      placeholder = dialect.placeholder(sources.length);
      placeholders.set(key, placeholder);
    }
    return placeholder;
  };
  const boundLong = (value: number) => dialect.bound(BigInt(value), { kind: 'long' });
  return {
    members: () => place('members', ({ members }) => dialect.boundMembers(members)),
    parameter: (slot) => {
      const read = parameterReader(slots[slot]!, dialect, rules);
      return place(`parameter ${slot}`, ({ parameters }) => read(parameters[slot]!));
    },
    constant: (value) => place(`${typeof value} ${value}`, () => value),
    limit: () => place('limit', ({ limit = -1 }) => boundLong(limit)),
    offset: () => place('offset', ({ offset = 0 }) => boundLong(offset)),
    bind: (inputs) => {
      const { length } = inputs.parameters;
      if (length === slots.length) return sources.map((source) => source(inputs));
      throw new ServiceError(132, `The query has ${slots.length} "?", and ${length} values came; each "?" takes one.`);
    },
  };
}

/** The pattern as an engine takes it, of one that has no flaw. */
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

/** Null goes with everything: comparing with it is neither true nor false. */
function parameterReader(slot: Slot, dialect: Dialect, rules: BindRules): (value: string | null) => BoundValue {
  const { use } = slot;
  const refusal = (value: string) => `parameter ${slot.number}, ${shown(value)}`;
  if (use.kind === 'pattern') {
    return (value) => {
      if (value === null) return null;
      const flaw = patternFlaw(value, use.escape, rules.likePatternMax);
      if (flaw !== null) throw notValid(slot.position, `${refusal(value)}: ${flaw}`);
      return boundPattern(value, use.escape, use.ignoreCase, dialect);
    };
  }
  return (value) => {
    if (value === null) return null;
    try {
      return dialect.bound(parseValue(use.type, value, rules), use.type);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw notValid(slot.position, `${refusal(value)}, does not fit ${use.as}: ${error.message}`);
    }
  };
}

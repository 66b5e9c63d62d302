/**
 * Which audiences a caller belongs to (docs/reference/queries.md#visibility): only here does a caller become a filter.
 */
import type { Caller } from '../caller.ts';
import { membersOf, type Scope } from '../schema/audience.ts';

const all = new WeakMap<Caller, readonly string[]>();

/** Everything that the caller may see. */
export function membersOfCaller(caller: Caller): readonly string[] {
  let members = all.get(caller);
  if (members === undefined) {
    members = membersOf(caller.userId, caller.groupIds);
    all.set(caller, members);
  }
  return members;
}

/** The same, narrowed by the older query's `scope`. */
export function membersWithin(caller: Caller, reach: Scope): readonly string[] {
  return membersOf(caller.userId, caller.groupIds, reach);
}

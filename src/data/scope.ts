/** `scopeType` and `groupIds` of a written record (docs/reference/writing.md#who-may-see-a-record). */
import type { Settings } from '../config.ts';
import { quoted } from '../errors.ts';
import { type Scope, scope } from '../schema/audience.ts';
import { ItemFault } from './item.ts';

/** 1, 2 or 3 as a number or text; undefined when absent. */
export function readScope(value: unknown): Scope | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (number === scope.user || number === scope.group || number === scope.all) return number;
  throw new ItemFault('scopeType', `expected 1 (user), 2 (group) or 3 (all), got ${quoted(value)}.`);
}

/** `1`, `{1}`, `{1,2}`, `1,2` or an array, as unique ascending ids; [] for an empty one, undefined when absent. */
export function readGroupIds(value: unknown): number[] | undefined {
  if (value === undefined) return undefined;
  const parts = Array.isArray(value) ? value : partsOf(value);
  const ids = parts.map((part) => {
    const text = String(part).trim();
    const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (id < 1) throw new ItemFault('groupIds', `expected group ids like {1,2}, got ${quoted(value)}.`);
    return id;
  });
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** @throws ItemFault when a record cannot have so many groups (setting `recordGroupsMax`) */
export function refuseTooManyGroups(
  groupIds: readonly number[],
  { recordGroupsMax }: Pick<Settings, 'recordGroupsMax'>,
): void {
  if (groupIds.length <= recordGroupsMax) return;
  throw new ItemFault(
    'groupIds',
    `${groupIds.length} groups; a record is for at most ${recordGroupsMax} (setting recordGroupsMax). Without groupIds it is for all of yours.`,
  );
}

function partsOf(value: unknown): unknown[] {
  const text = value === null ? '' : String(value).trim();
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).trim() : text;
  return inner === '' ? [] : inner.split(',');
}

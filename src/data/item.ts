/** Reading the parts that items of every batch have in common; each throws ItemFault with a sentence on what is wrong. */
import { quoted } from '../errors.ts';
import { didYouMeanOneOf } from '../nearest.ts';
import type { Zone } from '../schema/time.ts';
import { parseValue, ValueError } from '../schema/values.ts';

/** What is wrong with an item; `field` is relative to the item. */
export class ItemFault extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export type Item = Readonly<Record<string, unknown>>;

export function asItem(value: unknown): Item {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Item;
  throw new ItemFault('', `expected an object, got ${quoted(value)}.`);
}

/** @throws ItemFault for the first member that is not among the known ones */
export function refuseOthers(item: Item, known: readonly string[]): void {
  for (const name in item) {
    if (known.includes(name)) continue;
    throw new ItemFault('', `there is no member ${quoted(name)}${didYouMeanOneOf(name, known)}`);
  }
}

/** @throws ItemFault for an objectId that is empty, which would count as absent */
export function withoutEmptyId(item: Item): Item {
  if (item.objectId !== '') return item;
  throw new ItemFault(
    'objectId',
    'expected a value, got empty text, which would count as absent; leave it out, or send a value.',
  );
}

const idCharactersMax = 200;
/** Anything but control, format, surrogate, private, unassigned and line-separating characters. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;
const plain = /^[\w.:@-]+$/;

/** An objectId that came: 1 to 200 printable characters. `-1` is what a failed item is marked with, so it names none. */
export function readObjectId(value: unknown): string {
  if (value === undefined || value === null || value === '')
    throw new ItemFault('objectId', 'expected a value, got none.');
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string') throw new ItemFault('objectId', `expected a string, got ${quoted(value)}.`);
  const length = id.length <= idCharactersMax ? id.length : [...id].length;
  if (length === 0 || length > idCharactersMax || id === '-1' || !(plain.test(id) || printable.test(id))) {
    throw new ItemFault(
      'objectId',
      `expected 1 to ${idCharactersMax} printable characters, not "-1", got ${quoted(id)}.`,
    );
  }
  return id;
}

const timeBytesMax = 100;

/** The last known serverUpdateTime, milliseconds: the base of the optimistic lock. */
export function readBase(item: Item, zone: Zone): number {
  const value = item.serverUpdateTime;
  if (value === undefined || value === null || value === '') {
    throw new ItemFault('serverUpdateTime', 'expected the serverUpdateTime that you read last, got none.');
  }
  try {
    return parseValue({ kind: 'datetime' }, value, { zone, valueBytesMax: timeBytesMax }) as number;
  } catch (error) {
    if (error instanceof ValueError) throw new ItemFault('serverUpdateTime', error.message);
    throw error;
  }
}

/** The ids of update and delete items, each of which may stand in a batch once. */
export function onlyOnce(objectId: string, seen: Set<string>): void {
  if (seen.has(objectId)) throw new ItemFault('objectId', `${quoted(objectId)} stands in the batch more than once.`);
  seen.add(objectId);
}

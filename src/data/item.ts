/**
 * Reads the members that the items of all batches share. Each function throws ItemFault with a sentence on what is
 * wrong.
 */
import { quoted } from '../errors.ts';
import { didYouMeanOneOf } from '../nearest.ts';
import { parseValue } from '../schema/column-type.ts';
import type { Zone } from '../schema/time.ts';
import { ValueError } from '../schema/values.ts';

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

/** @throws ItemFault for the first unknown member */
export function refuseOthers(item: Item, known: readonly string[]): void {
  for (const name in item) {
    if (known.includes(name)) continue;
    throw new ItemFault('', `there is no member ${quoted(name)}${didYouMeanOneOf(name, known)}`);
  }
}

/** @throws ItemFault for an empty objectId, which would count as absent */
export function withoutEmptyId(item: Item): Item {
  if (item.objectId !== '') return item;
  throw new ItemFault(
    'objectId',
    'expected a value, got empty text, which would count as absent; leave it out, or send a value.',
  );
}

const idCharactersMax = 200;
/** Any characters except control, format, surrogate, private-use, unassigned and line-separating ones. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;
const plain = /^[\w.:@-]+$/;

/** A client's objectId: 1 to 200 printable characters. `-1` marks a failed item, so no record has it. */
export function readObjectId(value: unknown): string {
  if (value === undefined || value === null || value === '')
    throw new ItemFault('objectId', 'expected a value, got none.');
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string') throw new ItemFault('objectId', `expected a string, got ${quoted(value)}.`);
  if (!isObjectId(id)) {
    throw new ItemFault(
      'objectId',
      `expected 1 to ${idCharactersMax} printable characters, not "-1", got ${quoted(id)}.`,
    );
  }
  return id;
}

export function isObjectId(id: unknown): id is string {
  if (typeof id !== 'string') return false;
  const length = id.length <= idCharactersMax ? id.length : [...id].length;
  return length > 0 && length <= idCharactersMax && id !== '-1' && (plain.test(id) || printable.test(id));
}

const timeBytesMax = 100;

/** The last known serverUpdateTime in milliseconds: the base of the optimistic lock. */
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

/** The ids of update and delete items; each may occur once in a batch. */
export function onlyOnce(objectId: string, seen: Set<string>): void {
  if (seen.has(objectId)) throw new ItemFault('objectId', `the batch has ${quoted(objectId)} more than once.`);
  seen.add(objectId);
}

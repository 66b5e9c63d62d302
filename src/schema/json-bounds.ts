/** Limits on JSON that is scanned before it is parsed, and the errors for exceeding them. */
import { quoted } from '../errors.ts';
import { isName } from './names.ts';

export interface ScanBounds {
  readonly depthMax: number;
  readonly valueBytesMax: number;
  /** Values in total, names not counted. */
  readonly valuesMax: number;
  /** Values in one item of an array of the body, and values outside such items. */
  readonly itemValuesMax: number;
  /** Direct members of one such item: parsing thousands of names takes 10 ms, which cannot be divided. */
  readonly itemMembersMax: number;
  /** Items of one array of the body. */
  readonly itemsMax: number;
}

/** What is wrong, as a sentence, and where: `data[0].count`, or '' for the whole body. */
export class ScanFault extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The path of a member. A name that is not ours may hold anything, and be as long as the body. */
export function within(path: string, name: string): string {
  const member = isName(name) ? name : quoted(name);
  return path === '' ? member : `${path}.${member}`;
}

export const tooMany = (path: string, what: string, max: number, setting: string) =>
  new ScanFault(path, `expected at most ${max} ${what} (setting ${setting}), got more.`);

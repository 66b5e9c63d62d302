/**
 * Checks the bytes of JSON before they are parsed: nesting depth, number of values, and numbers that would lose digits.
 * `JSON.parse` has no limits of its own: 8 MiB of brackets keep it busy for half a second and fill 200 MiB. A scan can
 * be interrupted anywhere, and finds the positions at which a large body can be split for parsing. It checks no further
 * grammar; `JSON.parse` refuses what is not JSON.
 */
import { type ScanBounds, ScanFault, tooMany, within } from './json-bounds.ts';
import { isExactAsWritten } from './numbers.ts';

/** A long array that is a member of the body itself, like `data`: the bytes between its brackets. */
export interface ItemArray {
  readonly name: string;
  readonly start: number;
  end: number;
  /** Where each portion ends and the next one begins: positions right after a comma. */
  readonly cuts: number[];
  /** How many items precede each cut. */
  readonly itemsBefore: number[];
  /** Whether a later member has the same name: then the later one wins, as always in JSON. */
  isReplaced: boolean;
}

/** A portion of this size takes at most a millisecond to parse; a single item may be larger. */
const portionBytes = 32 * 1024;
const portionValues = 1_000;

/**
 * Bytes of memory that V8 uses for each kind of value, without its text; measured on objects with distinct names,
 * rounded up.
 */
const bytesPer = { value: 24, member: 24, object: 128, array: 48 } as const;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const letterE = 0x45;
const letterLowerE = 0x65;

/** Numbers of up to this many digits are always exact; longer ones are examined. */
const digitsAlwaysExact = 15;
const quotedDigitsMax = 40;

/** Depth of the items of an array of the body: the body is 1, the array 2. */
const itemsDepth = 2;

/** The meaning of a byte outside of texts: 0 for none, else one of these. */
const kinds = { structure: 1, number: 2, word: 3 } as const;
const kindOf = new Uint8Array(256);
for (const byte of [quote, comma, colon, openArray, closeArray, openObject, closeObject])
  kindOf[byte] = kinds.structure;
for (const character of '-0123456789') kindOf[character.charCodeAt(0)] = kinds.number;
// The first letters of true, false and null.
for (const character of 'tfn') kindOf[character.charCodeAt(0)] = kinds.word;
const partOfNumber = new Uint8Array(256);
for (const character of '-+.0123456789eE') partOfNumber[character.charCodeAt(0)] = 1;

export class JsonScan {
  readonly #bytes: Buffer;
  readonly #bounds: ScanBounds;
  #at = 0;
  #depth = 0;
  /**
   * For each open object or array: whether it is an array, its number of items so far, and the start of its last name.
   */
  readonly #isArray: Uint8Array;
  readonly #index: Uint32Array;
  readonly #nameStart: Uint32Array;
  readonly #nameEnd: Uint32Array;
  /** Position of the last text, without its quotes. */
  #textStart = 0;
  #textEnd = 0;

  #values = 0;
  #objects = 0;
  #arrays = 0;
  #members = 0;
  #textBytes = 0;
  #isEscaped = false;
  /** The end of the current call of `advance`. */
  #until = 0;
  #isInText = false;
  #itemArray: ItemArray | null = null;
  /** Number of values in the current item, or outside items. */
  #itemValues = 0;
  /** Direct members of the current item. */
  #itemMembers = 0;
  #restValues = 0;
  #portionStart = 0;
  #valuesBeforePortion = 0;
  readonly itemArrays: ItemArray[] = [];

  constructor(bytes: Buffer, bounds: ScanBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    const levels = bounds.depthMax + 2;
    this.#isArray = new Uint8Array(levels);
    this.#index = new Uint32Array(levels);
    this.#nameStart = new Uint32Array(levels);
    this.#nameEnd = new Uint32Array(levels);
  }

  /** Whether there are escapes: only they can put NUL or an unpaired surrogate into UTF-8. */
  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  /** Bytes of all texts, including names. */
  get textBytes(): number {
    return this.#textBytes;
  }

  /** All values; names are not counted. */
  get values(): number {
    return this.#values;
  }

  /** Estimated memory of the parsed value, bytes, at one byte for each byte of text. */
  get weightBytes(): number {
    return (
      this.#textBytes +
      this.#values * bytesPer.value +
      this.#members * bytesPer.member +
      this.#objects * bytesPer.object +
      this.#arrays * bytesPer.array
    );
  }

  /**
   * Continues for about `count` bytes; true at the end of the text.
   * @throws ScanFault
   */
  advance(count: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, this.#at + count);
    this.#until = end;
    let at = this.#isInText ? this.#restOfText(this.#at) : this.#at;
    while (at < end) {
      const byte = bytes[at] as number;
      const kind = kindOf[byte];
      if (kind === 0) at++;
      else if (kind === kinds.structure) at = this.#structure(byte, at);
      else if (kind === kinds.number) at = this.#number(at);
      else {
        this.#countValue();
        at += 4;
      }
    }
    this.#at = at;
    return at >= bytes.length;
  }

  /** @returns where to continue */
  #structure(byte: number, at: number): number {
    switch (byte) {
      case quote:
        return this.#text(at);
      case comma:
        this.#index[this.#depth]! += 1;
        if (this.#depth === itemsDepth && this.#itemArray !== null) this.#nextItem(at);
        return at + 1;
      case colon:
        this.#nameStart[this.#depth] = this.#textStart;
        this.#nameEnd[this.#depth] = this.#textEnd;
        // Its name was counted as a value.
        this.#members++;
        this.#values--;
        if (this.#itemArray === null) this.#restValues--;
        else {
          this.#itemValues--;
          if (this.#depth === itemsDepth + 1) this.#countMember();
        }
        if (this.#depth === 1 && this.itemArrays.length > 0) this.#replace(this.#name(1));
        return at + 1;
      case openArray:
      case openObject:
        this.#open(byte === openArray, at);
        return at + 1;
      default:
        this.#close(at);
        return at + 1;
    }
  }

  #open(isArray: boolean, at: number): void {
    this.#countValue();
    if (isArray) this.#arrays++;
    else this.#objects++;
    if (this.#depth === this.#bounds.depthMax) {
      throw new ScanFault(this.#path(), 'nested too deeply (setting depthMax).');
    }
    const depth = ++this.#depth;
    this.#isArray[depth] = isArray ? 1 : 0;
    this.#index[depth] = 0;
    this.#nameStart[depth] = this.#nameEnd[depth] = 0;
    if (depth !== itemsDepth || !isArray || this.#isArray[1] === 1) return;
    const name = this.#name(1);
    this.#itemArray = { name, start: at + 1, end: at + 1, cuts: [], itemsBefore: [], isReplaced: false };
    this.#itemValues = 0;
    this.#itemMembers = 0;
    this.#beginPortion(at + 1);
  }

  #close(at: number): void {
    if (this.#depth === itemsDepth && this.#itemArray !== null) {
      const array = this.#itemArray;
      this.#itemArray = null;
      array.end = at;
      if (array.cuts.length > 0) this.itemArrays.push(array);
      else this.#countRest(this.#values - this.#valuesBeforePortion);
    }
    if (this.#depth > 0) this.#depth--;
  }

  #replace(name: string): void {
    for (const array of this.itemArrays) if (array.name === name) array.isReplaced = true;
  }

  #nextItem(at: number): void {
    const array = this.#itemArray as ItemArray;
    const items = this.#index[itemsDepth] as number;
    this.#itemValues = 0;
    this.#itemMembers = 0;
    const { itemsMax } = this.#bounds;
    if (items >= itemsMax) throw tooMany(array.name, 'items', itemsMax, 'itemValuesMax');
    if (at - this.#portionStart < portionBytes && this.#values - this.#valuesBeforePortion < portionValues) return;
    array.cuts.push(at + 1);
    array.itemsBefore.push(items);
    this.#beginPortion(at + 1);
  }

  #beginPortion(at: number): void {
    this.#portionStart = at;
    this.#valuesBeforePortion = this.#values;
  }

  #countValue(): void {
    const { valuesMax, itemValuesMax } = this.#bounds;
    if (++this.#values > valuesMax) throw tooMany('', 'values in one body', valuesMax, 'bodyValuesMax');
    if (this.#itemArray === null) this.#countRest(1);
    else if (++this.#itemValues > itemValuesMax) {
      throw tooMany(this.#itemPath(this.#itemArray), 'values in one item', itemValuesMax, 'itemValuesMax');
    }
  }

  #countMember(): void {
    const { itemMembersMax } = this.#bounds;
    if (++this.#itemMembers <= itemMembersMax) return;
    throw tooMany(this.#itemPath(this.#itemArray as ItemArray), 'members', itemMembersMax, 'itemMembersMax');
  }

  #itemPath({ name }: ItemArray): string {
    return `${name}[${this.#index[itemsDepth]}]`;
  }

  /** Counts values outside the parts that are parsed in portions. */
  #countRest(values: number): void {
    const { itemValuesMax } = this.#bounds;
    this.#restValues += values;
    if (this.#restValues <= itemValuesMax) return;
    throw tooMany('', 'values outside of items', itemValuesMax, 'itemValuesMax');
  }

  #text(start: number): number {
    this.#countValue();
    this.#textStart = start + 1;
    return this.#restOfText(start + 1);
  }

  /**
   * A text may be as long as the body, so the scan pauses within it at the end of the portion.
   * @returns where to continue
   */
  #restOfText(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const until = this.#until;
    let at = from;
    for (; at < until; at++) {
      const byte = bytes[at];
      if (byte === quote) break;
      if (byte === backslash) {
        this.#isEscaped = true;
        at++;
      }
    }
    this.#isInText = at >= until && at < length;
    if (this.#isInText) return at;
    this.#textEnd = Math.min(at, length);
    this.#textBytes += at - this.#textStart + 1;
    return at + 1;
  }

  #number(start: number): number {
    const bytes = this.#bytes;
    this.#countValue();
    const { valueBytesMax } = this.#bounds;
    // A number that is too long is not examined, because 8 MiB of digits would take 20 ms without a pause.
    const end = Math.min(bytes.length, start + valueBytesMax + 1);
    let at = start + 1;
    let hasExponent = false;
    for (; at < end && partOfNumber[bytes[at] as number] === 1; at++)
      hasExponent ||= bytes[at] === letterE || bytes[at] === letterLowerE;
    if (at - start > valueBytesMax) {
      throw new ScanFault(
        this.#path(),
        `expected a number of at most ${valueBytesMax} bytes (setting valueBytesMax), got a longer one.`,
      );
    }
    if ((hasExponent || at - start > digitsAlwaysExact) && !isExactAsWritten(bytes, start, at)) {
      const isCut = at - start > quotedDigitsMax;
      const source = bytes.toString('latin1', start, isCut ? start + quotedDigitsMax : at) + (isCut ? '...' : '');
      throw new ScanFault(this.#path(), `the number ${source} cannot be held exactly; send it as a string.`);
    }
    return at;
  }

  /** `data[0].count`: the path of the value that begins now. */
  #path(): string {
    let path = '';
    for (let depth = 1; depth <= this.#depth; depth++) {
      if (this.#isArray[depth] === 1) path += `[${this.#index[depth]}]`;
      else path = within(path, this.#name(depth));
    }
    return path;
  }

  #name(depth: number): string {
    const text = this.#bytes.toString('utf8', this.#nameStart[depth], this.#nameEnd[depth]);
    try {
      return JSON.parse(`"${text}"`);
    } catch {
      return text;
    }
  }
}

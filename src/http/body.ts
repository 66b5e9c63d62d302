/**
 * A request body becomes a JSON value, or an error that says what is wrong with it (decisions.md §2, §6): UTF-8, the
 * nesting, text and numbers that would not survive are judged here, once for every operation.
 */
import { isUtf8 } from 'node:buffer';
import type { Settings } from '../config.ts';
import { malformed, shown } from '../errors.ts';
import { isName } from '../schema/names.ts';

/** @throws ServiceError `malformed` */
export function parseBody(bytes: Buffer, settings: Pick<Settings, 'depthMax'>): unknown {
  if (!isUtf8(bytes)) throw malformed('body', 'the bytes that came are not UTF-8.');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed('body', text.trim() === '' ? 'nothing came; expected JSON.' : `not JSON: ${plainly(error)}.`);
  }
  // Only an escape can bring NUL or a lone surrogate into well-formed UTF-8, and only many digits an inexact number.
  inspect(value, '', settings.depthMax, text.includes('\\u'));
  if (manyDigits.test(text)) refuseInexactNumbers(text);
  return value;
}

/** At the places where JSON has its numbers, though a text may look the same; ids in quotes have many digits too. */
const manyDigits = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** V8 quotes a piece of the body in its message; what is wrong and where is enough. */
function plainly(error: unknown): string {
  const message = (error as Error).message;
  const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  const what = message.split(/ in JSON|, "|\.\.\. /)[0] ?? 'it cannot be read';
  return position === undefined ? what : `${what} at ${position}`;
}

/** @param escaped whether there are escapes, so that the texts have to be looked into */
function inspect(value: unknown, path: string, depthLeft: number, escaped: boolean): void {
  if (typeof value === 'string') {
    if (escaped) inspectText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw malformed(path === '' ? 'body' : path, 'nested too deeply (setting depthMax).');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === 'object' || escaped)
        inspect(item, escaped ? `${path}[${index}]` : path, depthLeft - 1, escaped);
    }
    return;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (escaped) inspectText(name, path === '' ? 'body' : path);
    if (typeof member === 'object' || escaped) {
      inspect(member, escaped ? within(path, name) : path, depthLeft - 1, escaped);
    }
  }
}

/** A name that is none of ours may be anything, and as long as the body. */
function within(path: string, name: string): string {
  const member = isName(name) ? name : shown(name);
  return path === '' ? member : `${path}.${member}`;
}

function inspectText(text: string, path: string): void {
  if (text.includes('\0')) throw malformed(path, 'the character NUL (U+0000) came, which cannot be stored.');
  if (!text.isWellFormed()) throw malformed(path, 'a lone surrogate came; send well-formed Unicode.');
}

/** More digits than a JSON number can hold exactly in JavaScript: the client must send it as a string. */
function refuseInexactNumbers(text: string): void {
  const found = firstInexact(text);
  if (found === undefined) return;
  const number = found.source.slice(0, 40);
  throw malformed(found.path || 'body', `the number ${number} cannot be held exactly; send it as a string.`);
}

/** An object or array that is open at a place of the text: where the last key stands, or how many items came before. */
interface Opened {
  readonly isArray: boolean;
  index: number;
  key: string;
}

/** All that a number is written with, and nothing that can follow one. */
const partOfNumber = /[-+.\deE]+/y;

/**
 * The first number of well-formed JSON that would lose digits. A reviver is given the numbers as they were written too,
 * but takes nine seconds for a body of 8 MiB.
 */
function firstInexact(text: string): { path: string; source: string } | undefined {
  const open: Opened[] = [];
  let inner: Opened | undefined;
  let lastText = '';
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfText(text, at);
        // A text in an array is no key, and there may be a great many of them.
        if (inner?.isArray === false) lastText = text.slice(at, end + 1);
        at = end;
        break;
      }
      case ':':
        if (inner !== undefined) inner.key = lastText;
        break;
      case ',':
        if (inner !== undefined) inner.index++;
        break;
      case '{':
      case '[':
        inner = { isArray: text[at] === '[', index: 0, key: '' };
        open.push(inner);
        break;
      case '}':
      case ']':
        open.pop();
        inner = open.at(-1);
        break;
      default: {
        const isNumber = text[at] === '-' || isDigit(text.charCodeAt(at));
        if (!isNumber) break;
        partOfNumber.lastIndex = at;
        const source = partOfNumber.exec(text)?.[0] as string;
        if (!isExact(Number(source), source)) return { path: pathOf(open), source };
        at += source.length - 1;
      }
    }
  }
  return undefined;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Where the closing quote of the text that begins at `start` is. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
}

/** `data[0].count` */
function pathOf(open: readonly Opened[]): string {
  return open.reduce((path, { isArray, index, key }) => {
    if (isArray) return `${path}[${index}]`;
    return within(path, JSON.parse(key));
  }, '');
}

const exactDigits = 15;

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = significantDigits(source);
  return digits <= exactDigits && (value !== 0 || digits === 0);
}

/** How many digits there are from the first to the last one that is not zero. In one pass: the text may be the whole body. */
function significantDigits(source: string): number {
  let digits = 0;
  let zeros = 0;
  for (const character of source) {
    if (character === 'e' || character === 'E') break;
    if (character === '-' || character === '.') continue;
    if (character !== '0') {
      digits += zeros + 1;
      zeros = 0;
    } else if (digits > 0) zeros++;
  }
  return digits;
}

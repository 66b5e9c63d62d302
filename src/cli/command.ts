/** The parts of a command: actions with declared flags, which define parsing, help and the reference page. */
import type { Answer } from './answer.ts';
import type { CommandContext } from './context.ts';

/** A flag of an action. `Value` is what the action gets: `undefined` or an empty list where the flag may be absent. */
export interface Flag<Value> {
  /** The value's placeholder in help, `<id>`; null for a switch without a value. */
  readonly placeholder: string | null;
  readonly meaning: string;
  readonly presence: 'required' | 'optional' | 'repeated';
  /** Valid values, worded for "… was expected". */
  readonly expected: string;
  /** Reads one value from text; undefined when invalid. */
  read(text: string): unknown;
  /** Never set; carries the type. */
  readonly value?: Value;
}

/** By name in camel case: `redirectUri` is given as `--redirect-uri`. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type ValuesOf<Declared extends Flags> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Flag<infer Value> ? Value : never;
};

export interface Action<Declared extends Flags = Flags> {
  /** The second word; '' for a command of one word. */
  readonly name: string;
  readonly summary: string;
  /** The word that follows, where the action takes one; passed with the values under this name. */
  readonly argument?: { readonly name: string; readonly meaning: string };
  readonly flags: Declared;
  /** Which settings are also flags: all, none, or (when absent) only the storage location. */
  readonly settings?: 'all' | 'none';
  run(values: ValuesOf<Declared> & Readonly<Record<string, unknown>>, context: CommandContext): Promise<Answer>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly Action[];
}

/** Keeps the types of the flags for `run`, and drops them for lists of actions. */
export function action<const Declared extends Flags>(declared: Action<Declared>): Action {
  return declared as unknown as Action;
}

/** Wrong use of the command line: prints one line and a pointer to the help, with exit status 2. */
export class UsageError extends Error {}

export function flagText(name: string): string {
  return `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;
}

const idMax = 2_147_483_647;
const idExpected = `a whole number from 1 to ${idMax}`;

function readId(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= idMax ? Number(text) : undefined;
}

function readText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

export function id(meaning: string): Flag<number> {
  return { placeholder: '<id>', meaning, presence: 'required', expected: idExpected, read: readId };
}

export function text(placeholder: string, meaning: string): Flag<string> {
  return { placeholder, meaning, presence: 'required', expected: 'some text', read: readText };
}

/** As `text`, but an empty value removes the present one. */
export function clearable(placeholder: string, meaning: string): Flag<string | undefined> {
  return { placeholder, meaning, presence: 'optional', expected: 'some text', read: (value) => value };
}

export function choice<const Word extends string>(words: readonly Word[], meaning: string): Flag<Word> {
  return {
    placeholder: `<${words.join('|')}>`,
    meaning,
    presence: 'required',
    expected: `one of ${words.join(', ')}`,
    read: (value) => words.find((word) => word.toLowerCase() === value.toLowerCase()),
  };
}

export function toggle(meaning: string): Flag<boolean> {
  return { placeholder: null, meaning, presence: 'optional', expected: 'no value', read: () => true };
}

export function optional<Value>(flag: Flag<Value>): Flag<Value | undefined> {
  return { ...flag, presence: 'optional' } as Flag<Value | undefined>;
}

export function repeated<Value>(flag: Flag<Value>): Flag<readonly Value[]> {
  return { ...flag, presence: 'repeated' } as Flag<readonly Value[]>;
}

/** Flags of every action, besides the storage location. */
export const commonFlags = {
  config: optional(
    text('<path>', 'Settings file (JSON); by default rowhouse.json in the working folder, if it exists.'),
  ),
  json: toggle('Answer with one JSON document (serve: log as JSON even in a terminal).'),
} satisfies Flags;

/** Turns a command line's words into the values of an action's flags. */
import { parseArgs } from 'node:util';
import { quoted } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { type Action, commonFlags, type Flag, type Flags, flagText, UsageError, type ValuesOf } from './command.ts';

export interface Parsed {
  readonly values: Readonly<Record<string, unknown>> & ValuesOf<typeof commonFlags>;
  /** Settings flags as given, by flag name without dashes. */
  readonly settings: Readonly<Record<string, string | boolean>>;
}

/**
 * @param words what follows the command and the action
 * @param settingsFlags flags that are settings, without dashes, and whether they may come without a value
 * @throws UsageError for an unknown, repeated, missing or ill-formed flag
 */
export function parse(action: Action, words: readonly string[], settingsFlags: ReadonlyMap<string, boolean>): Parsed {
  const flags: Flags = { ...commonFlags, ...action.flags };
  const declared = new Map(Object.entries(flags).map(([name, flag]) => [flagText(name).slice(2), { name, flag }]));
  const given = new Map<string, (string | true)[]>();
  const positionals: string[] = [];
  for (const word of tokensOf(words, declared, settingsFlags)) {
    if (word.kind === 'positional') positionals.push(word.value);
    else given.set(word.name, [...(given.get(word.name) ?? []), word.value]);
  }

  const values: Record<string, unknown> = takeArgument(action, positionals);
  for (const [written, { name, flag }] of declared) {
    values[name] = settle(`--${written}`, flag, given.get(written) ?? []);
  }
  const settings: Record<string, string | boolean> = {};
  for (const name of settingsFlags.keys()) {
    const [value, ...more] = given.get(name) ?? [];
    if (more.length > 0) throw new UsageError(`--${name} was given twice.`);
    if (value !== undefined) settings[name] = value;
  }
  return { values: values as Parsed['values'], settings };
}

type Token = { kind: 'positional'; value: string } | { kind: 'flag'; name: string; value: string | true };

function tokensOf(
  words: readonly string[],
  declared: ReadonlyMap<string, { readonly flag: Flag<unknown> }>,
  settingsFlags: ReadonlyMap<string, boolean>,
): Token[] {
  const options: Record<string, { type: 'string' | 'boolean' }> = {};
  for (const [name, { flag }] of declared) options[name] = { type: flag.placeholder === null ? 'boolean' : 'string' };
  for (const [name, bare] of settingsFlags) options[name] = { type: bare ? 'boolean' : 'string' };
  // Not strict, because strict messages name neither the given word nor the probable one.
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  const taken: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'positional') {
      refuseApartFrom(tokens[index - 1], token.value, settingsFlags);
      taken.push({ kind: 'positional', value: token.value });
    }
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (option === undefined || !token.rawName.startsWith('--')) throw unknownFlag(token.rawName, Object.keys(options));
    if (option.type === 'string') {
      if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
        throw new UsageError(`${token.rawName} needs a value.`);
      }
      taken.push({ kind: 'flag', name: token.name, value: token.value });
    } else {
      if (token.inlineValue === true && declared.has(token.name))
        throw new UsageError(`${token.rawName} takes no value.`);
      taken.push({ kind: 'flag', name: token.name, value: token.value ?? true });
    }
  }
  return taken;
}

/** `--attempt-limits false`: refuses a word that looks like the value of the flag before it. */
function refuseApartFrom(
  before: { readonly kind: string; readonly name?: string; readonly value?: unknown } | undefined,
  word: string,
  settingsFlags: ReadonlyMap<string, boolean>,
): void {
  if (before?.name === undefined || before.value !== undefined || settingsFlags.get(before.name) !== true) return;
  if (!/^(true|false|0|1)$/i.test(word)) return;
  throw new UsageError(`unexpected ${quoted(word)}: a yes-or-no flag takes its value as --${before.name}=${word}.`);
}

function unknownFlag(written: string, known: readonly string[]): UsageError {
  const flags = known.map((name) => `--${name}`);
  const meant = nearest(written, flags);
  return new UsageError(`There is no flag ${quoted(written)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
}

function takeArgument({ argument }: Action, positionals: readonly string[]): Record<string, unknown> {
  const [word, ...more] = positionals;
  const surplus = argument === undefined ? word : more[0];
  if (surplus !== undefined) throw new UsageError(`unexpected ${quoted(surplus)}.`);
  if (argument === undefined) return {};
  if (word === undefined) throw new UsageError(`<${argument.name}> is missing: ${argument.meaning}`);
  return { [argument.name]: word };
}

function settle(written: string, flag: Flag<unknown>, given: readonly (string | true)[]): unknown {
  const read = given.map((word) => {
    const value = flag.read(word === true ? '' : word);
    if (value === undefined) throw new UsageError(`${written}: expected ${flag.expected}, got ${quoted(word)}.`);
    return value;
  });
  if (flag.presence === 'repeated') return read;
  if (read.length > 1) throw new UsageError(`${written} was given twice.`);
  if (read.length === 0 && flag.presence === 'required') throw new UsageError(`${written} is missing: ${flag.meaning}`);
  return read[0] ?? (flag.placeholder === null ? false : undefined);
}

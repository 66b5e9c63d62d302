/** The commands of the laboratory: their flags with descriptions, the help made from them, and their end. */
import { parseArgs } from 'node:util';

export interface Flag<Value> {
  readonly about: string;
  /** The default; undefined for no value. */
  readonly standard: string | undefined;
  /** The value's name in the help; null for a flag without a value. */
  readonly value: string | null;
  /** The expected values in words; null if any text is valid. */
  readonly expected: string | null;
  /** Undefined for an unexpected text. */
  read(text: string): Value | undefined;
}

type Flags = Readonly<Record<string, Flag<unknown>>>;

export type Values<Given extends Flags> = {
  readonly [Name in keyof Given]: Given[Name] extends Flag<infer Value> ? Value : never;
};

const shown = (value: number | undefined) => (value === undefined ? undefined : String(value));

/** A whole number. */
export const whole = (standard: number, about: string, least = 0): Flag<number> => ({
  ...{ about, standard: shown(standard), value: 'n', expected: `a whole number of at least ${least}` },
  read: (text) => (/^\d{1,12}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
});

/** A number above 0. */
export const positive = (standard: number, about: string): Flag<number> => ({
  ...{ about, standard: shown(standard), value: 'n', expected: 'a number above 0' },
  read: (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : undefined),
});

/** Several whole numbers. */
export const numbers = (standard: string, about: string): Flag<readonly number[]> => ({
  ...{ about, standard, value: 'list', expected: 'whole numbers with commas between them' },
  read: (text) => (/^\d+(,\d+)*$/.test(text) ? text.split(',').map(Number) : undefined),
});

/** A text, or one of the given texts if there are any. */
export const word = (standard: string, about: string, among?: readonly string[]): Flag<string> => ({
  ...{ about, standard, value: 'name', expected: among === undefined ? null : `one of ${among.join(', ')}` },
  read: (text) => (among === undefined || among.includes(text) ? text : undefined),
});

/** An optional file, folder or address. */
export const path = (value: 'file' | 'folder' | 'url', about: string): Flag<string | null> => ({
  ...{ about, standard: undefined, value, expected: null },
  read: (text) => text,
});

export const mark = (about: string): Flag<boolean> => ({
  ...{ about, standard: undefined, value: null, expected: null },
  read: () => true,
});

/** The seed of a run's random choices: the same seed gives the same choices. */
export const seed = (): Flag<number> =>
  whole(Date.now() % 1_000_000_000, 'repeats the choices of an earlier run; at random without it');

/**
 * The values from the command line. Ends the process after help or an error.
 * @param usage how to call the command, and what it does, in lines
 */
export function readFlags<Given extends Flags>(usage: string, flags: Given): Values<Given> & { words: string[] } {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [name, { type: value === null ? 'boolean' : 'string' } as const]),
  );
  try {
    const { values, positionals: words } = parseArgs({
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean' } },
    });
    if (values.help === true) {
      console.log(helpOf(usage, flags));
      process.exit(0);
    }
    const given: Readonly<Record<string, unknown>> = values;
    const read = Object.entries(flags).map(([name, flag]) => [name, valueIn(name, flag, given[name])]);
    return { ...Object.fromEntries(read), words };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

/** Null if absent, false if it takes no value. */
function valueIn(name: string, flag: Flag<unknown>, given: unknown): unknown {
  if (flag.value === null) return given === true;
  const text = given === undefined ? flag.standard : String(given);
  if (text === undefined) return null;
  const value = flag.read(text);
  if (value === undefined) throw new Error(`--${name}: expected ${flag.expected}, got ${JSON.stringify(text)}.`);
  return value;
}

function helpOf(usage: string, flags: Flags): string {
  const lines = Object.entries(flags).map(([name, { value, standard, about }]) => {
    const written = `--${name}${value === null ? '' : ` <${value}>`}`;
    const isTold = standard !== undefined && standard !== '' && name !== 'seed' && name !== 'only';
    return `  ${written.padEnd(22)} ${about}${isTold ? ` (${standard})` : ''}`;
  });
  return `${usage}\n\n${lines.join('\n')}`;
}

/**
 * Runs the command and ends the process with the status that it resolves to, or with 1 and the error's message. After
 * many threads and children, a process that is left to end by itself may wait in Node for ever.
 */
export async function endWith(run: () => Promise<number>): Promise<void> {
  let status = 1;
  try {
    status = await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  process.stdout.write('', () => process.exit(status));
}

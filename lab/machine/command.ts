/** The commands of the laboratory: their flags with what they mean, the help that is made of them, and their end. */
import { parseArgs } from 'node:util';

export interface Flag<Value> {
  readonly about: string;
  /** What it is without being given; undefined where it then has no value. */
  readonly standard: string | undefined;
  /** How its value is named in the help; null for one that takes none. */
  readonly value: string | null;
  /** What is expected, as words; null where every text will do. */
  readonly expected: string | null;
  /** Undefined for what is not expected. */
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

/** A text, one of the given ones where some are given. */
export const word = (standard: string, about: string, among?: readonly string[]): Flag<string> => ({
  ...{ about, standard, value: 'name', expected: among === undefined ? null : `one of ${among.join(', ')}` },
  read: (text) => (among === undefined || among.includes(text) ? text : undefined),
});

/** A file, folder or address that may be left out. */
export const path = (value: 'file' | 'folder' | 'url', about: string): Flag<string | null> => ({
  ...{ about, standard: undefined, value, expected: null },
  read: (text) => text,
});

export const mark = (about: string): Flag<boolean> => ({
  ...{ about, standard: undefined, value: null, expected: null },
  read: () => true,
});

/** The choices of a run: the same seed makes the same ones. */
export const seed = (): Flag<number> =>
  whole(Date.now() % 1_000_000_000, 'repeats the choices of an earlier run; at random without it');

/**
 * What the command line gives. Help, and words on what is wrong, end the process.
 * @param usage how the command is called, and what it does, in lines
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

/** Null for one that was left out, false where it takes no value. */
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
 * Runs the command and ends the process with the status that it resolves to, or with 1 and the error's words. A process with
 * many threads and children behind it that is left to end by itself can wait for ever, within Node, for work that nobody does
 * any more.
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

/**
 * Reads what `strace -f -y -xx` writes. The lines are in the order in which strace saw the calls begin and end, so a
 * line's number serves as its time: a call has certainly not begun before the line of its beginning, and has certainly
 * ended by the line of its end.
 */

export interface Call {
  readonly name: string;
  /** Numbers of the lines of its beginning and its end; equal if nothing came between. */
  readonly began: number;
  readonly ended: number;
  /** The text between the parentheses. */
  readonly arguments: string;
  /** -1 for an error; null when the process ended before the call did. */
  readonly result: number | null;
}

const unfinished = ' <unfinished ...>';
const beginning = /^(\d+)\s+\d+\.\d+ (\w+)\(/;
const resumption = /^(\d+)\s+\d+\.\d+ <\.\.\. (\w+) resumed>/;
const ending = /\)\s+= (-?\d+|\?|0x[0-9a-f]+)(?:<|\s|$)/;

/** Returns the calls in the order of their ends. @throws Error at a line that is not strace's */
export class TraceText {
  #line = 0;
  readonly #begun = new Map<string, { readonly name: string; readonly began: number; readonly text: string }>();

  /** @returns the call that ends with this line, or null */
  read(line: string): Call | null {
    const number = ++this.#line;
    const begins = beginning.exec(line);
    if (begins !== null) {
      const [head, thread, name] = begins as unknown as [string, string, string];
      const text = line.slice(head.length);
      if (!text.endsWith(unfinished)) return callOf(name, number, number, text);
      this.#begun.set(thread, { name, began: number, text: text.slice(0, -unfinished.length) });
      return null;
    }
    const resumes = resumption.exec(line);
    if (resumes !== null) {
      const [head, thread, name] = resumes as unknown as [string, string, string];
      const begun = this.#begun.get(thread);
      this.#begun.delete(thread);
      if (begun?.name !== name) throw new Error(`Line ${number} of the trace ends a call that did not begin: ${head}`);
      return callOf(name, begun.began, number, begun.text + line.slice(head.length));
    }
    if (line === '' || /^\d+\s+\d+\.\d+ (---|\+\+\+) /.test(line)) return null;
    throw new Error(`Line ${number} of the trace is not understood: ${line.slice(0, 200)}`);
  }
}

function callOf(name: string, began: number, ended: number, text: string): Call {
  const end = ending.exec(text.slice(Math.max(0, text.lastIndexOf(') '))));
  if (end === null) throw new Error(`Line ${ended} of the trace has no result: ${text.slice(0, 200)}`);
  const result = end[1] === '?' ? null : Number(end[1]);
  return { name, began, ended, arguments: text.slice(0, text.lastIndexOf(') ')), result };
}

/** The path or socket behind the first argument, a file descriptor; null for none, or for a file that was deleted. */
export function targetOf(call: Call): string | null {
  const found = /^\d+<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/.exec(call.arguments);
  return found === null || found[2] !== undefined ? null : bytesOf(found[1] as string).toString();
}

/** The quoted strings, in order. @throws Error when strace truncated one */
export function stringsOf(call: Call): Buffer[] {
  return [...call.arguments.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, text, cut]) => {
    if (cut !== undefined) throw new Error(`Line ${call.ended} of the trace is cut short; -s has to be larger.`);
    return bytesOf(text as string);
  });
}

/** The last argument. @throws Error when it is not a number */
export function lastNumberOf(call: Call): number {
  const number = Number(/(?:^|, )(\d+)$/.exec(call.arguments)?.[1]);
  if (Number.isNaN(number)) throw new Error(`Line ${call.ended} of the trace does not end in a number.`);
  return number;
}

function bytesOf(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}

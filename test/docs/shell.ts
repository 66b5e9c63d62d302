/**
 * Runs the shell lines of a page like a reader, and compares their output with the page. A block of `sh` is run; a
 * following block of `json` or `text` is its output, and without one it prints nothing.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Step {
  readonly lines: string;
  /** The output shown on the page; '' for none. */
  readonly shown: string;
  readonly isJson: boolean;
}

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page, or of a section, from its heading to the next one of the same level. */
export function blocksOf(page: string, heading?: string): Block[] {
  const markdown = readFileSync(join(root, page), 'utf8');
  const start = heading === undefined ? 0 : markdown.indexOf(`\n## ${heading}\n`);
  assert.notEqual(start, -1, `${page} has no section "${heading}".`);
  const end = heading === undefined ? -1 : markdown.indexOf('\n## ', start + 1);
  const section = markdown.slice(start, end === -1 ? undefined : end);
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text: text.trimEnd(),
  }));
}

export function stepsOf(page: string, heading: string): Step[] {
  const blocks = blocksOf(page, heading);
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    const output = next === undefined || next.language === 'sh' ? { language: 'text', text: '' } : next;
    return [{ lines: text, shown: output.text, isJson: output.language === 'json' }];
  });
}

export interface Shell {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Address on the page → its address here. */
  readonly addresses?: Readonly<Record<string, string>>;
}

const endOfStep = '-- end of step --';

/**
 * `npx rowhouse` without the second that npx takes to find it, and a replacement for `curl` if there is none, or if
 * `TEST_CURL` is set.
 */
const prelude = `
npx() {
  if [ "$1" != rowhouse ]; then echo "npx $1 was not expected" >&2; return 1; fi
  shift
  "$TEST_NODE" "$TEST_MAIN" "$@"
}
if [ -n "$TEST_CURL" ] || ! command -v curl >/dev/null; then
  curl() { "$TEST_NODE" "${join(import.meta.dirname, 'curl.ts')}" "$@"; }
fi
`;

/** Runs all steps in one shell, so that later ones have the variables of earlier ones. @returns the output of each */
export async function runSteps(steps: readonly Step[], shell: Shell): Promise<string[]> {
  const lines = steps.map((step) => `${step.lines}\nprintf '\\n%s\\n' '${endOfStep}'\n`);
  let script = prelude + lines.join('');
  for (const [written, here] of Object.entries(shell.addresses ?? {})) script = script.replaceAll(written, here);
  const child = spawn('bash', ['-c', script], {
    cwd: shell.folder,
    env: {
      // Every command is a process, which starts in half the time with cached compiled code.
      NODE_COMPILE_CACHE: join(shell.folder, 'compiled'),
      ...cleanVariables(),
      ...shell.variables,
      TEST_NODE: process.execPath,
      TEST_MAIN: join(root, 'src/cli/main.ts'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  assert.equal(error, '', 'The lines of the page complain.');
  return out.split(`\n${endOfStep}\n`).slice(0, steps.length);
}

/** Excludes our own variables, which would change the effect of the lines. */
export function cleanVariables(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ROWHOUSE_')));
}

export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Values that differ between runs: times, tokens and keys, generated ids. */
const volatile = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d|\b[0-9a-f]{64}\b|(?<=[A-Za-z0-9]_)[0-9a-f]{32}\b/g;

/**
 * Replaces each volatile value by a number, equal values by equal numbers: so values that are equal on the page must be
 * equal here, and different ones different.
 */
export function numbering(): (text: string) => string {
  const numbers = new Map<string, number>();
  return (text) =>
    text.replaceAll(volatile, (value) => {
      const number = numbers.get(value) ?? numbers.size + 1;
      numbers.set(value, number);
      return `<volatile ${number}>`;
    });
}

/** JSON in one form, whatever its line breaks; other text stays unchanged, so that the difference is visible. */
export function comparable(text: string, isJson: boolean): string {
  if (!isJson) return text.trim();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

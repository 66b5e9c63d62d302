/** Reads a password that must stand in no command line and no history: typed without being shown, or from a pipe. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command.ts';

/** More than any password; a file that was meant for something else ends here. */
const pipedBytesMax = 64 * 1024;

/** @throws UsageError when nothing came, or the second typing differs */
export async function readSecret(prompt: string): Promise<string> {
  const secret = process.stdin.isTTY ? await typedTwice(prompt) : await piped();
  if (secret === '') throw new UsageError('A password is needed: type it, or send it to the standard input.');
  return secret;
}

/** The first line. */
async function piped(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > pipedBytesMax) throw new UsageError('The standard input holds more than a password can be.');
  }
  return (Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

async function typedTwice(prompt: string): Promise<string> {
  const first = await typed(`${prompt}: `);
  if (first !== (await typed('The same again: '))) throw new UsageError('The two passwords differ.');
  return first;
}

/** The line editor of a terminal shows what is typed, so its output goes nowhere. */
async function typed(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(prompt);
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

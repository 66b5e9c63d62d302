/** Reads a password that must not appear in a command line or history: typed without echo, or from a pipe. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command.ts';

/** More than any password; stops reading a file given by mistake. */
const pipedBytesMax = 64 * 1024;

/** @throws UsageError without input, or when the second typing differs */
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
    if (size > pipedBytesMax) throw new UsageError('The standard input is longer than a password may be.');
  }
  return (Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

async function typedTwice(prompt: string): Promise<string> {
  const first = await typed(`${prompt}: `);
  if (first !== (await typed('The same again: '))) throw new UsageError('The two passwords differ.');
  return first;
}

/** A terminal's line editor shows what is typed, so its output is discarded. */
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

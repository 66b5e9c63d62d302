/** The command `rowhouse`. */
import { run } from './run.ts';

const status = await run(process.argv.slice(2), {
  variables: process.env,
  isTerminal: process.stdout.isTTY === true,
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
});
process.exitCode = status;
// What a failed start leaves behind, a thread or a socket that listens, must not keep the process.
if (status !== 0) process.stderr.write('', () => process.stdout.write('', () => process.exit()));

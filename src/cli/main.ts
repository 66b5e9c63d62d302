/** The command `rowhouse`. */
import { run } from './run.ts';

// A reader that has gone, or a full disk, does not end the service; any other command has failed then.
let isHeard = true;
process.stdout.on('error', () => {
  isHeard = false;
});
process.stderr.on('error', () => {});

const status = await run(process.argv.slice(2), {
  variables: process.env,
  isTerminal: process.stdout.isTTY === true,
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
});
process.exitCode = status === 0 && !isHeard && process.argv[2] !== 'serve' ? 1 : status;
// What a failed start leaves behind, a thread or a socket that listens, must not keep the process.
if (status !== 0) process.stderr.write('', () => process.stdout.write('', () => process.exit()));

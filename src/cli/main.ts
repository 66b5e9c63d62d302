/** The command `rowhouse`. */
import { run } from './run.ts';

// A closed reader or a full disk does not stop the service; any other command fails then.
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
// A thread or a listening socket left behind by a failed start must not keep the process alive.
if (status !== 0) process.stderr.write('', () => process.stdout.write('', () => process.exit()));

/** The command `rowhouse`. */
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), {
  variables: process.env,
  isTerminal: process.stdout.isTTY === true,
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
});

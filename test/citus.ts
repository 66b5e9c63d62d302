/**
 * Runs the behaviour tests of PostgreSQL on an existing Citus cluster: `npm run test:citus -- <address>`. Each storage
 * of a test is a separate, temporary database on every node. Finally lists the skipped tests, and why.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareCluster } from '../lab/machine/cluster.ts';
import { filesNotOnCitus, testsNotOnCitus } from './not-on-citus.ts';

const help = `npm run test:citus -- <address> [<file> …]

Runs the behaviour tests of PostgreSQL on a Citus cluster. CONTRIBUTING.md, "Tests on a cluster".

  <file>     below test/, for example storage/citus/reads.test.ts; all of them by default.
  <address>  of a database on the coordinator in which the extension and all nodes are, for example
             postgres://postgres@127.0.0.1:5432/cluster. Its user makes and drops databases on every node.
             Without it the variable ROWHOUSE_TEST_CITUS counts.
  --help     Prints this.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
});
const [address = process.env.ROWHOUSE_TEST_CITUS, ...files] = positionals;
if (values.help === true) {
  console.log(help);
} else if (address === undefined) {
  console.error(`Expected an address, got none.\n\n${help}`);
  process.exitCode = 2;
} else {
  process.exitCode = await run(address, files);
}

/** @param files all of them when none is given */
async function run(address: string, files: readonly string[]): Promise<number> {
  const cluster = await prepareCluster(address);
  console.log(`Nodes: ${cluster.nodes.map((node) => new URL(node).host).join(', ')}`);
  try {
    const whole = ['run.ts', 'postgres'];
    const [program = '', ...args] = files.length === 0 ? whole : ['together.ts', ...files];
    const skipped = Object.keys(testsNotOnCitus).map((name) => `--test-skip-pattern=/^${RegExp.escape(name)}$/`);
    const flags = files.length === 0 ? [] : ['--test-reporter=spec', ...skipped];
    const tests = spawn(process.execPath, [...flags, join(import.meta.dirname, program), ...args], {
      env: { ...process.env, ...cluster.variables, ROWHOUSE_TEST_POSTGRES: address, ROWHOUSE_TEST_ENGINE: 'postgres' },
      stdio: 'inherit',
    });
    const [status] = await once(tests, 'exit');
    console.log('\nLeft out:');
    const leftOut = { ...filesNotOnCitus, ...testsNotOnCitus };
    for (const [name, reason] of Object.entries(leftOut)) console.log(`ℹ ${name}: ${reason}`);
    return status ?? 1;
  } finally {
    await cluster.remove();
  }
}

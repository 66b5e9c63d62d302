// Finds and runs the Node version that Rowhouse is pinned to, whatever Node runs this file (npm 10 does not link the
// executable of the package `node-<platform>`, so scripts cannot rely on `node` being that one).
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where Node keeps what it made of our sources, so that the next start, and every thread, need not make it again. */
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

/** Runs the pinned Node with the given arguments in place of this process: same streams, signals and exit status. */
export function runPinnedNode(args) {
  const child = spawn(executable(), args, {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the child as well; passing it on would count as a second one there.
  process.on('SIGINT', () => {});
  child.on('error', (error) => {
    console.error(`Node could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

function executable() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), file);
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath;
    console.error(
      `Rowhouse needs Node 26; this is ${process.version}, and ${name} is not installed. Run "npm ci" first.`,
    );
    return process.exit(1);
  }
}

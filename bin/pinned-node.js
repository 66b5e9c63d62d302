// Finds and runs the Node version that Rowhouse is pinned to, whichever Node runs this file. If that Node can replace
// itself by another program (22.15 or newer), there is one process; otherwise the pinned Node is a child that shares
// signals and the end of the process.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocatorVariables } from './allocator.js';
import { howToLoad } from './missing-library.js';

/** The oldest version of Node that the program runs on. */
const majorMin = 26;

const isWindows = process.platform === 'win32';

/** Where Node caches our compiled sources for further starts and threads. */
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

/** Runs Node with the given arguments in place of this process: same streams, signals and exit status. */
export function runPinnedNode(args) {
  const node = executable();
  const env = { NODE_COMPILE_CACHE: compileCache, ...allocatorVariables(), ...process.env };
  if (process.execve === undefined || isWindows) runAsChild(node, args, env);
  else process.execve(node, [node, ...args], env);
}

/** The pinned Node if it can be loaded, or else this one if it is new enough; otherwise says what to do, and exits. */
function executable() {
  const name = packageName();
  const pinned = pathOf(name);
  const error = pinned === null ? `the package ${name} is not installed` : loadError(pinned);
  if (error === null) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= majorMin) return process.execPath;
  const advice = pinned === null ? 'Run "npm ci" first.' : howToLoad(error);
  console.error(
    `Rowhouse runs on Node ${majorMin}. This is ${process.version}, and the one that comes with it cannot be used: ${error}.\n` +
      `${advice}\nA Node ${majorMin} or newer of this machine does as well.`,
  );
  return process.exit(1);
}

function packageName() {
  const platform = isWindows ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

function pathOf(name) {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, isWindows ? 'bin/node.exe' : 'bin/node');
  } catch {
    return null;
  }
}

/** Null when the program can be loaded, which takes a few milliseconds; otherwise the reason why not, in one line. */
function loadError(node) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { status, error, stderr } = spawnSync(node, ['--version'], { env, encoding: 'utf8' });
  if (status === 0) return null;
  return (error?.message ?? stderr.trim().split('\n')[0]) || `it ended with ${status}`;
}

/**
 * The child has its own session. Ctrl-C in the terminal reaches only this process and is passed on once, like any
 * signal sent to this process. A pipe between the two closes when this process ends for any reason; the child watches
 * it (`follow-parent.cjs`).
 */
function runAsChild(node, args, env) {
  const follow = fileURLToPath(new URL('./follow-parent.cjs', import.meta.url));
  const child = spawn(node, ['--require', follow, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...env, ROWHOUSE_PARENT_PIPE: '3' },
    detached: !isWindows,
  });
  child.stdio[3].on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (isWindows) process.on('SIGINT', () => {});
  else passOnKeys(child);
  child.on('error', (error) => {
    console.error(`Node could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // The parent of this process may check the signal that ended it, so it ends in the same way.
    process.removeAllListeners(signal);
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

/** A terminal sends the signals of its keys to a process group: here to the one that the child leads. */
function passOnKeys(child) {
  const passOn = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has just ended.
    }
  };
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGCONT']) process.on(signal, passOn);
  // Ctrl-Z stops both.
  process.on('SIGTSTP', () => {
    passOn('SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
  });
}

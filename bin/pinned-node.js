// Finds and runs the Node version that Rowhouse is pinned to, whatever Node runs this file: as one process where that
// Node can replace itself by another program (22.15 or newer), else as a child that shares every signal and the end.
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

/** Where Node keeps what it made of our sources, so that the next start, and every thread, need not make it again. */
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

/** Runs Node with the given arguments in place of this process: same streams, signals and exit status. */
export function runPinnedNode(args) {
  const node = executable();
  const env = { NODE_COMPILE_CACHE: compileCache, ...allocatorVariables(), ...process.env };
  if (process.execve === undefined || isWindows) runAsChild(node, args, env);
  else process.execve(node, [node, ...args], env);
}

/** The pinned Node where it can be loaded, else this one where it is new enough; else says what to do, and ends. */
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

/** Null when the program can be loaded, which takes a few milliseconds; else why it can't, in one line. */
function loadError(node) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { status, error, stderr } = spawnSync(node, ['--version'], { env, encoding: 'utf8' });
  if (status === 0) return null;
  return (error?.message ?? stderr.trim().split('\n')[0]) || `it ended with ${status}`;
}

/**
 * The child has a session of its own. A Ctrl-C of the terminal comes to this process only and is passed on once, exactly
 * as a signal that was sent to this process alone. A pipe between the two closes with this process, however it ends; the
 * child watches it (`follow-parent.cjs`).
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
    // Whoever started this process looks at the signal that ended it, so it ends in the same way.
    process.removeAllListeners(signal);
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

/** A terminal sends the signals of its keys to a whole group of processes: here to the one that the child leads. */
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

#!/usr/bin/env node
// Starts Rowhouse on the Node version that it is pinned to (the package `node-<platform>`), whatever Node ran this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const major = 26;
const command = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '../src/cli/main.ts');

if (Number(process.versions.node.split('.')[0]) >= major) {
  await import(command);
} else {
  const pinned = pinnedNode();
  if (pinned === undefined) {
    console.error(`Rowhouse needs Node ${major} or newer; this is ${process.version}. Run "npm ci" in its folder first.`);
    process.exit(1);
  }
  const child = spawn(pinned, [command, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

/** The path of the pinned Node's executable, or undefined where no package for this platform is installed. */
function pinnedNode() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const scope = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${scope}-${platform}-${process.arch}`;
  try {
    const executable = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
    const path = join(dirname(require.resolve(`${name}/package.json`)), executable);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

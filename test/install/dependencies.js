/**
 * Installs the packages of package-lock.json if nothing is installed yet: for `npm test` on a fresh clone, with any
 * Node.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

// npm writes this file last, so one that was interrupted is repeated.
if (!existsSync(`${root}/node_modules/.package-lock.json`)) {
  const npm = process.env.npm_execpath;
  const options = { cwd: root, stdio: 'inherit' };
  const { status } =
    npm === undefined
      ? spawnSync('npm ci', { ...options, shell: true })
      : spawnSync(process.execPath, [npm, 'ci'], options);
  process.exitCode = status ?? 1;
}

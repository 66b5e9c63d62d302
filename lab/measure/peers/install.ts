/**
 * Installs a peer once from the npm registry into its own cache folder, in the version in its `package.json`. It never
 * becomes a dependency of ours.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Program } from './process.ts';

/** Its program is the Node for this version of the peer, if it exists for this platform; otherwise that of the PATH. */
export interface Installed extends Program {
  readonly version: string;
}

/**
 * @param builds packages whose native part is fetched or compiled during installation
 * @throws Error when npm fails; its output is on stderr
 */
export async function installPeer(name: string, builds: readonly string[]): Promise<Installed> {
  const own = join(import.meta.dirname, name);
  const wanted = readFileSync(join(own, 'package.json'), 'utf8');
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const folder = join(process.env.XDG_CACHE_HOME || tmpdir(), 'rowhouse-bench', `${name}-${digest}`);
  const done = join(folder, 'installed');
  const { dependencies } = JSON.parse(wanted);
  const version: string = dependencies[name];
  if (!existsSync(done)) {
    process.stderr.write(`Installing ${name} ${version} into ${folder}, once; this takes some minutes.\n`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), wanted);
    await npm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {});
    if (builds.length > 0) await build(folder, builds);
    writeFileSync(done, '');
  }
  return { folder, program: nodeOf(folder) ?? 'node', version };
}

/** Builds with the headers of the peer's Node, so that nothing needs to be downloaded. */
function build(folder: string, packages: readonly string[]): Promise<void> {
  const node = nodeOf(folder);
  if (node === null) return npm(folder, ['rebuild', ...packages], {});
  return npm(folder, ['rebuild', ...packages], {
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    npm_config_nodedir: dirname(dirname(node)),
  });
}

function nodeOf(folder: string): string | null {
  const { platform, arch } = process;
  const names = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`];
  const paths = names.map((name) => join(folder, 'node_modules', name, 'bin/node'));
  return paths.find((path) => existsSync(path)) ?? null;
}

async function npm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('npm', args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] });
  const code = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  if (code !== 0) throw new Error(`npm ${args.join(' ')} in ${cwd} ended with status ${code}.`);
}

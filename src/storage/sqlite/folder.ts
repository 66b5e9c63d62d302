/** Where the files of a data folder are, and that a file which was made or renamed there survives a loss of power. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Identity } from '../identity.ts';
import { unusable } from './failure.ts';

/** A database file of the folder: a data space by its number, or one of our own two. */
export type FileName = number | 'directory' | 'logs';

const spaceDigits = 10;

export function pathOf(folder: string, file: FileName): string {
  return typeof file === 'number'
    ? join(folder, 'spaces', `${String(file).padStart(spaceDigits, '0')}.db`)
    : join(folder, `${file}.db`);
}

/** What is asked of the file, or nothing: the directory is what the others belong to. */
export function identityAt(installation: string, file: FileName): { readonly identity?: Identity } {
  if (file === 'directory') return {};
  return { identity: { installation, spaceId: file === 'logs' ? null : file } };
}

/** The numbers of the data spaces that there are files of, whatever is in them. */
export function spaceFiles(folder: string): number[] {
  const numbers = readdirSync(join(folder, 'spaces')).map((name) => /^(\d{10,})\.db$/.exec(name)?.[1]);
  return numbers.filter((digits) => digits !== undefined).map(Number);
}

/**
 * The folder's absolute path; the folder is made when it is missing, readable by its owner only.
 * @throws Error that names the folder and says why it cannot be used
 */
export function makeFolder(path: string): string {
  const folder = resolve(path);
  try {
    const made = makeMissing(join(folder, 'spaces'));
    chmodSync(folder, 0o700);
    for (const each of made) syncFolder(dirname(each));
  } catch (error) {
    throw unusable(folder, error);
  }
  return folder;
}

/**
 * Makes the folder and those above it that are missing. Node's own `recursive` tries for ever where the system says that
 * a folder above is missing, and does not let it be made either, as below /proc.
 * @returns those that were made
 */
function makeMissing(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return [];
  const above = dirname(folder) === folder ? [] : makeMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return above;
    throw error;
  }
  return [...above, folder];
}

/** After this a name that was made in the folder is there even after a loss of power. */
export function syncFolder(folder: string): void {
  sync(folder, 'r');
}

/** After this the file's content is there even after a loss of power, whoever wrote it. */
export function syncFile(path: string): void {
  sync(path, 'r+');
}

function sync(path: string, mode: 'r' | 'r+'): void {
  const handle = openSync(path, mode);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

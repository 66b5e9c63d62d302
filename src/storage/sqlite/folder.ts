/** Where the files of a data folder are, and that a file which was made or renamed there survives a loss of power. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Identity } from '../identity.ts';

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

/** The folder's absolute path; the folder is made when it is missing, readable by its owner only. */
export function makeFolder(path: string): string {
  const folder = resolve(path);
  const first = mkdirSync(join(folder, 'spaces'), { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  if (first !== undefined) {
    for (const made of [join(folder, 'spaces'), folder, dirname(first)]) syncFolder(made);
  }
  return folder;
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

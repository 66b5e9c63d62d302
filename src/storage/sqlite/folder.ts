/** Names the files of a data folder, and makes files created or renamed there survive a loss of power. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
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

/** The identity required of the file; none for the directory, to which the others belong. */
export function identityAt(installation: string, file: FileName): { readonly identity?: Identity } {
  if (file === 'directory') return {};
  return { identity: { installation, spaceId: file === 'logs' ? null : file } };
}

/** The numbers of the data spaces that have a file, whatever its content. */
export function spaceFiles(folder: string): number[] {
  const numbers = readdirSync(join(folder, 'spaces')).map((name) => /^(\d{10,})\.db$/.exec(name)?.[1]);
  return numbers.filter((digits) => digits !== undefined).map(Number);
}

/** Bytes of all files of the folder, with logs. Reads one at a time, so that a hanging disk blocks nothing else. */
export async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const each of [folder, join(folder, 'spaces')]) {
    for (const entry of await readdir(each, { withFileTypes: true })) {
      // It may have been removed meanwhile.
      if (entry.isFile()) bytes += (await stat(join(each, entry.name)).catch(() => ({ size: 0 }))).size;
    }
  }
  return bytes;
}

/**
 * The folder's absolute path; a missing folder is created, readable by its owner only.
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
 * Creates the folder and its missing parents. Node's own `recursive` tries for ever where the system reports that a
 * parent is missing but does not let it be created, as below /proc.
 * @returns the folders created
 */
function makeMissing(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return [];
  const above = dirname(folder) === folder ? [] : makeMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process created it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return above;
    throw error;
  }
  return [...above, folder];
}

/** Syncs the folder: names created in it then survive a loss of power. */
export function syncFolder(folder: string): void {
  sync(folder, 'r');
}

/** Syncs the file: its content then survives a loss of power, whichever process wrote it. */
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

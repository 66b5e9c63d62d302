/** Says why a file or folder of the data cannot be used, and what to do, to whoever starts a program on it. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sqliteCode } from './failure.ts';

/** A disk with less room than this takes no database: SQLite lays out a new one in so many bytes, or fewer. */
const freeBytesMin = 256 * 1024;

type Cause = 'full' | 'forbidden' | 'readOnly' | 'fileInTheWay' | 'noFolder';

const texts: Readonly<Record<Cause, string>> = {
  full: 'the disk is full. Free some space, then start again.',
  forbidden: 'this user may not read and write there. Give it the folder, or name another one with --storage.',
  readOnly: 'the file system takes no changes. Name a folder on another one with --storage.',
  fileInTheWay: 'there is a file where a folder is needed. Name a folder with --storage.',
  noFolder: 'no folder can be made there. Name one on a local disk with --storage.',
};

const causes: Readonly<Record<string, Cause>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'readOnly',
  ENOTDIR: 'fileInTheWay',
  EEXIST: 'fileInTheWay',
  ENOENT: 'noFolder',
};

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const result = { readOnly: 8, inputOutput: 10, full: 13 } as const;

/** @returns an error that names the path, the cause and what to do, with the code of SQLite where there was one */
export function unusable(path: string, error: unknown): Error {
  const errcode = sqliteCode(error);
  const isOurs = errcode === 0 && (error as NodeJS.ErrnoException).code === undefined;
  const message = isOurs
    ? `${path}: ${(error as Error).message}`
    : `storage: ${path} cannot be used: ${whyNot(path, error)}`;
  return Object.assign(new Error(message, { cause: error }), errcode === 0 ? {} : { errcode });
}

function whyNot(path: string, error: unknown): string {
  const primary = sqliteCode(error) & 0xff;
  if (primary === result.full) return texts.full;
  if (primary === result.readOnly) return texts.readOnly;
  // What SQLite reports when it cannot extend a file that it maps into memory.
  if (primary === result.inputOutput && isFull(path)) return texts.full;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const cause = causes[code];
  return cause === undefined ? message : texts[cause];
}

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < freeBytesMin;
  } catch {
    return false;
  }
}

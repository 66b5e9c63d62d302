/**
 * Failures of SQLite, as plain data that can be sent between threads, and as the errors that features get: their
 * messages never contain a path or the driver's text, which are in the cause, for the log. Also explains why a file or
 * folder cannot be used, for those who start a program on it.
 */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { ForeignKeyViolation, UniqueViolation, UnmetExpectation } from '../contract.ts';

export interface Failure {
  readonly kind: 'service' | 'unique' | 'foreignKey' | 'unmet';
  readonly reason: ServiceError['reason'];
  readonly message: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly cause: string;
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const result = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
} as const;

const uniqueCodes: readonly number[] = [2067, 1555, 2579];
const foreignKeyCode = 787;

/** The extended result code, or 0 when the error is not one of SQLite. */
export function sqliteCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : 0;
  return typeof code === 'number' ? code : 0;
}

export function isConstraint(error: unknown): boolean {
  return (sqliteCode(error) & 0xff) === result.constraint;
}

export function isUnique(error: unknown): boolean {
  return uniqueCodes.includes(sqliteCode(error));
}

/** An error of the statement itself, which leaves the transaction and the file intact. */
export function isOfStatement(error: unknown): boolean {
  const primary = sqliteCode(error) & 0xff;
  return primary === result.error || primary === result.constraint;
}

/** Whether a sum of integers needed more than 64 bits. */
export function isOverflow(error: unknown): boolean {
  return sqliteCode(error) === result.error && (error as Error).message === 'integer overflow';
}

/** @param where what was done to which file, for the log */
export function failureOf(error: unknown, where: string): Failure {
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const code = sqliteCode(error);
  const cause = `${where}: ${told}${code === 0 ? '' : ` (SQLite ${code})`}`;
  if (error instanceof ServiceError) {
    const { status, retryAfterSeconds } = error.details;
    return {
      kind: 'service',
      reason: error.reason,
      message: error.message,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      cause,
    };
  }
  if (error instanceof UnmetExpectation) return { kind: 'unmet', reason: 'internal', message: error.message, cause };
  if (isUnique(error)) return { kind: 'unique', reason: 'internal', message: 'A value is there already.', cause };
  if (code === foreignKeyCode) {
    return { kind: 'foreignKey', reason: 'internal', message: 'A referenced row does not exist.', cause };
  }
  return { kind: 'service', ...explained(error), cause };
}

/** Codes for when the disk accepts no writes or no more files can be opened: https://sqlite.org/rescode.html. */
const unwritable: readonly number[] = [
  778, // SQLITE_IOERR_WRITE
  1034, // SQLITE_IOERR_FSYNC
  1290, // SQLITE_IOERR_DIR_FSYNC
  1546, // SQLITE_IOERR_TRUNCATE
  4618, // SQLITE_IOERR_SHMOPEN
  4874, // SQLITE_IOERR_SHMSIZE
  5386, // SQLITE_IOERR_SHMMAP
];
const unwritableNames: readonly string[] = ['EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'EROFS'];

const takesNothing = {
  reason: 'busy',
  message: 'The database is busy at the moment; try again.',
  status: 503,
  retryAfterSeconds: 1,
} as const;
const isFull = { ...takesNothing, message: 'The disk is full; try again when space is free.' } as const;

type Explained = Pick<Failure, 'reason' | 'message' | 'status' | 'retryAfterSeconds'>;

function explained(error: unknown): Explained {
  const name = error instanceof Error && 'code' in error ? String(error.code) : '';
  const code = sqliteCode(error);
  if (name === 'ENOSPC') return isFull;
  if (unwritable.includes(code) || unwritableNames.includes(name)) return takesNothing;
  switch (code & 0xff) {
    case result.full:
      return isFull;
    case result.busy:
    case result.locked:
    case result.readOnly:
    // The file itself was checked before: it exists and can be opened. So a file next to it cannot be created.
    case result.cannotOpen:
      return takesNothing;
    case result.error:
      if (error instanceof Error && /^no such (table|column)/.test(error.message)) {
        return { reason: 'noTable', message: 'The tables were changed meanwhile; send the request again.' };
      }
  }
  return { reason: 'internal', message: 'The database failed.' };
}

export function errorOf(failure: Failure): Error {
  const { kind, reason, message, status, retryAfterSeconds } = failure;
  const cause = new Error(failure.cause);
  if (kind === 'unique') return new UniqueViolation(message, { cause });
  if (kind === 'unmet') return new UnmetExpectation(message, { cause });
  if (kind === 'foreignKey') return new ForeignKeyViolation(message, { cause });
  return new ServiceError(reason, message, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause,
  });
}

/** A database needs at least this much free disk space: SQLite creates a new one in at most this many bytes. */
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

/** @returns an error that names the path, the cause and what to do, with the code of SQLite if there was one */
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
  if (primary === result.inputOutput && isDiskFull(path)) return texts.full;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const cause = causes[code];
  return cause === undefined ? message : texts[cause];
}

function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < freeBytesMin;
  } catch {
    return false;
  }
}

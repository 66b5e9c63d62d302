/** Resources of the machine that can be taken away and given back: disk space, the size of files, write permission. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the command succeeded. */
export function tries(command: string, ...parts: string[]): boolean {
  try {
    execFileSync(command, parts, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Mounts a small disk at the folder; false if this user may not mount one. */
export function mountSmallDisk(folder: string, bytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  return tries('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder);
}

export function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder]);
}

/** Leaves this many bytes free on the folder's disk. Returns a function that frees all space taken this way. */
export function fillDisk(folder: string, bytesLeft: number): () => void {
  const { bavail, bsize } = statfsSync(folder);
  const filler = join(folder, 'filler');
  appendFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytesLeft)));
  return () => rmSync(filler);
}

/** Limits the size of the process's files; null removes the limit. Works for every user. */
export function limitFileSize(pid: number, bytes: number | null): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`]);
}

/** Makes the folder and its files read-only for later opens. Returns a function that makes them writable again. */
export function makeReadOnly(folder: string): () => void {
  if (tries('mount', '--bind', folder, folder)) {
    if (tries('mount', '-o', 'remount,ro,bind', folder)) return () => unmount(folder);
    unmount(folder);
  }
  const parts = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  const modes = parts.map((part) => ({ part, mode: statSync(part).mode & 0o777 }));
  const writing = 0o222;
  for (const { part, mode } of modes) chmodSync(part, mode & ~writing);
  return () => {
    for (const { part, mode } of modes) chmodSync(part, mode);
  };
}

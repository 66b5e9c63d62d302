/** What of the machine can be taken away and given back: space on a disk, the size of files, the right to write. */
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

/** A small disk of its own at the folder, or false where this user may not mount one. */
export function mountSmallDisk(folder: string, bytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  return tries('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder);
}

export function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder]);
}

/** Leaves so many bytes free on the disk of the folder. Returns what frees all the space that was ever taken so. */
export function fillDisk(folder: string, bytesLeft: number): () => void {
  const { bavail, bsize } = statfsSync(folder);
  const filler = join(folder, 'filler');
  appendFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytesLeft)));
  return () => rmSync(filler);
}

/** Lets no file of the process grow beyond this; null takes the limit away. Works for every user. */
export function limitFileSize(pid: number, bytes: number | null): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`]);
}

/** Makes the folder and its files read-only for what is opened from now on. Returns what makes them writable again. */
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

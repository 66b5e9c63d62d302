/** The folder of files that lie in memory, for what need not outlive the machine: files are made and removed there for less. */
import { statfsSync } from 'node:fs';

const folder = '/dev/shm';
/** `f_type` of `statfs(2)`. */
const tmpfs = 0x01_02_19_94;
/** Several times what the tests of a run have there at once; containers give little unless they are told to give more. */
const freeBytesMin = 2 * 1024 ** 3;
const availableBytesMin = 4 * 1024 ** 3;

/** Null where the system has none, or too little space is free in it or in memory. */
export function memoryFolder(): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const isFree = bavail * bsize >= freeBytesMin && process.availableMemory() >= availableBytesMin;
    return type === tmpfs && isFree ? folder : null;
  } catch {
    return null;
  }
}

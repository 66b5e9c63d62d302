/**
 * The folder for files in memory, for data that need not outlive the machine: creating and removing files is cheaper
 * there.
 */
import { statfsSync } from 'node:fs';

const folder = '/dev/shm';
/** `f_type` of `statfs(2)`. */
const tmpfs = 0x01_02_19_94;
/** Several times what the tests of a run have there at once; containers provide little by default. */
const freeBytesMin = 2 * 1024 ** 3;
const availableBytesMin = 4 * 1024 ** 3;

/** Null if the system has none, or has too little free space in it or in memory. */
export function memoryFolder(): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const isFree = bavail * bsize >= freeBytesMin && process.availableMemory() >= availableBytesMin;
    return type === tmpfs && isFree ? folder : null;
  } catch {
    return null;
  }
}

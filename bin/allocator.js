// How the C library hands out memory where there is little of it: a thread keeps none for itself that others could use, and what
// a large body or result took goes back to the system at once. Only glibc reads these variables, at the start of a process.
import { totalmem } from 'node:os';

const gib = 1024 ** 3;

/** Below this, as below 4 GiB the settings in `src/memory.ts`, memory counts for more than the time that this takes. */
const enoughBytes = 4 * gib;

/** Variables for a process that has so much memory; without it, as much as this machine or its container. */
export function allocatorVariables(memoryBytes = memoryOfMachine()) {
  if (memoryBytes >= enoughBytes) return {};
  return { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };
}

function memoryOfMachine() {
  return Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem());
}

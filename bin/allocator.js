// How much memory the process takes before it uses again what it has: of the C library, by variables that only glibc reads, and of
// JavaScript, by flags of V8; both at the start of a process.
import { availableParallelism, totalmem } from 'node:os';

const gib = 1024 ** 3;

/** Below this, as below 4 GiB the settings in `src/memory.ts`, memory counts for more than the time that this takes. */
const enoughBytes = 4 * gib;

/**
 * V8 would let the heap grow by hundreds of MiB before it collects old objects for the first time. Young ones take up to 24 MiB;
 * few of them live on, so to wake other threads for their collection costs more processor time than it saves.
 */
export const heapFlags = ['--initial-old-space-size=64', '--max-semi-space-size=8', '--no-parallel-scavenge'];

/**
 * Variables for a process that has so much memory; without it, as much as this machine or its container. Threads share as many
 * arenas as there are processors, instead of eight times as many; where there is little memory two, and what a large body or result
 * took goes back to the system at once.
 */
export function allocatorVariables(memoryBytes = memoryOfMachine()) {
  if (memoryBytes >= enoughBytes) return { MALLOC_ARENA_MAX: String(Math.max(2, availableParallelism())) };
  return { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };
}

function memoryOfMachine() {
  return Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem());
}

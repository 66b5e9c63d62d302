// Limits how much memory a process takes before it reuses its own: in the C library, by variables that only glibc
// reads, and in JavaScript, by flags of V8. Both are set at the start of a process.
import { availableParallelism, totalmem } from 'node:os';

const gib = 1024 ** 3;

/**
 * Below this, saving memory matters more than the time it costs; `src/memory.ts` likewise reduces settings below 4 GiB.
 */
const enoughBytes = 4 * gib;

/**
 * V8 would let the heap grow by hundreds of MiB before it first collects old objects. Young objects take up to 24 MiB;
 * few of them survive, so waking other threads for their collection costs more processor time than it saves.
 */
export const heapFlags = ['--initial-old-space-size=64', '--max-semi-space-size=8', '--no-parallel-scavenge'];

/**
 * Environment variables for a process with this much memory; by default that of this machine or its container. Threads
 * share as many arenas as there are processors, instead of eight times as many. With little memory there are two, and
 * the memory of a large body or result is returned to the system at once.
 */
export function allocatorVariables(memoryBytes = memoryOfMachine()) {
  if (memoryBytes >= enoughBytes) return { MALLOC_ARENA_MAX: String(Math.max(2, availableParallelism())) };
  return { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };
}

function memoryOfMachine() {
  return Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem());
}

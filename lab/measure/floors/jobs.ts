/** What a floor is asked for, as it goes to the thread that does it. */
import type { TaskFile } from './statements.ts';

export type Read =
  | { readonly kind: 'get'; readonly objectId: string }
  | { readonly kind: 'page' | 'count'; readonly amount: number };

export type Jobs = { readonly reads: readonly Read[] } | { readonly adds: readonly Buffer[] };

export function carryOut(file: TaskFile, jobs: Jobs): string[] {
  // Through a message between threads, a Buffer comes as plain bytes.
  if ('adds' in jobs)
    return file.add(jobs.adds.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  return jobs.reads.map((read) => (read.kind === 'get' ? file.get(read.objectId) : file[read.kind](read.amount)));
}
